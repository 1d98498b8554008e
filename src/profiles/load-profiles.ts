import { CadreError } from '../core/error.ts';
import type { KnownNames } from '../core/profile/known-names.ts';
import type { Diagnostic, ProfileFile, ProfileSet } from '../core/profile/profile.ts';
import type { CompileOutcome } from './compile-profile-files.ts';
import { formatDiagnostics } from './format-diagnostics.ts';
import type { CodeRead, ReadCode } from './files/read-code-files.ts';

/** Source of profiles: a folder, a file, several of them, or files in memory. */
export type ProfileInput = string | readonly string[] | { readonly files: readonly ProfileFile[] };

/** Options of loading profiles. */
export interface LoadOptions {
  /** Names defined outside the files, or a function that derives them from the files; absent categories are not checked. */
  readonly known?: Partial<KnownNames> | ((files: readonly ProfileFile[]) => Promise<Partial<KnownNames>>) | undefined;
  /** Variables for lookups in LLM configs; default: the environment of the process. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** Files placed before all others; a loaded file with the same path replaces one. */
  readonly before?: readonly ProfileFile[] | undefined;
  /** Reads the code that toolsets of the kind `module` refer to, when folders are loaded. Without it, they have no code. */
  readonly readCode?: ReadCode | undefined;
  /** Locations of code files on this machine, by path, for files in memory. */
  readonly codePlaces?: ReadonlyMap<string, string> | undefined;
}

/**
 * Loads profiles, LLM configs, handover protocols and scripts from YAML. Throws `PROFILE_INVALID` with every problem of every file
 * (one `file:line:col: message (hint)` per line, and in `details.diagnostics`); warnings are in the set.
 */
export async function loadProfiles(input: ProfileInput, options: LoadOptions = {}): Promise<ProfileSet> {
  const { set, diagnostics } = await checkProfiles(input, options);
  if (set !== undefined) return set;
  throw invalidProfiles(diagnostics);
}

/** Returns the error for profiles with problems: `PROFILE_INVALID`, naming each at its place. */
export function invalidProfiles(diagnostics: readonly Diagnostic[]): CadreError {
  const errors = diagnostics.filter(({ severity }) => severity === 'error').length;
  const count = errors === 1 ? '1 error' : `${errors} errors`;
  const warnings = diagnostics.length === 1 ? '1 warning, which' : `${diagnostics.length} warnings, which`;
  const what = errors === 0 ? `${warnings} strict loading refuses` : count;
  return new CadreError('PROFILE_INVALID', `the profiles have ${what}:\n${formatDiagnostics(diagnostics)}`, {
    details: { diagnostics },
  });
}

/** Loads profiles like `loadProfiles`, but returns problems instead of throwing: `set` is present when there are no errors. */
export async function checkProfiles(
  input: ProfileInput,
  options: LoadOptions = {},
): Promise<{ readonly set?: ProfileSet; readonly diagnostics: readonly Diagnostic[] }> {
  // The first load imports the YAML parser and the validator, so importing the package stays cheap.
  const { compileProfileFiles } = await import('./compile-profile-files.ts');
  const compile = async (given: readonly ProfileFile[], code?: CodeRead): Promise<CompileOutcome> => {
    const before = (options.before ?? []).filter(({ path }) => !given.some((file) => file.path === path));
    const files = [...before, ...given];
    const known = typeof options.known === 'function' ? await options.known(files) : options.known;
    const places = code?.files.flatMap(({ path, place }) => (place === undefined ? [] : [[path, place] as const]));
    return compileProfileFiles(files, {
      known,
      env: options.env ?? process.env,
      codePlaces: places === undefined ? options.codePlaces : new Map(places),
      codeProblems: code?.problems,
    });
  };
  if (typeof input === 'object' && 'files' in input) return await compile(input.files);
  const { readProfileFiles } = await import('./files/read-profile-files.ts');
  const read = await readProfileFiles(typeof input === 'string' ? [input] : input);
  const { readCodeFiles } = await import('./files/read-code-files.ts');
  const code = options.readCode === undefined ? undefined : await readCodeFiles(read, options.readCode);
  const { set, diagnostics } = await compile([...read.files, ...newCode(read.files, code)], code);
  const compiled = { ...(set === undefined ? {} : { set: { ...set, folders: read.folders } }), diagnostics };
  if (read.diagnostics.length === 0) return compiled;
  return { diagnostics: [...read.diagnostics, ...compiled.diagnostics] };
}

/** Returns the code files that are not yet among the profile files; imported JSON was read with the profiles. */
function newCode(files: readonly ProfileFile[], code: CodeRead | undefined): readonly ProfileFile[] {
  const known = new Set(files.map(({ path }) => path));
  return (code?.files ?? []).filter(({ path }) => !known.has(path)).map(({ path, text }) => ({ path, text }));
}
