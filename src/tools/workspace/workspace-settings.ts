import type { JsonObject, JsonSchema } from '../../core/json.ts';
import { compileGlobs, type PathTest } from '../files/glob-pattern.ts';

/** What the tools of a workspace go by. */
export interface WorkspaceSettings {
  /** Only listing, reading and searching. */
  readonly readOnly: boolean;
  /** Paths that are read and never changed. */
  readonly isProtected: PathTest;
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
 * What tools never change, unless the settings say otherwise (FAULTS 6.1): files that make other programs do something when
 * they are next used, and the profiles of the team itself.
 */
export const defaultProtected: readonly string[] = [
  '**/.git/hooks',
  '**/.git/config',
  '**/.git/modules/**/hooks',
  '**/.git/modules/**/config',
  '.gitmodules',
  '.env',
  '.env.*',
  '.envrc',
  '.npmrc',
  '.yarnrc*',
  '.netrc',
  '.ssh',
  '.vscode',
  '.idea',
  '.claude',
  '.cursor',
  '.mcp.json',
  '.husky',
  '.profile',
  '.*_profile',
  '.*rc',
  'agent_profiles',
];

/** What tools neither read nor change: secrets, and what the engine keeps. */
export const defaultUnreadable: readonly string[] = ['.env', '.env.local', '.env.*.local', '.netrc', '.npmrc', '.ssh'];

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
    protected: globs(`Globs of paths that are never changed, in place of the usual ones.`),
    unreadable: globs('Globs of paths that are neither read nor changed, in place of the usual ones.'),
    max_file_bytes: { type: 'integer', minimum: 1_000, maximum: 50_000_000, description: 'Longest file read or edited whole.' },
    trust: { enum: ['trusted', 'untrusted'], description: 'untrusted (usual): what stands in files is framed as data.' },
  },
};

/** Reads checked settings. */
export function readWorkspaceSettings(settings: JsonObject): WorkspaceSettings {
  const { max_file_bytes: maxFileBytes } = settings;
  const isUnreadable = compileGlobs([...texts(settings['unreadable'], defaultUnreadable), `/${engineFolder}`]);
  const isProtected = compileGlobs(texts(settings['protected'], defaultProtected));
  return {
    readOnly: settings['read_only'] === true,
    isProtected: (path) => isProtected(path) || isUnreadable(path),
    protectsProfiles: settings['protected'] === undefined,
    isUnreadable,
    maxFileBytes: typeof maxFileBytes === 'number' ? maxFileBytes : defaultMaxFileBytes,
    trust: settings['trust'] === 'trusted' ? 'trusted' : 'untrusted',
  };
}

function texts(value: unknown, usual: readonly string[]): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : usual;
}
