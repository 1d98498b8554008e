import { closeSync, openSync, readSync, statSync } from 'node:fs';
import path from 'node:path';

/** Endings of files that interpreters run, or programs load as code. */
const codeEndings = /\.(?:[cm]?[jt]sx?|py|pyz|pth|sh|bash|zsh|rb|pl|php|lua|jar|ps1|node|so|dylib|wasm)$/i;

/** Programs that run a file whatever its name is, and programs that start those. */
const interpreters =
  /^(?:(?:ba|da|z|k|mk|c|tc|fi|a)?sh|pwsh|env|xargs|nohup|nice|timeout|sudo|busybox|node|nodejs|bun|deno|tsx|ts-node|(?:python|pypy|ruby|perl|php|lua|luajit)[\d.]*|uv|Rscript|osascript|make|gmake)$/i;

/** Options of interpreters whose value is a program. */
const programOptions = /^(?:-[a-z]*[cep]|--eval|--print)$/i;

/** Options of interpreters whose value is a file that runs before the script. */
const fileOptions = /^(?:-r|--require|--import|--(?:experimental-)?loader|--preload|--rcfile|--init-file)$/;

/** Files of a folder that interpreters run when they are given the folder. */
const entries = ['__main__.py', 'package.json', 'index.js', 'index.mjs', 'index.cjs', 'index.ts'] as const;

/** Variables whose value is a file that runs, whatever its name is. */
const startVariables: ReadonlySet<string> = new Set([
  'BASH_ENV',
  'ENV',
  'PYTHONSTARTUP',
  'LD_PRELOAD',
  'LD_AUDIT',
  'PERL5OPT',
  'RUBYOPT',
]);

/**
 * Returns the absolute paths of files with code that a command line names: by their ending or first line, what an interpreter runs
 * whatever it is called, modules (`python -m`), values of options (`--import=./hook.mjs`), and words of a program in an argument. Files of data
 * do not count, since they change while the program works. The files need not exist.
 */
export function codeNamedBy(args: readonly string[], folder: string, program: string): readonly string[] {
  const found = new Set<string>();
  let runsNext = interpreters.test(path.basename(program));
  let before = '';
  for (const word of args) {
    const isProgram = runsNext && programOptions.test(before);
    const isModule = runsNext && before === '-m';
    const names = isProgram ? piecesOf(word) : isModule ? moduleFiles(word) : [word, ...valueOf(word)];
    const files = names.flatMap((name) => filesAt(path.resolve(folder, name))).filter((file) => runsNext || isCode(file));
    for (const file of files) found.add(file);
    const isScript = files.length > 0 && !word.startsWith('-') && !fileOptions.test(before);
    // What follows the script are its arguments.
    if (isProgram || isModule || isScript) runsNext = false;
    runsNext ||= interpreters.test(path.basename(word));
    before = word;
  }
  return [...found];
}

/** Returns the same of variables: `NODE_OPTIONS`, `BASH_ENV` and others name code, too. */
export function codeInVariables(env: Readonly<Record<string, string>>, folder: string): readonly string[] {
  const found = Object.entries(env).flatMap(([name, value]) =>
    piecesOf(value)
      .flatMap((piece) => filesAt(path.resolve(folder, piece)))
      .filter((file) => startVariables.has(name) || isCode(file)),
  );
  return [...new Set(found)];
}

/** A file that a shell writes (`> log`, `2>> "log"`): it changes while the program works, and runs only where the text names it again. */
const output = /(?<![=<-])>{1,2}[|&]?[ \t]*(?:"[^"]*"|'[^']*'|[^\s'"`;|&()<>]*)/g;

function piecesOf(text: string): readonly string[] {
  return [text, ...text.replace(output, ' ').split(/[\s'"`;|&()<>=,:]+/)].filter((piece) => piece !== '');
}

function valueOf(word: string): readonly string[] {
  const at = word.indexOf('=');
  return at < 0 ? [] : [word.slice(at + 1)];
}

function moduleFiles(name: string): readonly string[] {
  const file = name.replaceAll('.', '/');
  return [`${file}.py`, file];
}

/** Returns a file itself, and of a folder the files that run for it. */
function filesAt(place: string): readonly string[] {
  const found = statsOf(place);
  if (found?.isDirectory() !== true) return found?.isFile() === true ? [place] : [];
  return entries.map((name) => path.join(place, name)).filter((file) => statsOf(file)?.isFile() === true);
}

function statsOf(place: string): ReturnType<typeof statSync> {
  try {
    return statSync(place, { throwIfNoEntry: false });
  } catch {
    // A word that can be no path.
    return undefined;
  }
}

function isCode(place: string): boolean {
  return codeEndings.test(place) || startsWithShebang(place);
}

function startsWithShebang(place: string): boolean {
  try {
    const descriptor = openSync(place, 'r');
    try {
      const bytes = Buffer.alloc(2);
      return readSync(descriptor, bytes, 0, 2, 0) === 2 && bytes.toString('latin1') === '#!';
    } finally {
      closeSync(descriptor);
    }
  } catch {
    // It cannot be read, so it is no script.
    return false;
  }
}
