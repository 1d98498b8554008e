import { contentText } from '../../core/prompt/message.ts';
import type { TurnState } from '../../core/state/turn-state.ts';

/** Longest arguments and results of a call that a report shows. */
const shownChars = 200;

/** Describes a turn's calls and their results for people, one line per call. */
export function callLines(turn: TurnState | undefined): readonly string[] {
  return (turn?.calls ?? []).map(
    ({ request, end }) =>
      `- ${request.name}(${clipped(JSON.stringify(request.args ?? {}))}) → ${clipped(end === undefined ? 'no result' : contentText(end.content))}`,
  );
}

/** A text as one line of at most 200 characters. */
export function clipped(text: string): string {
  const line = text.replace(/\s+/g, ' ');
  return line.length <= shownChars ? line : `${line.slice(0, shownChars).toWellFormed()}…`;
}
