import type { DocumentFormat } from './document-block.ts';

const endingsOf: Readonly<Record<DocumentFormat, string>> = {
  markdown: 'md markdown',
  mdx: 'mdx',
  text: 'txt',
  rst: 'rst',
  html: 'html htm xhtml',
  outline: 'adoc asciidoc org tex',
  code:
    'ts tsx mts cts js jsx mjs cjs py pyi go rs java kt kts scala groovy gradle clj cljs cljc c h cc cpp cxx hh hpp hxx m mm cs fs vb swift dart zig nim jl rb rake ' +
    'php pl pm lua r sh bash zsh fish ps1 bat cmd sql ex exs erl hrl hs ml mli elm lisp el scm rkt sol asm s f90 pas vue svelte astro css scss sass less ' +
    'proto graphql gql prisma thrift tf hcl nix bzl bazel rego cue mk cmake awk diff patch',
  data: 'json jsonc json5 jsonl ndjson geojson ipynb yaml yml toml ini cfg conf properties xml xsd xsl plist po log bib srt vtt',
  table: 'csv tsv',
  pdf: 'pdf',
};

const formats: ReadonlyMap<string, DocumentFormat> = new Map(
  Object.entries(endingsOf).flatMap(([format, endings]) =>
    endings.split(' ').map((ending): [string, DocumentFormat] => [ending, format as DocumentFormat]),
  ),
);

/** Endings of document files, with the dot, in lower case; names are compared case-insensitively. */
export const documentEndings: readonly string[] = [...formats.keys()].map((ending) => `.${ending}`);

/** Kinds of readable files, for messages and texts. */
export const readableKinds =
  'text (.md, .mdx, .markdown, .txt, .rst, .html, .adoc, .org, .tex), source code (.ts, .py, .go, …), data as text (.json, .yaml, .toml, .xml, .log, …), ' +
  'tables (.csv, .tsv), PDF or files without an ending';

/** Returns the ending of a file name, without the dot, in lower case; undefined when there is none. */
export function endingOf(name: string): string | undefined {
  return /.\.([\p{L}\p{N}_+~-]{1,12})$/u.exec(name.toLowerCase())?.[1];
}

const codeNames =
  /^(?:(?:gnu)?makefile|kbuild|kconfig|configure|dockerfile|containerfile|jenkinsfile|rakefile|gemfile|podfile|fastfile|brewfile|vagrantfile|procfile|justfile|caddyfile|build|workspace|cmakelists\.txt|requirements[\w-]*\.txt)$/;

/** Returns the dialect for a file name; `text` when it has no known ending. */
export function documentFormat(file: string): DocumentFormat {
  const name = file.slice(file.lastIndexOf('/') + 1).toLowerCase();
  return codeNames.test(name) ? 'code' : (formats.get(endingOf(name) ?? '') ?? 'text');
}
