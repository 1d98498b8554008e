import { isList, isMap, toData } from './data.ts';
import { failure, MAX_DATA_DEPTH, type Evaluation } from './evaluation.ts';

/** True for deeply equal data; values of different kinds are unequal, never an error. */
export function equals(left: unknown, right: unknown, evaluation: Evaluation, depth = 0): boolean {
  const a = toData(left);
  const b = toData(right);
  if (typeof a === 'string' && typeof b === 'string') return textsEqual(a, b, evaluation);
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (depth > MAX_DATA_DEPTH) throw failure(`the values are nested deeper than ${MAX_DATA_DEPTH} levels`);
  if (isList(a) && isList(b)) {
    if (a.length !== b.length) return false;
    evaluation.charge(a.length + 1);
    return a.every((item, index) => equals(item, b[index], evaluation, depth + 1));
  }
  return isMap(a) && isMap(b) && mapsEqual(a, b, evaluation, depth);
}

function textsEqual(left: string, right: string, evaluation: Evaluation): boolean {
  if (left.length !== right.length) return false;
  evaluation.chargeText(left.length);
  return left === right;
}

function mapsEqual(
  left: Readonly<Record<string, unknown>>,
  right: Readonly<Record<string, unknown>>,
  evaluation: Evaluation,
  depth: number,
): boolean {
  const keys = Object.keys(left);
  if (keys.length !== Object.keys(right).length) return false;
  evaluation.charge(keys.length + 1);
  return keys.every((key) => Object.hasOwn(right, key) && equals(left[key], right[key], evaluation, depth + 1));
}
