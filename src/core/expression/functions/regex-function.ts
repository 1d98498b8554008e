import type { RE2JS } from 're2js';
import { regexLibrary } from '../../regex-library.ts';
import { failure, type Evaluation } from '../evaluation.ts';
import { textArgument, type ExpressionFunction } from './function.ts';

// Longest pattern that `matches` takes.
const MAX_PATTERN = 256;

/** A compiled pattern with the size of its program, which determines the cost of a search. */
interface Pattern {
  readonly regex: RE2JS;
  readonly size: number;
}

/** `matches(text, pattern)`: a search in RE2 syntax, linear in the text whatever the pattern. */
export const regexFunction: ExpressionFunction = {
  name: 'matches',
  parameters: ['string', 'string'],
  returns: 'bool',
  method: true,
  run: (args, evaluation) => {
    // Charged before compiling, since the failure of a bad pattern may be absorbed.
    evaluation.charge(500);
    const pattern = compilePattern(textArgument(args, 1));
    if (typeof pattern === 'string') throw failure(pattern);
    evaluation.charge(pattern.size * 10);
    return searchPattern(pattern, textArgument(args, 0), evaluation);
  },
};

/** Compiles a pattern; returns the problem as a text on failure. */
export function compilePattern(source: string): Pattern | string {
  if (source.length > MAX_PATTERN) return `the pattern is ${source.length} characters long, ${MAX_PATTERN} are allowed`;
  try {
    const regex = regexLibrary().RE2JS.compile(source);
    return { regex, size: regex.programSize() };
  } catch (error) {
    return error instanceof Error ? error.message : 'the pattern cannot be compiled';
  }
}

/** Searches a text; the charge bounds an adversarial pattern and text to a fraction of a second. */
export function searchPattern(pattern: Pattern, text: string, evaluation: Evaluation): boolean {
  evaluation.chargeText(text.length);
  evaluation.charge(Math.floor((text.length * pattern.size) / 64));
  // `test` needs no groups and runs on the automaton, which `matcher().find()` does not.
  return pattern.regex.test(text);
}
