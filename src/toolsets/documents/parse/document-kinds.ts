import { plainName } from '../../files/plain-name.ts';
import { secretFiles } from '../../files/guard/secret-files.ts';

/** Endings of documents written to be read, in lower case; names are compared case-insensitively. */
const proseEndings = ['.md', '.mdx', '.markdown', '.txt', '.rst', '.html', '.htm', '.xhtml'];

/** Endings of tables as text. */
export const tableEndings: readonly string[] = ['.csv', '.tsv'];

/** Endings of source code, configuration and data that are text. */
const codeEndings: ReadonlySet<string> = new Set(
  (
    'adoc asm astro bat bash c cc cfg clj cljs cmake coffee conf cpp cs css cts cxx dart diff dockerfile ejs elm erl ex exs f90 fish fs fsx go ' +
    'gradle graphql groovy h hbs hcl hh hpp hrl hs hxx ini java jl js json json5 jsonc jsonl jsx kt kts less lisp log lua m make mjs cjs ml mli mm ' +
    'mts nim nix org pas patch php pl pm properties proto ps1 py pyi r rb rs sass scala scm scss sh sol sql styl svelte swift tcl tex tf toml ts ' +
    'tsx v vb vim vue xml xsl yaml yml zig zsh'
  )
    .split(' ')
    .map((ending) => `.${ending}`),
);

/** Kinds of files that are read, for messages. */
export const readKinds = `${proseEndings.join(', ')}, ${tableEndings.join(', ')}, source code and configuration (.ts, .py, .json, .yaml, …)`;

/** Kind under which files without an ending that are not text are counted. */
export const binaryKind = 'binary files';

/** Kind under which files that programs write are counted: they repeat what others say, and fill every search. */
export const generatedKind = 'generated files';

const generatedNames =
  /^(?:package-lock\.json|npm-shrinkwrap\.json|pnpm-lock\.yaml|composer\.lock|.*\.min\.(?:js|mjs|css)|.*\.(?:bundle|chunk)\.js|.*\.map|.*\.lock|go\.sum|.*\.snap)$/;

/**
 * Classification of a file by its name: a `document`; `plain`, without an ending and a document when it is text (LICENSE, Makefile); or
 * left out, with the kind it is counted under, such as `.pdf`.
 */
export type NamedKind = 'document' | 'plain' | { readonly leftOut: string };

/** Returns the kind of a file by its name alone. */
export function kindOfName(name: string): NamedKind {
  const lower = name.toLowerCase();
  if (secretFiles.groupOf([], plainName(name)) !== undefined) return { leftOut: 'files with secrets' };
  if (generatedNames.test(lower)) return { leftOut: generatedKind };
  if ([...proseEndings, ...tableEndings].some((ending) => lower.endsWith(ending))) return 'document';
  const ending = /.(\.[\p{L}\p{N}_+~-]{1,12})$/u.exec(lower)?.[1];
  if (ending === undefined) return 'plain';
  return codeEndings.has(ending) ? 'document' : { leftOut: ending };
}

/** True for the name of source code, configuration or data, in which no line is a heading of Markdown. */
export function isCodeName(name: string): boolean {
  return codeEndings.has(/\.[^./]+$/.exec(name.toLowerCase())?.[0] ?? '');
}

/** Characters of the longest usual line, on average over a file: more is written by a program for programs. */
const longestMeanLine = 1_000;
const fewestChars = 20_000;

/** True for text that a program wrote for programs, such as minified code: its lines are far too long to read. */
export function isMachineText(file: string, text: string): boolean {
  if (text.length < fewestChars || !isCodeName(file)) return false;
  let lines = 1;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines += 1;
  return text.length / lines > longestMeanLine;
}
