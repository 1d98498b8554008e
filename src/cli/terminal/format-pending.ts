import type { PendingRequest } from '../../core/state/pending.ts';
import { ownApprovalGate } from '../../core/tool/wait-for.ts';
import { toTerminalText } from '../../inspect/format/text/terminal-text.ts';
import { plainStyle, type FormatOptions, type TextStyle } from '../../inspect/format/text/text-style.ts';
import { safe } from '../../inspect/format/text/layout.ts';
import { lookAlikes } from '../../inspect/look-alikes.ts';
import { rightToLeft } from '../../inspect/requests/card-fields.ts';
import { effectWords } from '../../inspect/requests/effect-words.ts';
import { bareCard, type RequestCard } from '../../inspect/requests/request-card.ts';
import { contentLines } from './format-card.ts';
import { choicesOf } from '../../inspect/read-answer.ts';
import { textWidth } from '../../inspect/format/text/text-width.ts';
import { wrapLine } from '../../inspect/format/text/wrap-line.ts';
import { thisCommand } from '../options/this-command.ts';
import { deadlineText, scopeText } from '../../inspect/format/turn/request-text.ts';

/** Format of one pending request. */
export interface RequestFormat extends FormatOptions {
  /** Wall time in milliseconds since 1970, for the time left to decide. */
  readonly now: number;
}

/** Format of pending requests; with `runId`, each lists the commands that answer it. */
export interface PendingFormat extends RequestFormat {
  readonly runId?: string;
  readonly store?: string | undefined;
}

/** Renders pending requests and the commands that answer them. */
export function formatPending(requests: readonly (PendingRequest | RequestCard)[], format: PendingFormat): string {
  return requests.map((request) => `${formatRequest(request, format)}${answerCommands(request, format)}`).join('\n');
}

/**
 * Renders the card of one request: everything in full, escaped, with the SHA-256 of the arguments, so that text written by a model can
 * neither pose as something else nor stay hidden (FAULTS S9). A request without its card is shown without what the record says about it.
 */
export function formatRequest(request: PendingRequest | RequestCard, { style = plainStyle, width, now }: RequestFormat): string {
  const card = 'fields' in request ? request : bareCard(request);
  const { effect, gate, message, taint = [], tool } = card;
  const what = {
    call: `wants to call ${style.bold(safe(tool))}`,
    tool: `asks a question (${safe(tool)})`,
    profile: 'waits for your decision at a checkpoint of its profile',
  }[card.asks];
  const asks = gate === undefined || gate.id === ownApprovalGate ? '' : `, asked by gate ${safe(gate.id)} of ${safe(gate.profile)}`;
  const lines = [
    `${style.yellow(card.kind)} ${style.bold(safe(card.id))}: ${card.path.map((id) => safe(id)).join(' → ')} ${what}`,
    ...(card.turnId === '' ? [] : [style.dim(`  in turn ${safe(card.turnId)}${asks}`)]),
    ...(effect === undefined ? [] : [(effect === 'unsafe' ? style.yellow : style.dim)(`  ${effect}: ${effectWords[effect]}`)]),
    ...(message === undefined ? [] : indented(message)),
    ...(taint.length === 0 ? [] : [style.yellow(`  it quotes untrusted text of ${taint.map((from) => safe(from)).join(', ')}`)]),
    ...card.facts.map(({ text, isWarning }) => (isWarning ? style.yellow : style.dim)(`  ${safe(text)}`)),
    ...contentLines(card, style),
    ...lookAlikes(tool).map((word) => style.yellow(`  mixes letters of several scripts: ${safe(word)}`)),
    ...numberedChoices(card),
    ...[scopeText(card, safe)].flatMap((scope) => (scope === undefined ? [] : [style.dim(`  always: ${scope}`)])),
    ...[deadlineText(card, now)].flatMap((deadline) => (deadline === undefined ? [] : [style.yellow(`  ${deadline}`)])),
  ];
  return `${lines
    .flatMap((line) => fitted(line, width, style))
    .map(isolated)
    .join('\n')}\n`;
}

/** Wraps a line; continuation lines carry a mark, so that no argument can pose as a line of the request (FAULTS S9). */
function fitted(line: string, width: number | undefined, style: TextStyle): readonly string[] {
  const indent = /^ */u.exec(line)?.[0] ?? '';
  return width === undefined
    ? [line]
    : wrapLine(line.slice(indent.length), { width, first: indent, rest: `${indent}${style.dim('↪')} ` });
}

/** Keeps letters that are written from right to left from moving the text around them: the whole line reads from left to right. */
function isolated(line: string): string {
  return rightToLeft.test(line) ? `\u2066${line}\u2069` : line;
}

function indented(text: string): readonly string[] {
  return toTerminalText(text, { maxLine: Infinity, maxLines: Infinity })
    .split('\n')
    .map((line) => `    ${line}`);
}

function numberedChoices(request: PendingRequest): readonly string[] {
  return choicesOf(request).map(
    (choice, index) => `  ${index + 1}. ${safe(typeof choice === 'string' ? choice : JSON.stringify(choice))}`,
  );
}

function answerCommands(request: PendingRequest, { runId, store, now, width }: PendingFormat): string {
  const { kind, id, expiresAt } = request;
  const hasChoices = choicesOf(request).length > 0;
  if (runId === undefined) return '';
  if (expiresAt !== undefined && expiresAt <= now) return commandLines(thisCommand(['resume', runId], store), width);
  const commands =
    kind === 'approval'
      ? [
          `${thisCommand(['approve', runId, id], store)} [--edit '{…}' | --always]`,
          `${thisCommand(['reject', runId, id], store)} --message 'why'`,
        ]
      : [`${thisCommand(['answer', runId, id], store)} '${hasChoices ? 'its number, or the answer' : 'the answer'}'`];
  return commands.map((command) => commandLines(command, width)).join('');
}

/** Renders a command; in a narrow window, breaks it between words, outside quotes, into lines that a shell reads as one. */
function commandLines(command: string, width: number | undefined): string {
  if (width === undefined || textWidth(command) + 2 <= width) return `  ${command}\n`;
  const words = command.match(/(?:\\.|'[^']*'|"[^"]*"|[^\s'"\\]|['"\\])+/gsu) ?? [];
  const lines: string[] = [];
  let line = ' ';
  for (const [index, word] of words.entries()) {
    const mark = index === words.length - 1 ? 0 : 2;
    if (line.trim() !== '' && textWidth(`${line} ${word}`) + mark > width) {
      lines.push(`${line} \\`);
      line = '   ';
    }
    line += ` ${word}`;
  }
  return `${[...lines, line].join('\n')}\n`;
}
