import type { Scalar } from 'yaml';
import { mapPath } from '../../python/map-path.ts';
import { setText } from '../edit-yaml.ts';
import { renameTools } from '../names.ts';
import { find, type SourceFile } from '../source-file.ts';
import type { SourceTree } from '../source-tree.ts';

/** Matches the only placeholders of CommonGround: a path in braces. */
const placeholder = /\{\{\s*([\w._-]+)\s*\}\}/g;

/** Converts a template: placeholders read Cadre's paths; other braces are escaped. */
export function convertTemplate(
  file: SourceFile,
  scalar: Scalar<string>,
  { tree, own = [] }: { readonly tree: SourceTree; readonly own?: readonly string[] | undefined },
): void {
  const source = scalar.value;
  let text = '';
  let from = 0;
  for (const match of source.matchAll(placeholder)) {
    text += escapeBraces(source.slice(from, match.index));
    text += replaced(file, scalar, { tree, match, own });
    from = match.index + match[0].length;
  }
  text += escapeBraces(source.slice(from));
  finish(file, scalar, text);
}

/** Converts a text without placeholders; escapes all braces. */
export function convertPlainText(file: SourceFile, scalar: Scalar<string>): void {
  finish(file, scalar, escapeBraces(scalar.value));
}

/** Converts a payload text: a text that is one placeholder becomes its value; any other stays unchanged. */
export function convertPayloadText(file: SourceFile, tree: SourceTree, scalar: Scalar<string>): void {
  if (/^\s*\{\{\s*[\w._-]+\s*\}\}\s*$/.test(scalar.value)) return convertTemplate(file, scalar, { tree });
  if (placeholder.test(scalar.value))
    find(file, 'changed', {
      at: scalar,
      message: 'CommonGround did not fill in a placeholder inside a longer payload; the braces are kept as text',
      hint: 'remove the backslash before `{{` to insert the value',
    });
  placeholder.lastIndex = 0;
  convertPlainText(file, scalar);
}

function replaced(
  file: SourceFile,
  scalar: Scalar<string>,
  { tree, match, own }: { readonly tree: SourceTree; readonly match: RegExpExecArray; readonly own: readonly string[] },
): string {
  const path = match[1] ?? '';
  if (own.includes(path.split('.')[0] ?? '')) return `{{ ${path} }}`;
  const mapped = mapPath(path, tree.ownState);
  if ('problem' in mapped) {
    find(file, 'not_converted', { at: scalar, message: `${match[0]}: ${mapped.problem}`, hint: mapped.hint, offset: match.index });
    return `\\${match[0]}`;
  }
  if (mapped.note !== undefined)
    find(file, 'changed', { at: scalar, message: `${match[0]}: ${mapped.note}; missing values are empty`, offset: match.index });
  return `{{ ${mapped.text} }}`;
}

function escapeBraces(text: string): string {
  return text.replaceAll('{{', '\\{{');
}

function finish(file: SourceFile, scalar: Scalar<string>, converted: string): void {
  const { text, renamed } = renameTools(converted);
  if (renamed.length > 0) find(file, 'changed', { at: scalar, message: `renamed tools in the text: ${renamed.join(', ')}` });
  if (text === scalar.value) return;
  file.converted.texts += 1;
  const { type } = scalar;
  setText(scalar, text);
  if (type !== undefined) scalar.type = type;
}
