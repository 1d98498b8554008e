import { isTruthy, kindOf } from '../data.ts';
import { failure, MAX_TEXT } from '../evaluation.ts';
import { textArgument, type ExpressionFunction } from './function.ts';
import { toStableJson, toText } from '../json-text.ts';
import { readJson } from '../../read-json.ts';

/** The functions that test, convert and print any value. */
export const valueFunctions: readonly ExpressionFunction[] = [
  { name: 'truthy', parameters: ['any'], returns: 'bool', asksIfThere: [0], run: ([value]) => isTruthy(value) },
  {
    name: 'default',
    parameters: ['any', 'any'],
    returns: 'any',
    asksIfThere: [0, 1],
    passes: () => 1,
    run: ([value, fallback]) => value ?? fallback,
  },
  { name: 'dyn', parameters: ['any'], returns: 'any', asksIfThere: [0], passes: () => 0, run: ([value]) => value },
  { name: 'string', parameters: ['any'], returns: 'string', run: ([value], evaluation) => toText(value, evaluation) },
  { name: 'json', parameters: ['any'], returns: 'string', run: ([value], evaluation) => toStableJson(value, evaluation) },
  {
    name: 'parse_json',
    parameters: ['any'],
    returns: 'any',
    passes: () => 0,
    run: ([value], evaluation) => {
      if (typeof value !== 'string' || value.length > MAX_TEXT) return null;
      evaluation.charge(value.length >> 4);
      return parseJson(value);
    },
  },
  { name: 'number', parameters: ['any'], returns: 'any', passes: () => 0, run: ([value]) => toNumber(value) },
  { name: 'double', parameters: ['any'], returns: 'number', run: ([value]) => requireNumber(value, 'double') },
  { name: 'int', parameters: ['any'], returns: 'int', run: ([value]) => Math.trunc(requireNumber(value, 'int')) },
  {
    name: 'bool',
    parameters: ['any'],
    returns: 'bool',
    run: (args) => {
      const [value] = args;
      if (typeof value === 'boolean') return value;
      const text = textArgument(args, 0).toLowerCase();
      if (text === 'true' || text === 't' || text === '1') return true;
      if (text === 'false' || text === 'f' || text === '0') return false;
      throw failure(`bool() cannot convert this ${kindOf(value)}; truthy(x) takes any value`);
    },
  },
];

function parseJson(text: string): unknown {
  try {
    return readJson(text);
  } catch {
    return null;
  }
}

function toNumber(value: unknown): number | null {
  if (typeof value === 'number') return value;
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (typeof value !== 'string' || value.trim() === '' || value.length > 400) return null;
  const number = Number(value);
  return Number.isFinite(number) ? number : null;
}

function requireNumber(value: unknown, name: string): number {
  const number = toNumber(value);
  if (number === null) throw failure(`${name}() cannot convert this ${kindOf(value)}; number(x) gives null instead`);
  return number;
}
