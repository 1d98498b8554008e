import { isScalar, visit } from 'yaml';
import { isJsonObject } from '../../core/json.ts';
import { find, type SourceFile } from './source-file.ts';
import { chainOf, type SourceTree } from './source-tree.ts';

/** Tells of each `content_key` that names no text definition: it gave the model an error message, and does not load here. */
export function checkTextKeys(file: SourceFile, tree: SourceTree): void {
  const heirs = [...tree.profiles.values()].filter((other) => chainOf(other, tree.profiles)?.includes(file) === true);
  const defined = new Set(
    [...heirs, ...(chainOf(file, tree.profiles) ?? [file])].flatMap(({ data }) => {
      const { text_definitions: texts } = data;
      return isJsonObject(texts) ? Object.keys(texts) : [];
    }),
  );
  visit(file.document, {
    Pair: (_, { key, value }) => {
      if (!isScalar(key) || key.value !== 'content_key' || !isScalar(value) || typeof value.value !== 'string') return;
      if (defined.has(value.value)) return;
      find(
        file,
        'not_converted',
        value,
        `there is no text definition ${value.value}; the model read an error message in its place`,
        {
          hint: 'write it in text_definitions',
        },
      );
    },
  });
}
