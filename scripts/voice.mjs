// Phrases that comments do not use (docs/glossary.md has the words they do use). With no argument: lists each place and ends with 1 when there is one.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const phrases = [
  'whoever',
  'whom',
  'nobody',
  'somebody',
  'anew',
  'goes by',
  'go by',
  'comes to',
  'came to',
  'is told',
  'are told',
  'told of',
  'stands',
  'in the place of',
  'in its place',
  'taken up',
  'takes up',
  'all the same',
  'for good',
  'brought about',
  'rid of',
  'of its own',
  'looked into',
  'nothing of',
];

/** Matches one phrase. */
export const phrase = new RegExp(`\\b(?:${phrases.join('|')})\\b`, 'gi');

/** Openings that describe a thing by a question instead of naming it. */
export const oddOpening = /^(?:What|Who|Where|Whether|How|When|Which|Why|One that|Those)\b/;

/** The comments of a TypeScript file, with their line and their words on one line. */
export function commentsOf(text) {
  return [...text.matchAll(/\/\*\*[\s\S]*?\*\/|^[ \t]*\{?\/\*[\s\S]*?\*\/|(?:^|\s)\/\/ .*$/gm)].map((match) => ({
    line: text.slice(0, match.index + match[0].search(/\S/)).split('\n').length,
    isDocstring: match[0].trim().startsWith('/**'),
    words: match[0].replace(/[/*]+/g, ' ').replace(/\s+/g, ' ').trim(),
  }));
}

/** All TypeScript files below some folders of the project. */
export function sources(root, folders) {
  return folders.flatMap((folder) =>
    readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.tsx?$/.test(name))
      .map((name) => path.join(folder, name)),
  );
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const root = path.join(import.meta.dirname, '..');
  const places = sources(root, ['src', 'web']).flatMap((file) =>
    commentsOf(readFileSync(path.join(root, file), 'utf8')).flatMap(({ line, words }) =>
      (words.match(phrase) ?? []).map((found) => `${file}:${line}: '${found}': say it plainly (docs/glossary.md)`),
    ),
  );
  for (const place of places) console.error(place);
  process.exitCode = places.length === 0 ? 0 : 1;
}
