import { cleanText } from '../../../core/untrusted/clean-outside.ts';

// A sequence for a terminal: a string (OSC, DCS, SOS, PM, APC) up to its end, else up to the end of the line; then CSI, then short escapes.
const sequences =
  // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
  /(?:\x1b[\]PX^_]|[\x9d\x90\x98\x9e\x9f])[^\x07\x1b\x9c\n]*(?:\x07|\x1b\\|\x9c)?|(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?|\x1b[ -/]*[0-~]?/g;

/** Controls that are left, but tabs and line feeds; and changes of direction, which move text in any reader. */
// oxlint-disable-next-line no-control-regex -- control characters are what is looked for
const controls = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/g;

/**
 * Makes untrusted text safe for a pipe, behind which a terminal may stand (`| tail`): escape sequences (OSC 52 writes to the clipboard),
 * control, direction and invisible characters are left out. Words, tabs and line feeds stay; `\r\n` becomes a line feed.
 */
export function toPipedText(text: string): string {
  return cleanText(text.replaceAll('\r\n', '\n').replace(sequences, '').replace(controls, '')).value;
}
