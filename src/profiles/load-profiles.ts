import { CadreError } from '../core/error.ts';
import type { KnownNames } from '../core/profile/known-names.ts';
import type { Diagnostic, ProfileFile, ProfileSet } from '../core/profile/profile.ts';
import type { CompileOutcome } from './compile-profile-files.ts';
import { formatDiagnostics } from './format-diagnostics.ts';
import type { CodeRead, ReadCode } from './files/read-code-files.ts';

/** Where profiles come from: a folder, a file, several of them, or files in memory. */
export type ProfileInput = string | readonly string[] | { readonly files: readonly ProfileFile[] };

/** What profiles may refer to besides each other. */
export interface LoadOptions {
  /** What exists outside the files, or who finds out by looking at them; categories that are absent are not checked. */
  readonly known?: Partial<KnownNames> | ((files: readonly ProfileFile[]) => Promise<Partial<KnownNames>>) | undefined;
  /** Where LLM configs look values up; default is the environment of the process. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** Files that come before all others, unless these hold one of the same path. */
  readonly before?: readonly ProfileFile[] | undefined;
  /** Reads the code that toolsets of the kind `module` name, when folders are loaded. Without it they have none. */
  readonly readCode?: ReadCode | undefined;
  /** Where files of code lie on this machine, by path, for files in memory. */
  readonly codePlaces?: ReadonlyMap<string, string> | undefined;
}

/**
 * Loads profiles, LLM configs, handover protocols and scripts from YAML. Throws `PROFILE_INVALID` with every problem of every
 * file (`file:line:col: message (hint)` per line, and as `details.diagnostics`); warnings are in the set.
 */
export async function loadProfiles(input: ProfileInput, options: LoadOptions = {}): Promise<ProfileSet> {
  const { set, diagnostics } = await checkProfiles(input, options);
  if (set !== undefined) return set;
  const errors = diagnostics.filter((diagnostic) => diagnostic.severity === 'error');
  const count = errors.length === 1 ? '1 error' : `${errors.length} errors`;
  throw new CadreError('PROFILE_INVALID', `the profiles have ${count}:\n${formatDiagnostics(diagnostics)}`, {
    details: { diagnostics },
  });
}

/** Loads profiles like `loadProfiles`, and returns the problems instead of throwing: `set` is there when there is no error. */
export async function checkProfiles(
  input: ProfileInput,
  options: LoadOptions = {},
): Promise<{ readonly set?: ProfileSet; readonly diagnostics: readonly Diagnostic[] }> {
  // The YAML parser and the validator are loaded with the first profile, not with the package.
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
  const compiled = await compile([...read.files, ...newCode(read.files, code)], code);
  if (read.diagnostics.length === 0) return compiled;
  return { diagnostics: [...read.diagnostics, ...compiled.diagnostics] };
}

/** JSON that code imports was read with the profiles. */
function newCode(files: readonly ProfileFile[], code: CodeRead | undefined): readonly ProfileFile[] {
  const known = new Set(files.map(({ path }) => path));
  return (code?.files ?? []).filter(({ path }) => !known.has(path)).map(({ path, text }) => ({ path, text }));
}
