import { CadreError } from '../../../core/error.ts';
import type { JsonValue } from '../../../core/json.ts';
import type { ForkEdit } from '../../../engine/launch/fork-edit.ts';
import { profilesFolder } from '../../options/profiles-folder.ts';
import { type RestateFlags, restateOf } from '../../options/restate-option.ts';
import { assertOwnRun } from '../../../engine/recovery/imported-run.ts';
import { randomIds } from '../../../engine/random-ids.ts';
import { safe } from '../../../inspect/format/text/layout.ts';
import { closeInterrupted } from '../../runs/close-interrupted.ts';
import { driveRun } from '../../runs/drive-run.ts';
import { terminalBy } from '../../access/local-by.ts';
import type { ExitCode } from '../../exit-code.ts';
import { findTurn } from '../../runs/find-turn.ts';
import { finishRun, interruptedText } from '../../runs/finish-run.ts';
import { Interruption } from '../../terminal/interruption.ts';
import { openRecordedRun, type RecordedRun } from '../../runs/recorded-run.ts';
import { openTerminal } from '../../terminal/terminal.ts';
import { watchMode, watchRun } from '../../terminal/watcher.ts';
import { openRunSession } from '../../runs/run-session.ts';
import type { RunOptions } from './run.ts';
import { readJson } from '../../../core/read-json.ts';

/** Options of `fork` alone. */
export interface ForkCommandOptions extends RunOptions, RestateFlags {
  /** Sequence number, or turn, after which the fork begins. */
  readonly at?: string;
  /** Turn that the fork takes again. */
  readonly before?: string;
  readonly editMessage?: readonly string[];
  readonly editResult?: readonly string[];
  readonly set?: readonly string[];
}

/** Forks a run, sends the words as a message when there are any, and drives the fork until it has nothing left to do. */
export async function forkCommand(reference: string, words: readonly string[], options: ForkCommandOptions): Promise<ExitCode> {
  const terminal = openTerminal(options);
  using interruption = new Interruption();
  const edits = forkEdits(options);
  const { from, files, at, before, recorded } = await readForkSource(reference, options);
  const profiles = options.profiles === undefined ? { files } : profilesFolder(options.profiles);
  const forkId = randomIds.runId();
  const runtime = await restateOf(options);
  await using session = await openRunSession({ ...options, profiles, runId: from, forkId, recorded, runtime });
  const mode = watchMode(terminal, options);
  const { engine } = session;
  const run = await engine.fork(from, {
    runId: forkId,
    ...terminalBy(),
    ...(at === undefined ? {} : { at }),
    ...(before === undefined ? {} : { before }),
    ...(edits.length === 0 ? {} : { edits }),
    ...(options.profiles === undefined ? {} : { profiles: 'current' as const }),
    ...(options.llm === undefined ? {} : { llmConfig: options.llm }),
    ...(words.length === 0 ? {} : { message: words.join(' ') }),
  });
  interruption.exitMessage = interruptedText(run, options.store);
  terminal.tell(`Run ${safe(run.id)} goes on from event ${String(run.state.meta.parentRun?.at)} of ${safe(from)}.\n`);
  session.beginReading();
  const watcher = watchRun(run, terminal, { mode, after: run.state.meta.parentRun?.at, reading: session.reading });
  const driven = await driveRun(run, { terminal, watcher, interruption, canAsk: mode !== 'json' });
  if (driven === 'interrupted') await closeInterrupted(run, session, terminal);
  return await finishRun(run, driven, { terminal, mode, store: options.store, raw: options.raw });
}

async function readForkSource(reference: string, { store, at, before }: ForkCommandOptions) {
  using recorded = await openRecordedRun(store, reference);
  const { meta } = recorded.state;
  assertOwnRun(meta);
  return {
    from: meta.runId,
    files: recorded.files,
    recorded: meta,
    at: at === undefined ? undefined : forkPoint(recorded, at),
    before: before === undefined ? undefined : findTurn(recorded.state, before),
  };
}

/** Returns the sequence number that an argument refers to: the number itself, or the end of a turn. */
function forkPoint({ state, events }: RecordedRun, at: string): number {
  if (/^[1-9]\d*$/.test(at)) return Number(at);
  const turnId = findTurn(state, at);
  const end = events.find((event) => event.type === 'turn.end' && event.turnId === turnId);
  if (end !== undefined) return end.seq;
  throw new CadreError('OPTION_INVALID', `turn ${turnId} has not ended; fork at one that has, or at a sequence number`);
}

/** Reads the edits of the command line. */
function forkEdits({ editMessage = [], editResult = [], set = [] }: ForkCommandOptions): readonly ForkEdit[] {
  return [
    ...editMessage.map((text): ForkEdit => {
      const { name, value } = assignment('--edit-message', text, 'ITEM=TEXT');
      return { type: 'message', itemId: name, payload: value };
    }),
    ...editResult.map((text): ForkEdit => {
      const { name, value } = assignment('--edit-result', text, 'CALL=TEXT');
      return { type: 'result', callId: name, content: value };
    }),
    ...set.map((text): ForkEdit => {
      const { name, value } = assignment('--set', text, 'PATH=VALUE');
      const [agentId, ...keys] = name.split('.');
      // A path may begin with an agent's id, as in `cadre state`.
      const place = agentId !== undefined && /_\d+$/.test(agentId) ? { agentId, path: keys.join('.') } : { path: name };
      return { type: 'state', ...place, ...(value === '' ? {} : { value: jsonOrText(value) }) };
    }),
  ];
}

function assignment(option: string, text: string, form: string): { readonly name: string; readonly value: string } {
  const at = text.indexOf('=');
  if (at > 0) return { name: text.slice(0, at).trim(), value: text.slice(at + 1) };
  throw new CadreError('OPTION_INVALID', `${option} takes ${form}, not '${text}'`);
}

/** A value as JSON; anything else is a text. */
function jsonOrText(text: string): JsonValue {
  try {
    return readJson(text) as JsonValue;
  } catch {
    return text;
  }
}
