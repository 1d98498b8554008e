// More than arguments may have, with what stands around them.
const deepest = 200;

/**
 * Where the JSON value that begins with a bracket at `start` ends: the place behind its closing bracket, or -1 when it is not closed, or nested
 * deeper than arguments may be.
 * Brackets in strings do not count; with `loose`, single quotes make strings, too.
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

/** Parses JSON text; undefined when it is none. */
export function tryJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // What is no JSON is told to the model by whoever asked, with what was expected there.
    return undefined;
  }
}

/** The next place that is no white space. */
export function skipSpace(text: string, from: number): number {
  let at = from;
  while (at < text.length && text.charAt(at).trim() === '') at += 1;
  return at;
}
