import { createHash } from 'node:crypto';
import type { PendingRequest } from '../engine/pending.ts';
import { toTerminalText } from '../inspector/format/terminal-text.ts';
import { plainStyle, type FormatOptions } from '../inspector/format/text-style.ts';
import { safe } from '../inspector/format/layout.ts';
import { thisCommand } from './this-command.ts';

/** How requests are shown: with `runId`, each with the commands that answer it. */
export interface PendingFormat extends FormatOptions {
  readonly runId?: string;
  readonly store?: string | undefined;
}

/** Renders what waits for a person, and the commands that answer it. */
export function formatPending(requests: readonly PendingRequest[], format: PendingFormat = {}): string {
  return requests.map((request) => `${formatRequest(request, format)}${answerCommands(request, format)}`).join('\n');
}

/**
 * Renders one request from what the engine knows of it: the arguments in full, escaped, with their SHA-256, so that
 * nothing a model writes can look like something else or stay hidden (FAULTS S9).
 */
export function formatRequest(request: PendingRequest, { style = plainStyle }: FormatOptions = {}): string {
  const args = JSON.stringify(request.args, null, 2);
  const what =
    request.kind === 'approval'
      ? `wants to call ${style.bold(safe(request.tool))}`
      : request.tool === ''
        ? 'gets nowhere, and its profile asks what to do'
        : `asks a question (${safe(request.tool)})`;
  const digest = createHash('sha256').update(JSON.stringify(request.args)).digest('hex');
  const lines = [
    `${style.yellow(request.kind)} ${style.bold(safe(request.id))}: ${request.path.map((id) => safe(id)).join(' → ')} ${what}`,
    ...(request.message === undefined ? [] : indented(request.message)),
    ...(request.kind === 'approval' ? [style.dim('  with the arguments'), ...indented(args), style.dim(`  sha256 ${digest}`)] : []),
    ...choicesOf(request),
  ];
  return `${lines.join('\n')}\n`;
}

function indented(text: string): readonly string[] {
  return toTerminalText(text, { maxLine: 1_000_000, maxLines: 1_000_000 })
    .split('\n')
    .map((line) => `    ${line}`);
}

function choicesOf({ schema }: PendingRequest): readonly string[] {
  const choices = schema?.['enum'];
  return Array.isArray(choices) ? [`  choices: ${choices.map((choice) => safe(JSON.stringify(choice))).join(', ')}`] : [];
}

function answerCommands({ kind, id }: PendingRequest, { runId, store }: PendingFormat): string {
  if (runId === undefined) return '';
  const commands =
    kind === 'approval'
      ? [thisCommand(['approve', runId, id], store), `${thisCommand(['reject', runId, id], store)} --message 'why'`]
      : [`${thisCommand(['answer', runId, id], store)} 'the answer'`];
  return commands.map((command) => `  ${command}\n`).join('');
}
