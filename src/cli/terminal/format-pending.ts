import { createHash } from 'node:crypto';
import type { PendingRequest } from '../../core/state/pending.ts';
import { toTerminalText } from '../../inspect/format/terminal-text.ts';
import { deadlineText, scopeText } from '../../inspect/format/request-text.ts';
import { plainStyle, type FormatOptions } from '../../inspect/format/text-style.ts';
import { safe } from '../../inspect/format/layout.ts';
import { approvalFacts } from '../../inspect/approval-text.ts';
import { lookAlikes } from '../../inspect/look-alikes.ts';
import { choicesOf } from '../../inspect/read-answer.ts';
import { thisCommand } from '../options/this-command.ts';

/** How one request is shown. */
export interface RequestFormat extends FormatOptions {
  /** Wall time in milliseconds since 1970: how long somebody has left to decide. */
  readonly now: number;
}

/** How requests are shown: with `runId`, each with the commands that answer it. */
export interface PendingFormat extends RequestFormat {
  readonly runId?: string;
  readonly store?: string | undefined;
}

/** Renders what waits for a person, and the commands that answer it. */
export function formatPending(requests: readonly PendingRequest[], format: PendingFormat): string {
  return requests.map((request) => `${formatRequest(request, format)}${answerCommands(request, format)}`).join('\n');
}

/**
 * Renders one request from what the engine knows of it: the arguments in full, escaped, with their SHA-256, so that
 * nothing a model writes can look like something else or stay hidden (FAULTS S9).
 */
export function formatRequest(request: PendingRequest, { style = plainStyle, now }: RequestFormat): string {
  const args = JSON.stringify(request.args, null, 2);
  const what =
    request.kind === 'approval'
      ? `wants to call ${style.bold(safe(request.tool))}`
      : request.tool === ''
        ? 'waits: its profile asks what to do'
        : `asks a question (${safe(request.tool)})`;
  const digest = createHash('sha256').update(JSON.stringify(request.args)).digest('hex');
  const lines = [
    `${style.yellow(request.kind)} ${style.bold(safe(request.id))}: ${request.path.map((id) => safe(id)).join(' → ')} ${what}`,
    ...(request.message === undefined ? [] : indented(request.message)),
    ...(request.kind === 'approval' || Object.keys(request.args).length > 0
      ? [style.dim('  with the arguments'), ...indented(args), style.dim(`  sha256 ${digest}`)]
      : []),
    ...approvalFacts(request).map(({ text, isWarning }) => (isWarning ? style.yellow : style.dim)(`  ${safe(text)}`)),
    ...lookAlikes(`${request.tool} ${args}`).map((word) => style.yellow(`  looks like another word: ${safe(word)}`)),
    ...numberedChoices(request),
    ...[scopeText(request, safe)].flatMap((scope) => (scope === undefined ? [] : [style.dim(`  always: ${scope}`)])),
    ...[deadlineText(request, now)].flatMap((deadline) => (deadline === undefined ? [] : [style.yellow(`  ${deadline}`)])),
  ];
  return `${lines.join('\n')}\n`;
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

function answerCommands(request: PendingRequest, { runId, store, now }: PendingFormat): string {
  const { kind, id, expiresAt } = request;
  const hasChoices = choicesOf(request).length > 0;
  if (runId === undefined) return '';
  if (expiresAt !== undefined && expiresAt <= now) return `  ${thisCommand(['resume', runId], store)}\n`;
  const commands =
    kind === 'approval'
      ? [
          `${thisCommand(['approve', runId, id], store)} [--edit '{…}' | --always]`,
          `${thisCommand(['reject', runId, id], store)} --message 'why'`,
        ]
      : [`${thisCommand(['answer', runId, id], store)} '${hasChoices ? 'its number, or the answer' : 'the answer'}'`];
  return commands.map((command) => `  ${command}\n`).join('');
}
