/** Stands in a recording where the run's own id stood, and a time of day. */
export const runMark = '«run»';
const timeMark = '«time»';

// Instants as ISO text, and as milliseconds since 1970 (13 digits, since 2001).
const instant = /\b(?:\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z|1\d{12})(?!\d)/g;

// The nonces of frames around text from outside, also where the text is quoted in JSON.
const nonce = / nonce=(\\*)"[\w-]{1,40}\1"/g;

/**
 * Makes the function that takes out of a text what differs from run to run: the run's id, instants as programs write them, and the
 * nonces of frames.
 */
export function plainTextOf(runId: string): (text: string) => string {
  const id = idPattern(runId);
  return (text) => text.replace(id, runMark).replace(instant, timeMark).replace(nonce, '');
}

/** Finds a run's id where it stands alone, not as a part of a longer word. */
export function idPattern(runId: string): RegExp {
  return new RegExp(`(?<![A-Za-z0-9_-])${RegExp.escape(runId)}(?![A-Za-z0-9_-])`, 'g');
}
