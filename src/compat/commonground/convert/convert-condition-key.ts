import { isScalar, type YAMLMap } from 'yaml';
import type { ExpressionRoots } from '../../../core/expression/expression.ts';
import { convertCondition } from '../../python/convert-condition.ts';
import type { Phase } from '../../python/converter.ts';
import { literalText } from '../../python/piece.ts';
import { nodeAt, removeKey, setText, textAt } from '../edit-yaml.ts';
import { find, type SourceFile } from '../source-file.ts';
import type { SourceTree } from '../source-tree.ts';

/** Place of a condition, which determines its conversion. */
export interface ConditionPlace {
  readonly tree: SourceTree;
  readonly phase: Phase;
  readonly roots: ExpressionRoots;
  /** True when a base has an item of the same id, whose condition this one replaces. */
  readonly overrides: boolean;
}

/**
 * Converts the `condition` of a map in place. A condition that cannot be converted becomes a call of `not_converted`, which
 * prevents the profile from loading: no condition is ever silently wrong.
 */
export function convertConditionKey(file: SourceFile, map: YAMLMap, place: ConditionPlace): void {
  const node = nodeAt(map, 'condition');
  if (node === undefined) return removeKey(map, 'condition');
  const scalar = textAt(map, 'condition');
  if (scalar === undefined) {
    const isFlag = isScalar(node) && typeof node.value === 'boolean';
    if (!isFlag)
      find(file, 'not_converted', { at: node, message: 'the condition is not a text, true or false', hint: 'write it in CEL' });
    return;
  }
  const { tree, phase, roots } = place;
  const source = scalar.value;
  const converted = convertCondition(source, { phase, roots, ownState: tree.ownState });
  if (!converted.ok) {
    find(file, 'not_converted', {
      at: scalar,
      message: `condition: ${converted.problem}`,
      hint: converted.hint,
      offset: converted.start,
    });
    return setText(scalar, `not_converted(${literalText(source.trim().slice(0, 1_500))})`);
  }
  file.converted.conditions += 1;
  for (const { message, start } of converted.notes)
    find(file, 'changed', { at: scalar, message: `condition: ${message}`, offset: start });
  if (converted.text === 'true' && !place.overrides) return removeKey(map, 'condition');
  setText(scalar, converted.text);
}
