import type { Run } from '../../engine/run.ts';
import { board } from '../../inspect/board.ts';
import { formatBoard } from '../../inspect/format/format-board.ts';
import { formatTree } from '../../inspect/format/format-tree.ts';
import { formatTurnList } from '../../inspect/format/format-turn-list.ts';
import { safe } from '../../inspect/format/text/layout.ts';
import type { FormatOptions } from '../../inspect/format/text/text-style.ts';
import { tree } from '../../inspect/tree.ts';
import { formatAnswers } from '../terminal/format-answers.ts';
import { turnList } from '../../inspect/turn-list.ts';

/** Command typed as a line that begins with `/`. */
export type ChatCommand =
  | { readonly kind: 'quit' }
  | { readonly kind: 'help' }
  | { readonly kind: 'agents' | 'board' | 'turns' }
  | { readonly kind: 'why'; readonly text: string }
  | { readonly kind: 'now'; readonly text: string }
  | { readonly kind: 'unknown'; readonly name: string };

/** Parses a line of a conversation; undefined for a message. A line that begins with `//` is a message without its first slash. */
export function readChatCommand(line: string): ChatCommand | undefined {
  const found = /^\/([a-z]*)(?:\s+(.*))?$/is.exec(line.trim());
  if (found === null) return undefined;
  const name = (found[1] ?? '').toLowerCase();
  switch (name) {
    case 'quit':
    case 'exit':
    case 'q':
      return { kind: 'quit' };
    case 'help':
      return { kind: 'help' };
    case 'agents':
    case 'board':
    case 'turns':
      return { kind: name };
    case 'now':
    case 'why':
      return { kind: name, text: found[2]?.trim() ?? '' };
    default:
      return { kind: 'unknown', name };
  }
}

const chatHelp = `/agents       the team, with the status of each agent
/board        the work modules
/turns        the turns so far
/why TEXT     where a text of a prompt or reply came from
/now TEXT     send TEXT now, interrupting the model; other lines are read after its reply
/quit         leave and keep the run
//...         a message that begins with /
`;

/** Renders the answer to a command that inspects the run. */
export function answerChatCommand(
  command: Exclude<ChatCommand, { readonly kind: 'quit' | 'now' }>,
  run: Run | undefined,
  format: FormatOptions,
): string {
  if (command.kind === 'help') return chatHelp;
  if (command.kind === 'unknown') return `There is no command /${safe(command.name)}.\n${chatHelp}`;
  if (run === undefined) return 'There is no run yet: send a message first.\n';
  switch (command.kind) {
    case 'agents':
      return formatTree(tree(run.state), format);
    case 'board':
      return formatBoard(board(run.state), format);
    case 'turns':
      return formatTurnList(turnList(run.fullState()), format);
    case 'why':
      return command.text === '' ? 'Name the text to search for: /why TEXT\n' : whyText(run, command.text, format);
  }
}

/** Renders the provenance of a text in the newest turn that contains it. */
function whyText(run: Run, text: string, format: FormatOptions): string {
  const { turns } = run.fullState();
  for (const turnId of [...turns.keys()].toReversed()) {
    const answers = run.why(turnId, text);
    if (answers.length > 0) return formatAnswers(answers, format);
  }
  return `Not found: no prompt or reply of the ${turns.size} turns so far contains the text.\n`;
}
