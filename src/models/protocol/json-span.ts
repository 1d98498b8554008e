import { readJson } from '../../core/read-json.ts';

// Deeper than the nesting allowed in arguments, plus their surroundings.
const deepest = 200;

/**
 * Returns the end (exclusive) of the JSON value whose opening bracket is at `start`, or -1 when it is unclosed or nested too
 * deeply. Ignores brackets in strings; with `loose`, single quotes make strings, too.
 */
export function endOfJson(text: string, start: number, loose = false): number {
  let depth = 0;
  let quote = '';
  let previous = '';
  for (let index = start; index < text.length; index += 1) {
    const char = text.charAt(index);
    if (quote !== '') {
      if (char === '\\') index += 1;
      else if (char === quote) quote = '';
      previous = char;
      continue;
    }
    if (char === '"' || (loose && char === "'" && '{[,:'.includes(previous))) quote = char;
    else if (char === '{' || char === '[') {
      depth += 1;
      if (depth > deepest) return -1;
    } else if (char === '}' || char === ']') {
      depth -= 1;
      if (depth === 0) return index + 1;
    }
    if (char !== ' ' && char !== '\n') previous = char;
  }
  return -1;
}

/** Parses JSON text; undefined when it is invalid. */
export function tryJson(text: string): unknown {
  try {
    return readJson(text);
  } catch {
    // Callers report invalid JSON to the model, with the form they expected.
    return undefined;
  }
}

/** Returns the next position that is not white space. */
export function skipSpace(text: string, from: number): number {
  let at = from;
  while (at < text.length && text.charAt(at).trim() === '') at += 1;
  return at;
}
