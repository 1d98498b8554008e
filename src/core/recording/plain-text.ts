/** Replacements for the run's own id and for a time of day. */
export const runMark = '«run»';
const timeMark = '«time»';

// Instants as ISO text, and as milliseconds since 1970 (13 digits, since 2001).
const instant = /\b(?:\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z|1\d{12})(?!\d)/g;

// Nonces of frames around untrusted text, also quoted in JSON.
const nonce = / nonce=(\\*)"[\w-]{1,40}\1"/g;

/**
 * Creates the function that removes the differences between runs from a text: the run's id, instants as programs write them,
 * and the nonces of frames.
 */
export function plainTextOf(runId: string): (text: string) => string {
  const id = idPattern(runId);
  return (text) => text.replace(id, runMark).replace(instant, timeMark).replace(nonce, '');
}

/** Creates a pattern for a run's id as a whole word. */
export function idPattern(runId: string): RegExp {
  return new RegExp(`(?<![A-Za-z0-9_-])${RegExp.escape(runId)}(?![A-Za-z0-9_-])`, 'g');
}
