import { isList, isMap, kindOf, readItem, readKey, toData, equals } from '../data.ts';
import { failure, type Evaluation } from '../evaluation.ts';
import { listArgument, numberArgument, textArgument, type ExpressionFunction } from './function.ts';
import { toStableJson } from '../json-text.ts';
import { chargeSearch, sliceText, toCharacters } from './text-functions.ts';

// Longest list that `range(n)` creates.
const MAX_RANGE = 10_000;

/** Passes on items of its first argument. */
const own = (): number => 0;

/** The functions on lists and maps, and on texts where those work the same. */
export const listFunctions: readonly ExpressionFunction[] = [
  { name: 'size', parameters: ['any'], returns: 'int', method: true, run: ([value], evaluation) => size(value, evaluation) },
  { name: 'len', parameters: ['any'], returns: 'int', run: ([value], evaluation) => size(value, evaluation) },
  {
    name: 'keys',
    parameters: ['map'],
    returns: 'list',
    run: ([map], evaluation) => {
      const keys = isMap(map) ? Object.keys(map) : [];
      evaluation.charge(keys.length);
      return keys;
    },
  },
  {
    name: 'values',
    parameters: ['map'],
    returns: 'list',
    passes: own,
    run: ([map], evaluation) => {
      const values = isMap(map) ? Object.values(map) : [];
      evaluation.charge(values.length);
      return values.map(toData);
    },
  },
  {
    name: 'get',
    parameters: ['any', 'any', 'any'],
    optional: 1,
    returns: 'any',
    asksIfThere: [2],
    passes: (given) => (given === 3 ? 2 : 0),
    run: ([container, key, fallback]) => readKey(container, key) ?? fallback ?? null,
  },
  {
    name: 'contains',
    parameters: ['any', 'any'],
    returns: 'bool',
    method: true,
    run: ([value, part], evaluation) => contains(value, part, evaluation),
  },
  { name: 'first', parameters: ['list'], returns: 'any', passes: own, run: (args) => readItem(listArgument(args, 0), 0) },
  { name: 'last', parameters: ['list'], returns: 'any', passes: own, run: (args) => readItem(listArgument(args, 0), -1) },
  {
    name: 'slice',
    parameters: ['any', 'number', 'number'],
    optional: 1,
    returns: 'any',
    passes: own,
    run: (args, evaluation) => slice(args[0], numberArgument(args, 1, 0), numberArgument(args, 2, Infinity), evaluation),
  },
  {
    name: 'unique',
    parameters: ['list'],
    returns: 'list',
    passes: own,
    run: (args, evaluation) => unique(listArgument(args, 0), evaluation),
  },
  {
    name: 'flatten',
    parameters: ['list'],
    returns: 'list',
    passes: own,
    run: (args, evaluation) => flatten(listArgument(args, 0), evaluation),
  },
  {
    name: 'sort',
    parameters: ['list'],
    returns: 'list',
    passes: own,
    run: (args, evaluation) => sort(listArgument(args, 0), evaluation),
  },
  {
    name: 'range',
    parameters: ['number'],
    returns: 'list',
    run: (args, evaluation) => {
      const count = numberArgument(args, 0, 0);
      if (!Number.isInteger(count) || count < 0 || count > MAX_RANGE)
        throw failure(`range(n) takes a whole number from 0 to ${MAX_RANGE}`);
      evaluation.charge(count);
      return Array.from({ length: count }, (_, index) => index);
    },
  },
];

function size(value: unknown, evaluation: Evaluation): number {
  if (value === null) return 0;
  if (isList(value)) return value.length;
  if (isMap(value)) {
    const count = Object.keys(value).length;
    evaluation.charge(count >> 3);
    return count;
  }
  if (typeof value === 'string') return toCharacters(value, evaluation).length;
  throw failure(`a ${kindOf(value)} has no size`);
}

function contains(value: unknown, part: unknown, evaluation: Evaluation): boolean {
  if (value === null) return false;
  if (typeof value === 'string') {
    if (typeof part !== 'string') throw failure(`a text cannot contain a ${kindOf(part)}`);
    chargeSearch(value, part, evaluation);
    return value.includes(part);
  }
  if (isMap(value)) return typeof part === 'string' && Object.hasOwn(value, part);
  if (!isList(value)) throw failure(`contains() takes a text, a list or a map, not a ${kindOf(value)}`);
  for (const item of value) {
    evaluation.charge(1);
    if (equals(item, part, evaluation)) return true;
  }
  return false;
}

function slice(value: unknown, from: number, to: number, evaluation: Evaluation): unknown {
  if (value === null) return null;
  if (isList(value)) {
    const part = value.slice(from, to);
    evaluation.charge(part.length);
    return part;
  }
  if (typeof value === 'string') return sliceText(toCharacters(value, evaluation), from, to);
  throw failure(`slice() takes a text or a list, not a ${kindOf(value)}`);
}

function unique(list: readonly unknown[], evaluation: Evaluation): readonly unknown[] {
  const seen = new Map<unknown, unknown>();
  for (const item of list) {
    evaluation.charge(1);
    const data = toData(item);
    const key =
      typeof data === 'object' && data !== null
        ? `json:${toStableJson(data, evaluation)}`
        : typeof data === 'string'
          ? `text:${data}`
          : data;
    if (!seen.has(key)) seen.set(key, data);
  }
  return [...seen.values()];
}

/** Flattens one level, as in CEL's list extension; items that are not lists stay. */
function flatten(list: readonly unknown[], evaluation: Evaluation): readonly unknown[] {
  const items: unknown[] = [];
  for (const item of list) {
    const part = isList(item) ? item : [item];
    evaluation.charge(part.length + 1);
    for (const value of part) items.push(toData(value));
  }
  return items;
}

function sort(list: readonly unknown[], evaluation: Evaluation): readonly unknown[] {
  evaluation.charge(list.length * Math.ceil(Math.log2(list.length + 2)));
  if (list.every((item) => typeof item === 'number')) return list.toSorted((left, right) => left - right);
  if (list.every((item) => typeof item === 'string')) {
    for (const [index] of list.entries()) evaluation.chargeText(textArgument(list, index).length);
    return list.toSorted((left, right) => (left < right ? -1 : left > right ? 1 : 0));
  }
  throw failure('sort() takes a list of numbers or a list of texts');
}
