import type { JsonObject, JsonSchema } from '../../core/json.ts';
import { allowWritesSetting, toAllowedWrites } from '../files/guard/allowed-writes.ts';
import type { ToolsetRequest } from '../../core/tool/toolset.ts';
import type { PathTest } from '../files/glob-pattern.ts';
import { compilePlain, compileUnreadable, unreadableOf, unreadableSetting } from '../files/guard/unreadable.ts';

/** What the tools of a workspace go by. */
export interface WorkspaceSettings {
  /** Only listing, reading and searching. */
  readonly readOnly: boolean;
  /** Paths that are read and never changed, besides those that make other programs run something. */
  readonly isProtected: PathTest;
  /** Paths that may be changed although they make other programs run something. */
  readonly allows: PathTest;
  /** Whether the profiles the engine goes by are protected, wherever they lie: unless the settings say what is. */
  readonly protectsProfiles: boolean;
  /** Paths that are neither read nor changed. */
  readonly isUnreadable: PathTest;
  /** Longest file that is read or edited whole, in bytes. */
  readonly maxFileBytes: number;
  /** Whether what stands in files is framed as data from outside. */
  readonly trust: 'trusted' | 'untrusted';
}

/**
 * What tools never change unless `protected` says what else, besides the files that make other programs run something
 * (`auto-run-files.ts`): what programs load their environment from.
 */
const defaultProtected: readonly string[] = ['.env', '.env.*', '.netrc'];

const defaultMaxFileBytes = 5_000_000;

const globs = (description: string): JsonObject => ({
  type: 'array',
  items: { type: 'string', minLength: 1, maxLength: 500 },
  maxItems: 200,
  description,
});

/** The JSON Schema of the settings. */
export const workspaceSettingsSchema: JsonSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    read_only: { type: 'boolean', description: 'Only list_files, read_file and search_files.' },
    protected: globs('Globs of paths that are never changed, in place of .env* and the folders with profiles.'),
    allow_writes: allowWritesSetting,
    unreadable: unreadableSetting,
    max_file_bytes: { type: 'integer', minimum: 1_000, maximum: 50_000_000, description: 'Longest file read or edited whole.' },
    trust: { enum: ['trusted', 'untrusted'], description: 'untrusted (usual): what stands in files is framed as data.' },
  },
};

/** Reads checked settings, with what other toolsets of the same profiles do not read. */
export function readWorkspaceSettings(request: Pick<ToolsetRequest, 'settings' | 'unreadable'>): WorkspaceSettings {
  const { settings } = request;
  const { max_file_bytes: maxFileBytes } = settings;
  const isUnreadable = compileUnreadable(unreadableOf(request));
  const isProtected = compilePlain(texts(settings['protected'], defaultProtected));
  return {
    readOnly: settings['read_only'] === true,
    isProtected: (path) => isProtected(path) || isUnreadable(path),
    allows: toAllowedWrites(settings['allow_writes']),
    protectsProfiles: settings['protected'] === undefined,
    isUnreadable,
    maxFileBytes: typeof maxFileBytes === 'number' ? maxFileBytes : defaultMaxFileBytes,
    trust: settings['trust'] === 'trusted' ? 'trusted' : 'untrusted',
  };
}

function texts(value: unknown, usual: readonly string[]): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : usual;
}
