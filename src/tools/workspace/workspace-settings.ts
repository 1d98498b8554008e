import type { JsonObject, JsonSchema } from '../../core/json.ts';
import { allowWritesSetting, toAllowedWrites } from '../files/allowed-writes.ts';
import { compileGlobs, type PathTest } from '../files/glob-pattern.ts';
import { plainPath } from '../files/plain-name.ts';
import { secretFiles } from '../files/secret-files.ts';

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

/** The engine's own folder in a workspace: undo texts, and the journal when the workspace is where it was started. */
export const engineFolder = '.cadre';

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
    unreadable: globs('Globs of paths that are neither read nor changed, in place of those that hold secrets.'),
    max_file_bytes: { type: 'integer', minimum: 1_000, maximum: 50_000_000, description: 'Longest file read or edited whole.' },
    trust: { enum: ['trusted', 'untrusted'], description: 'untrusted (usual): what stands in files is framed as data.' },
  },
};

/** Reads checked settings. */
export function readWorkspaceSettings(settings: JsonObject): WorkspaceSettings {
  const { max_file_bytes: maxFileBytes } = settings;
  const isUnreadable = compileUnreadable(settings['unreadable']);
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

/** What is neither read nor changed: what holds secrets, unless globs say what instead, and always what the engine keeps. */
function compileUnreadable(globs: unknown): PathTest {
  if (globs === undefined) return (path) => secretFiles.placeIn(path) !== undefined;
  return compilePlain([...texts(globs, []), `/${engineFolder}`]);
}

/** Compiles globs that also mean what lenient file systems take for the same names. */
function compilePlain(globs: readonly string[]): PathTest {
  const test = compileGlobs(globs);
  return (path) => {
    if (test(path)) return true;
    const plain = plainPath(path);
    return plain !== path.toLowerCase() && test(plain);
  };
}
