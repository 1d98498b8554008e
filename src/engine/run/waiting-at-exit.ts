import { type PendingRequest, pendingOf } from '../../core/state/pending.ts';
import { toTerminalLine } from '../../inspect/format/text/terminal-text.ts';
import type { Run } from '../run.ts';

/** Returns the runs that an engine currently advances. */
type LiveRunsOf = () => Iterable<Run>;

// Not state of a run: engines of this process that advance runs, consulted when it is about to exit.
const engines = new Set<LiveRunsOf>();
// Not state of a run: requests already printed, as `run request`; printing may wake the process once more.
const written = new Set<string>();

/**
 * Makes the process print the requests that wait for people when it is about to exit with nothing left to do: waiting for a person keeps no
 * process alive, so `await run.result` would end it (with code 13) silently. The returned function stops that.
 */
export function watchExit(runs: LiveRunsOf): () => void {
  if (engines.size === 0) process.on('beforeExit', writeWaiting).on('exit', writeIdle);
  engines.add(runs);
  return () => {
    engines.delete(runs);
    if (engines.size === 0) process.off('beforeExit', writeWaiting).off('exit', writeIdle);
  };
}

/** Exit code of Node for a program that still awaits a promise at its top level. */
const awaitsStill = 13;

/** Prints runs that wait for a message, but only when the program awaits them: otherwise that is an ordinary exit. */
function writeIdle(code: number): void {
  if (code !== awaitsStill) return;
  for (const runs of engines)
    for (const { id, state } of runs())
      if (state.status === 'awaiting' && pendingOf(state).length === 0)
        process.stderr.write(`${toTerminalLine(idleLine(id), 2_000)}\n`);
}

function idleLine(runId: string): string {
  const quoted = JSON.stringify(runId);
  return (
    `cadre: the process has nothing left to do and ends while run ${runId} waits for a message before it ends. ` +
    `Send one with run.send(…), end the run with run.cancel(), or await run.settled() in place of run.result. ` +
    `If the journal is on disk, engine.resume(${quoted}) goes on with the run.`
  );
}

function writeWaiting(): void {
  for (const runs of engines)
    for (const run of runs())
      for (const request of pendingOf(run.state)) {
        const key = `${run.id} ${request.id}`;
        if (written.has(key)) continue;
        written.add(key);
        process.stderr.write(`${toTerminalLine(waitingLine(run.id, request), 2_000)}\n`);
      }
}

function waitingLine(runId: string, { id, kind, agentId, tool, message }: PendingRequest): string {
  const quoted = JSON.stringify(id);
  const what =
    kind === 'approval'
      ? `approval of call ${id} of '${tool}' by agent ${agentId}; decide with run.approve(${quoted}) or run.reject(${quoted})`
      : `an answer to ${id} by agent ${agentId}${message === undefined ? '' : ` (${message.slice(0, 200)})`}; answer with run.answer(${quoted}, …)`;
  return (
    `cadre: the process has nothing left to do and ends while run ${runId} waits for ${what} before it ends. ` +
    `If the journal is on disk, engine.resume(${JSON.stringify(runId)}) goes on with the run.`
  );
}
