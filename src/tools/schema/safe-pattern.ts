import { RE2JS } from 're2js';

/** Longest pattern that is checked, in characters. */
const maxPatternChars = 2_000;
/** Most work, text length times program size, for one search: a fraction of a second. */
const maxWork = 20_000_000;

/** A pattern in the form Ajv expects; its text is the pattern, since Ajv caches compiled patterns by it. */
export interface SafePattern {
  test(text: string): boolean;
  toString(): string;
}

/**
 * Compiles a schema's `pattern` so that no text can make it run long (FAULTS P4): RE2 syntax, linear time. A pattern that RE2 cannot
 * express (look-around, back-references) or that is too long accepts everything; `onIgnored` gets the reason. A text far too long for the
 * pattern does not match.
 */
export function compileSafePattern(source: string, onIgnored: (warning: string) => void): SafePattern {
  const ignored = (why: string): SafePattern => {
    onIgnored(`the pattern ${shorten(source)} is not checked: ${why}`);
    return { test: () => true, toString: () => `ignored:${source}` };
  };
  if (source.length > maxPatternChars) return ignored(`it is longer than ${maxPatternChars} characters`);
  try {
    const regex = RE2JS.compile(RE2JS.translateRegExp(source));
    const size = regex.programSize();
    return { test: (text) => text.length * size <= maxWork && regex.test(text), toString: () => `re2:${source}` };
  } catch (thrown) {
    return ignored(thrown instanceof Error ? thrown.message : 'it cannot be compiled');
  }
}

function shorten(source: string): string {
  return JSON.stringify(source.length > 80 ? `${source.slice(0, 80)}…` : source);
}
