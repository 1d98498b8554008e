import { isScalar, visit } from 'yaml';
import { isJsonObject } from '../../core/json.ts';
import { find, type SourceFile } from './source-file.ts';
import { chainOf, type SourceTree } from './source-tree.ts';

/**
 * Notes each `content_key` without a text definition: in CommonGround the model got an error message, in Cadre it does not load.
 */
export function checkTextKeys(file: SourceFile, tree: SourceTree): void {
  const inheriting = [...tree.profiles.values()].filter((other) => chainOf(other, tree.profiles)?.includes(file) === true);
  const defined = new Set(
    [...inheriting, ...(chainOf(file, tree.profiles) ?? [file])].flatMap(({ data }) => {
      const { text_definitions: texts } = data;
      return isJsonObject(texts) ? Object.keys(texts) : [];
    }),
  );
  visit(file.document, {
    Pair: (_, { key, value }) => {
      if (!isScalar(key) || key.value !== 'content_key' || !isScalar(value) || typeof value.value !== 'string') return;
      if (defined.has(value.value)) return;
      find(file, 'not_converted', {
        at: value,
        message: `there is no text definition ${value.value}; the model got an error message instead`,
        hint: 'write it in text_definitions',
      });
    },
  });
}
