import { plainName } from '../../../files/plain-name.ts';
import { secretFiles } from '../../../files/guard/secret-files.ts';
import { documentEndings, endingOf } from './document-endings.ts';

/** Kind under which files without an ending that are not text are counted. */
export const binaryKind = 'binary files';
/** Kind under which lockfiles and minified files are counted. */
export const generatedKind = 'generated files';
const secretKind = 'files with secrets';

/**
 * Classification of a file by its name: a `document`; `plain`, without an ending and a document when it is text (LICENSE, Makefile); or
 * left out, with the kind it is counted under, such as `.png`.
 */
export type NamedKind = 'document' | 'plain' | { readonly leftOut: string };

/** Data files that usually hold keys or passwords, by the words of their names. */
const secretData =
  /(?:^|[._-])(?:secrets?|credentials?|service[_-]?account(?:[_-]?key)?)(?:[._-][\w.-]*)?\.(?:json[c5l]?|ya?ml|toml|ini|cfg|conf|properties|xml|csv|tsv)$/;
const generatedNames = new Set(
  (
    'package-lock.json npm-shrinkwrap.json packages.lock.json pnpm-lock.yaml yarn.lock bun.lock deno.lock cargo.lock poetry.lock uv.lock pdm.lock ' +
    'pipfile.lock gemfile.lock composer.lock mix.lock flake.lock pubspec.lock podfile.lock go.sum'
  ).split(' '),
);
const generatedEndings = /(?:[.-]min\.(?:m?js|cjs|css)|\.map|\.pb\.go|_pb2\.pyi?)$/;

/** Returns the kind of a file by its name alone. */
export function kindOfName(name: string): NamedKind {
  const lower = plainName(name);
  if (secretFiles.groupOf([], lower) !== undefined || secretData.test(lower)) return { leftOut: secretKind };
  if (generatedNames.has(lower) || generatedEndings.test(lower)) return { leftOut: generatedKind };
  const ending = endingOf(name);
  if (ending === undefined) return 'plain';
  return documentEndings.includes(`.${ending}`) ? 'document' : { leftOut: `.${ending}` };
}
