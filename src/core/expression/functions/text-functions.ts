import { failure, MAX_TEXT, type Evaluation } from '../evaluation.ts';
import { numberArgument, textArgument, type ExpressionFunction } from './function.ts';
import { toText } from '../json-text.ts';

/** Functions and methods on text; positions and lengths count Unicode characters, as in CEL. */
export const textFunctions: readonly ExpressionFunction[] = [
  change('lower', (text) => text.toLowerCase()),
  change('upper', (text) => text.toUpperCase()),
  change('lowerAscii', (text) => text.replace(/[A-Z]+/g, (part) => part.toLowerCase()), true),
  change('upperAscii', (text) => text.replace(/[a-z]+/g, (part) => part.toUpperCase()), true),
  { ...change('trim', (text) => text.trim()), method: true },
  test('startsWith', (text, part) => text.startsWith(part)),
  test('endsWith', (text, part) => text.endsWith(part)),
  {
    name: 'split',
    parameters: ['string', 'string'],
    returns: 'list',
    method: true,
    run: (args, evaluation) => {
      const text = textArgument(args, 0);
      const separator = textArgument(args, 1);
      chargeSearch(text, separator, evaluation);
      if (separator === '') evaluation.charge(text.length);
      const parts = separator === '' ? [...text] : text.split(separator);
      evaluation.charge(parts.length);
      return parts;
    },
  },
  {
    name: 'replace',
    parameters: ['string', 'string', 'string'],
    returns: 'string',
    method: true,
    run: (args, evaluation) => replace(textArgument(args, 0), textArgument(args, 1), textArgument(args, 2), evaluation),
  },
  {
    name: 'join',
    parameters: ['list', 'string'],
    optional: 1,
    returns: 'string',
    method: true,
    run: (args, evaluation) => join(args[0], textArgument(args, 1), evaluation),
  },
  {
    name: 'lines',
    parameters: ['string'],
    returns: 'list',
    run: (args, evaluation) => {
      const text = textArgument(args, 0);
      evaluation.chargeText(text.length);
      const parts = text.split(/\r?\n/);
      if (parts.at(-1) === '') parts.pop();
      evaluation.charge(parts.length);
      return parts;
    },
  },
  {
    name: 'words',
    parameters: ['string'],
    returns: 'list',
    run: (args, evaluation) => {
      const text = textArgument(args, 0);
      evaluation.chargeText(text.length);
      evaluation.charge(text.length >> 5);
      const found = text.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
      evaluation.charge(found.length);
      return [...found];
    },
  },
  position('indexOf', (text, part) => text.indexOf(part)),
  position('lastIndexOf', (text, part) => text.lastIndexOf(part)),
  {
    name: 'substring',
    parameters: ['string', 'number', 'number'],
    optional: 1,
    returns: 'string',
    methodOnly: true,
    run: (args, evaluation) => {
      const characters = toCharacters(textArgument(args, 0), evaluation);
      const from = numberArgument(args, 1, 0);
      const to = numberArgument(args, 2, characters.length);
      if (from < 0 || to < from || to > characters.length) throw failure(`substring(${from}, ${to}) is out of range`);
      return sliceText(characters, from, to);
    },
  },
];

/** Splits a text into characters; returns the text itself in the usual, fast case that every character is one UTF-16 unit. */
export function toCharacters(text: string, evaluation: Evaluation): string | readonly string[] {
  evaluation.chargeText(text.length);
  if (!/[\ud800-\udbff]/.test(text)) return text;
  evaluation.charge(text.length >> 4);
  return [...text];
}

/** Returns a part of the result of {@link toCharacters} as text. */
export function sliceText(characters: string | readonly string[], from: number, to: number): string {
  const part = characters.slice(from, to);
  return typeof part === 'string' ? part : part.join('');
}

/** Charges for searching one text in another, whose worst case grows with both. */
export function chargeSearch(text: string, part: string, evaluation: Evaluation): void {
  evaluation.chargeText(text.length);
  evaluation.charge(Math.floor((text.length * Math.min(part.length, 256)) / 4096));
}

function change(name: string, run: (text: string) => string, methodOnly = false): ExpressionFunction {
  return {
    name,
    parameters: ['string'],
    returns: 'string',
    ...(methodOnly ? { methodOnly } : {}),
    run: (args, evaluation) => {
      const text = textArgument(args, 0);
      evaluation.chargeText(text.length);
      return run(text);
    },
  };
}

function test(name: string, run: (text: string, part: string) => boolean): ExpressionFunction {
  return {
    name,
    parameters: ['string', 'string'],
    returns: 'bool',
    method: true,
    run: (args, evaluation) => {
      evaluation.chargeText(textArgument(args, 1).length);
      return run(textArgument(args, 0), textArgument(args, 1));
    },
  };
}

function position(name: string, run: (text: string, part: string) => number): ExpressionFunction {
  return {
    name,
    parameters: ['string', 'string'],
    returns: 'int',
    methodOnly: true,
    run: (args, evaluation) => {
      const text = textArgument(args, 0);
      const part = textArgument(args, 1);
      chargeSearch(text, part, evaluation);
      const found = run(text, part);
      return found < 0 ? -1 : toCharacters(text.slice(0, found), evaluation).length;
    },
  };
}

function replace(text: string, part: string, other: string, evaluation: Evaluation): string {
  chargeSearch(text, part, evaluation);
  const pieces = text.split(part);
  evaluation.charge(pieces.length);
  evaluation.chargeText(text.length + (pieces.length + 1) * Math.max(0, other.length - part.length));
  // A function as replacement keeps `$&` and the like literal.
  return text.replaceAll(part, () => other);
}

function join(list: unknown, separator: string, evaluation: Evaluation): string {
  if (!Array.isArray(list)) return '';
  const parts: string[] = [];
  let length = 0;
  evaluation.charge(list.length);
  for (const item of list) {
    const part = toText(item, evaluation);
    length += part.length + separator.length;
    if (length > MAX_TEXT) evaluation.chargeText(length);
    evaluation.charge(part.length >> 8);
    parts.push(part);
  }
  evaluation.chargeText(length);
  return parts.join(separator);
}
