import type { RunContext } from '../../core/state/run-context.ts';
import { countText, durationText, tokensText } from '../../inspect/format/text/quantity-text.ts';
import { safe } from '../../inspect/format/text/layout.ts';
import { formatMarkdown } from '../../inspect/format/text/format-markdown.ts';
import { toPipedText } from '../../inspect/format/text/piped-text.ts';
import { toTerminalText } from '../../inspect/format/text/terminal-text.ts';
import type { Run } from '../../engine/run.ts';
import { concludeRun } from '../../inspect/conclude.ts';
import type { Driven } from './drive-run.ts';
import type { ExitCode } from '../exit-code.ts';
import { formatPending } from '../terminal/format-pending.ts';
import { nextSteps } from '../terminal/next-steps.ts';
import { shownStore } from '../options/store-path.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { thisCommand } from '../options/this-command.ts';
import type { WatchMode } from '../terminal/watcher.ts';
import { jsonText } from '../terminal/json-text.ts';

/** Settings of `finishRun`. */
export interface FinishParts {
  readonly terminal: Terminal;
  readonly mode: WatchMode;
  /** Journal as the user named it. */
  readonly store: string | undefined;
  /** Prints the report without rendering Markdown. */
  readonly raw?: boolean | undefined;
  /** Text before the last lines; each line ends with a newline. */
  readonly closing?: string;
  /** True when workers advance the run: it goes on without this process. */
  readonly isOnWorkers?: boolean;
  /** True when the run was idle before and received nothing: its last report is not printed again. */
  readonly isUnchanged?: boolean;
}

/** Prints the result of a run, the report on stdout and everything else on stderr; returns the exit code. */
export async function finishRun(run: Run, driven: Driven, parts: FinishParts): Promise<ExitCode> {
  switch (driven) {
    case 'interrupted':
      return interrupted(run, parts);
    case 'pending':
      return await pending(run, parts);
    case 'settled':
      return settled(run, parts);
  }
}

function settled(run: Run, parts: FinishParts): ExitCode {
  const { terminal, mode } = parts;
  const { ok, text: said, problem } = concludeRun(run.state);
  const text = run.withKnowledge(said);
  if (mode === 'json') {
    printResult(run, terminal, { output: text, problem });
    return ok ? 0 : 1;
  }
  if (parts.isUnchanged === true && ok) {
    const say = `${thisCommand(['resume', run.id], parts.store)} "…"`;
    terminal.tell(`\nThere is nothing to do: run ${safe(run.id)} waits for a message. Send one with: ${say}\n`);
    return 0;
  }
  if (mode !== 'quiet') terminal.tell('\n');
  if (text.trim() !== '') terminal.print(reportText(text.trim(), parts));
  if (problem !== undefined) terminal.tell(`error: ${toTerminalText(problem, { maxLine: 2_000 })}\n`);
  if (mode !== 'quiet') terminal.tell(lastLines(run.state, parts));
  return ok ? 0 : 1;
}

/** Renders the report so that no text can steer a terminal, not even one at the end of a pipe. */
function reportText(text: string, { terminal, raw }: FinishParts): string {
  if (!terminal.isOutTerminal) return `${toPipedText(text)}\n`;
  if (raw === true) return `${toTerminalText(text, { maxLine: Infinity, maxLines: Infinity })}\n`;
  return formatMarkdown(text, { style: terminal.outStyle, width: terminal.outWidth });
}

async function pending(run: Run, { terminal, mode, store }: FinishParts): Promise<ExitCode> {
  if (mode === 'json') printResult(run, terminal, { output: run.withKnowledge(concludeRun(run.state).text) });
  else await reportPending(run, terminal, store);
  return 1;
}

/** Prints the pending requests of a run and the commands that decide them from any terminal. */
export async function reportPending(run: Run, terminal: Terminal, store: string | undefined): Promise<void> {
  const format = { style: terminal.errorStyle, width: terminal.errorWidth, now: Date.now(), runId: run.id, store };
  terminal.tell(
    `\nThe run waits for you, and this is not a terminal to ask on. Decide with:\n\n${formatPending(await run.cards(), format)}`,
  );
}

function interrupted(run: Run, { terminal, mode, store, isOnWorkers }: FinishParts): ExitCode {
  if (mode === 'json') printResult(run, terminal, { output: run.withKnowledge(concludeRun(run.state).text) });
  else terminal.tell(interruptedText(run, store, isOnWorkers === true ? 'tail' : 'resume'));
  return 130;
}

/** Returns the message for an interrupted run, with the command that continues it; `tail` for one that goes on at workers. */
export function interruptedText(run: Run, store: string | undefined, command: 'resume' | 'chat' | 'tail' = 'resume'): string {
  if (store === 'memory') return '\nInterrupted; the run was kept only in memory and is lost.\n';
  const next = thisCommand([command, run.id], store);
  return command === 'tail'
    ? `\nThe run goes on at its workers. Follow it with: ${next}\n`
    : `\nInterrupted; everything up to here is kept. Continue with: ${next}\n`;
}

/** Prints the result of the run as the last JSON line. */
function printResult(
  run: Run,
  terminal: Terminal,
  { output, problem }: { readonly output: string; readonly problem?: string | undefined },
): void {
  const { state } = run;
  const result = {
    type: 'result',
    runId: run.id,
    status: state.status,
    outcome: state.outcome ?? null,
    output,
    deliverables: state.deliverables,
    usage: state.usage,
    pending: run.pending,
    error: state.error ?? null,
    ...(problem !== undefined && state.error === undefined && { problem }),
  };
  terminal.print(`${jsonText(result)}\n`);
}

function lastLines(run: RunContext, { terminal, store, closing = '' }: FinishParts): string {
  const { errorStyle: style } = terminal;
  const { usage, counters } = run;
  const modules = Object.values(run.team.workModules);
  const facts = [
    durationText(run.at - run.meta.createdAt),
    countText(run.agents.size, 'agent'),
    ...(modules.length === 0
      ? []
      : [
          `${modules.filter((module) => module.status === 'completed').length} of ${countText(modules.length, 'work module')} completed`,
        ]),
    countText(counters.turns, 'turn'),
    countText(counters.toolCalls, 'tool call'),
    `${tokensText(usage.inputTokens, usage.outputTokens)} tokens`,
  ];
  const summary = `\n${style.dim(facts.join(', '))}\n${closing}`;
  if (store === 'memory')
    return `${summary}Run ${safe(run.meta.runId)} was kept only in memory and is lost; leave out --store memory to inspect runs afterwards.\n`;
  const commands = nextSteps(run, store).map((command) => `  ${style.cyan(safe(command, 400))}\n`);
  return `${summary}Run ${style.bold(safe(run.meta.runId))} is stored in ${shownStore(store)}; inspect it with:\n${commands.join('')}`;
}
