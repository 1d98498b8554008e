import { createHash } from 'node:crypto';
import type { PendingRequest } from '../../core/state/pending.ts';
import { toTerminalText } from '../../inspect/format/text/terminal-text.ts';
import { plainStyle, type FormatOptions, type TextStyle } from '../../inspect/format/text/text-style.ts';
import { safe } from '../../inspect/format/text/layout.ts';
import { approvalFacts } from '../../inspect/approval-text.ts';
import { lookAlikes } from '../../inspect/look-alikes.ts';
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
export function formatPending(requests: readonly PendingRequest[], format: PendingFormat): string {
  return requests.map((request) => `${formatRequest(request, format)}${answerCommands(request, format)}`).join('\n');
}

/**
 * Renders one request: the arguments in full, escaped, with their SHA-256, so that text written by a model can neither pose as
 * something else nor stay hidden (FAULTS S9).
 */
export function formatRequest(request: PendingRequest, { style = plainStyle, width, now }: RequestFormat): string {
  const args = JSON.stringify(request.args, null, 2);
  const what =
    request.kind === 'approval'
      ? `wants to call ${style.bold(safe(request.tool))}`
      : request.tool === ''
        ? 'waits for your decision at a checkpoint of its profile'
        : `asks a question (${safe(request.tool)})`;
  const digest = createHash('sha256').update(JSON.stringify(request.args)).digest('hex');
  const lines = [
    `${style.yellow(request.kind)} ${style.bold(safe(request.id))}: ${request.path.map((id) => safe(id)).join(' → ')} ${what}`,
    ...(request.message === undefined ? [] : indented(request.message)),
    ...(request.kind === 'approval' || Object.keys(request.args).length > 0
      ? [style.dim('  with the arguments'), ...indented(args), style.dim(`  sha256 ${digest}`)]
      : []),
    ...approvalFacts(request).map(({ text, isWarning }) => (isWarning ? style.yellow : style.dim)(`  ${safe(text)}`)),
    ...lookAlikes(`${request.tool} ${args}`).map((word) => style.yellow(`  mixes letters of several scripts: ${safe(word)}`)),
    ...numberedChoices(request),
    ...[scopeText(request, safe)].flatMap((scope) => (scope === undefined ? [] : [style.dim(`  always: ${scope}`)])),
    ...[deadlineText(request, now)].flatMap((deadline) => (deadline === undefined ? [] : [style.yellow(`  ${deadline}`)])),
  ];
  return `${lines.flatMap((line) => fitted(line, width, style)).join('\n')}\n`;
}

/** Wraps a line; continuation lines carry a mark, so that no argument can pose as a line of the request (FAULTS S9). */
function fitted(line: string, width: number | undefined, style: TextStyle): readonly string[] {
  const indent = /^ */u.exec(line)?.[0] ?? '';
  return width === undefined
    ? [line]
    : wrapLine(line.slice(indent.length), { width, first: indent, rest: `${indent}${style.dim('↪')} ` });
}

function indented(text: string): readonly string[] {
  return toTerminalText(text, { maxLine: 1_000_000, maxLines: 1_000_000 })
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
