import { cleanText } from '../../../core/untrusted/clean-outside.ts';

// A sequence for a terminal: a string (OSC, DCS, SOS, PM, APC) up to its end, else up to the end of the line; then CSI, then short escapes.
const sequences =
  // oxlint-disable-next-line no-control-regex -- control characters are the target
  /(?:\x1b[\]PX^_]|[\x9d\x90\x98\x9e\x9f])[^\x07\x1b\x9c\n]*(?:\x07|\x1b\\|\x9c)?|(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?|\x1b[ -/]*[0-~]?/g;

/** Remaining control characters except tabs and line feeds, and direction changes, which move text in any reader. */
// oxlint-disable-next-line no-control-regex -- control characters are the target
const controls = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/g;

/**
 * Makes untrusted text safe for a pipe that may end at a terminal (`| tail`): removes escape sequences (OSC 52 writes to the
 * clipboard) and control, direction and invisible characters. Words, tabs and line feeds stay; `\r
 * ` becomes a line feed.
 */
export function toPipedText(text: string): string {
  return cleanText(text.replaceAll('\r\n', '\n').replace(sequences, '').replace(controls, '')).value;
}
