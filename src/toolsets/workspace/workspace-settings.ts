import type { JsonObject, JsonSchema } from '../../core/json.ts';
import { allowWritesSetting, toAllowedWrites } from '../../files/guard/allowed-writes.ts';
import type { ToolsetRequest } from '../../core/tool/toolset.ts';
import type { PathTest } from '../../files/glob-pattern.ts';
import { compilePlain, compileUnreadable, unreadableOf, unreadableSetting } from '../../files/guard/unreadable.ts';

/** Settings of the tools of a workspace. */
export interface WorkspaceSettings {
  /** Offers only listing, reading and searching. */
  readonly readOnly: boolean;
  /** Paths that may be read but never changed, in addition to auto-run files. */
  readonly isProtected: PathTest;
  /** Auto-run files that may be changed. */
  readonly allows: PathTest;
  /** Protects the profiles that the engine reads, wherever they lie; false when the settings list the protected paths. */
  readonly protectsProfiles: boolean;
  /** Paths that are neither read nor changed. */
  readonly isUnreadable: PathTest;
  /** Maximum size of a file that is read or edited whole, in bytes. */
  readonly maxFileBytes: number;
  /** `untrusted`: the content of files is framed as data from outside. */
  readonly trust: 'trusted' | 'untrusted';
}

/**
 * Files that tools never change, in addition to auto-run files (`auto-run-files.ts`), unless `protected` lists others: files from which
 * programs load their environment.
 */
const defaultProtected: readonly string[] = ['.env', '.env.*', '.netrc'];

const defaultMaxFileBytes = 5_000_000;

const globs = (description: string): JsonObject => ({
  type: 'array',
  items: { type: 'string', minLength: 1, maxLength: 500 },
  maxItems: 200,
  description,
});

/** JSON Schema of the settings. */
export const workspaceSettingsSchema: JsonSchema = {
  type: 'object',
  additionalProperties: false,
  properties: {
    read_only: { type: 'boolean', description: 'Only list_files, read_file and search_files.' },
    protected: globs('Globs of paths that are never changed, in place of .env* and the folders with profiles.'),
    allow_writes: allowWritesSetting,
    unreadable: unreadableSetting,
    max_file_bytes: { type: 'integer', minimum: 1_000, maximum: 50_000_000, description: 'Longest file read or edited whole.' },
    trust: { enum: ['trusted', 'untrusted'], description: 'untrusted (default): the content of files is framed as data.' },
  },
};

/** Converts validated settings, including the files that other toolsets of the same profiles do not read. */
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
