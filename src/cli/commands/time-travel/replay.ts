import { CadreError } from '../../../core/error.ts';
import type { Recording } from '../../../core/recording/recording.ts';
import { randomIds } from '../../../engine/random-ids.ts';
import { assertOwnRun } from '../../../engine/recovery/imported-run.ts';
import type { Run } from '../../../engine/run.ts';
import { formatRerendering } from '../../../inspect/format/format-rerendering.ts';
import { safe } from '../../../inspect/format/text/layout.ts';
import { costText, countText, tokensText } from '../../../inspect/format/text/quantity-text.ts';
import { planReplay, type RecordedUse, type ReplayPlan } from '../../../inspect/rerender/plan-replay.ts';
import type { Rerendering } from '../../../inspect/rerender/rerendered-turn.ts';
import { readRecording } from '../../../models/replay/read-recording.ts';
import { closeInterrupted } from '../../runs/close-interrupted.ts';
import { driveRun } from '../../runs/drive-run.ts';
import { terminalBy } from '../../access/local-by.ts';
import type { ExitCode } from '../../exit-code.ts';
import { finishRun, interruptedText } from '../../runs/finish-run.ts';
import { findTurn } from '../../runs/find-turn.ts';
import { profilesFolder } from '../../options/profiles-folder.ts';
import { thisCommand } from '../../options/this-command.ts';
import { openReadingEngine } from '../../runs/reading-engine.ts';
import { openRecordedRun } from '../../runs/recorded-run.ts';
import { openRunSession } from '../../runs/run-session.ts';
import { jsonText } from '../../terminal/json-text.ts';
import { Interruption } from '../../terminal/interruption.ts';
import { openTerminal, type Terminal } from '../../terminal/terminal.ts';
import { watchMode, watchRun } from '../../terminal/watcher.ts';
import { askOnTerminal } from '../../trust/ask-on-terminal.ts';
import type { RunOptions } from '../running/run.ts';

/** Options of `replay`. */
export interface ReplayCommandOptions extends RunOptions {
  /** The first turn that may differ. */
  readonly from?: string;
  readonly stop?: boolean;
  /** Recording that answers instead of models and tools. */
  readonly recording?: string;
  readonly runUnsafeTools?: boolean;
}

interface Planned {
  readonly plan: ReplayPlan;
  readonly result: Rerendering;
  readonly recorded: Awaited<ReturnType<typeof readSource>>;
}

/**
 * Replays a recorded run with other profiles: turns whose prompt is the same take their recorded answer; from the first one that differs on,
 * a fork calls the model. With `--stop`, only says where that is.
 */
export async function replayCommand(reference: string, options: ReplayCommandOptions): Promise<ExitCode> {
  const terminal = openTerminal(options);
  if (options.stop === true && options.recording !== undefined)
    throw new CadreError(
      'OPTION_INVALID',
      '--stop starts nothing, so that --recording has nothing to answer: leave out one of them',
    );
  // Read first: a file that is missing or damaged starts nothing.
  const answers = options.recording === undefined ? undefined : await readRecording(options.recording);
  const { plan, result, recorded } = await plannedReplay(reference, options);
  if (plan.first === undefined || options.stop === true) return tellPlan(terminal, plan, result, options);
  if (options.quiet !== true && options.json !== true) terminal.tell(planText(plan));
  // With a recording, no tool runs.
  if (answers === undefined) await agreeToUnsafeTools(terminal, result, options);
  return await replayFrom(terminal, plan, { ...recorded, answers }, options);
}

async function plannedReplay(reference: string, options: ReplayCommandOptions): Promise<Planned> {
  const recorded = await readSource(reference, options);
  await using reading = await openReadingEngine(options.store);
  const result = await reading.engine.rerender(recorded.runId, { profiles: profilesFolder(options.profiles) });
  return { result, recorded, plan: planReplay(recorded.events, result, recorded.from) };
}

async function readSource(reference: string, { store, from }: ReplayCommandOptions) {
  using run = await openRecordedRun(store, reference);
  const { meta } = run.state;
  assertOwnRun(meta);
  const turnId = from === undefined ? undefined : findTurn(run.state, from);
  return { runId: meta.runId, meta, events: run.events, from: turnId };
}

/** Says where the replay leaves the record, and starts nothing; 1 when it does. */
function tellPlan(terminal: Terminal, plan: ReplayPlan, result: Rerendering, { json }: ReplayCommandOptions): ExitCode {
  const { first, kept } = plan;
  const code = first === undefined ? 0 : 1;
  if (json === true) {
    terminal.print(`${jsonText({ ...plan, unsafeTools: result.runs[0]?.unsafeTools ?? [] }, 2)}\n`);
    return code;
  }
  if (first === undefined)
    terminal.print(`${countText(kept, 'turn')}, no difference: every turn keeps its recorded answer, and nothing is replayed.\n`);
  else
    terminal.print(
      `${planText(plan)}${formatRerendering({ ...result, where: [], differences: [first] }, { style: terminal.outStyle })}`,
    );
  return code;
}

function planText({ kept, first, recorded, recordedAnswers }: ReplayPlan): string {
  if (first === undefined) return '';
  const again = recordedAnswers.length > 0 ? ', which is decided again on its recorded answer' : '';
  return (
    `${countText(kept, 'turn')} ${kept === 1 ? 'keeps its' : 'keep their'} recorded answers. The first that differs is ${safe(first.turnId)} (${safe(first.parts.join(', '))})${again}.\n` +
    `From there the recorded run took ${useText(recorded)}; a replay may take more or less.\n`
  );
}

function useText({ turns, inputTokens, outputTokens, cost }: RecordedUse): string {
  return `${countText(turns, 'model call')}: ${tokensText(inputTokens, outputTokens)} tokens, ${costText(cost)}`;
}

/** Unsafe tools run again only when a person agrees; without a terminal to ask on, the option must say so. */
async function agreeToUnsafeTools(terminal: Terminal, { runs }: Rerendering, options: ReplayCommandOptions): Promise<void> {
  const tools = runs.flatMap(({ unsafeTools }) => unsafeTools);
  if (tools.length === 0 || options.runUnsafeTools === true) return;
  const names = safe(tools.join(', '));
  const question = `Agents of these profiles may call tools whose effects cannot be taken back: ${names}.\nRun them again? [y/N] `;
  if (terminal.isInteractive && options.json !== true && (await askOnTerminal(question))) return;
  throw new CadreError(
    'OPTION_INVALID',
    `nothing was replayed: agents of these profiles may call tools whose effects cannot be taken back (${names}). Allow that with --run-unsafe-tools, or see only where the runs part with --stop`,
  );
}

async function replayFrom(
  terminal: Terminal,
  { first, recordedAnswers }: ReplayPlan,
  { runId: from, meta, answers }: Planned['recorded'] & { readonly answers: Recording | undefined },
  options: ReplayCommandOptions,
): Promise<ExitCode> {
  using interruption = new Interruption();
  const profiles = profilesFolder(options.profiles);
  const forkId = randomIds.runId();
  await using session = await openRunSession({
    ...options,
    profiles,
    runId: from,
    forkId,
    recorded: meta,
    ...(answers === undefined ? {} : { replay: { ...answers, find: 'prompt' } }),
  });
  const mode = watchMode(terminal, options);
  const { engine } = session;
  const run = await engine.fork(from, {
    runId: forkId,
    profiles: 'current',
    recordedAnswers,
    ...terminalBy(),
    ...(first === undefined ? {} : { before: first.turnId }),
    ...(options.llm === undefined ? {} : { llmConfig: options.llm }),
  });
  interruption.exitMessage = interruptedText(run, options.store);
  session.beginReading();
  const watcher = watchRun(run, terminal, { mode, after: run.state.meta.parentRun?.at, reading: session.reading });
  const driven = await driveRun(run, { terminal, watcher, interruption, canAsk: mode !== 'json' });
  if (driven === 'interrupted') await closeInterrupted(run, session, terminal);
  const code = await finishRun(run, driven, { terminal, mode, store: options.store, raw: options.raw });
  if (answers !== undefined) terminal.tell(notRecordedText(run, answers.source, options));
  if (options.quiet !== true)
    terminal.tell(`${await takenText(run, recordedAnswers)}Compare: ${thisCommand(['compare', from, run.id], options.store)}\n`);
  return code;
}

/** Names the first turn that the recording does not answer, and what to do; empty when it answered all. */
function notRecordedText(run: Run, source: string, { store }: ReplayCommandOptions): string {
  const turn = run
    .turns()
    .find(({ error, toolInteractions }) =>
      [error?.code, ...toolInteractions.map((call) => call.error?.code)].includes('REPLAY_MISMATCH'),
    );
  if (turn === undefined) return '';
  const again = thisCommand(['fork', run.id, '--before', turn.turnId], store);
  return (
    `The replay stopped in turn ${safe(turn.turnId)}, which ${safe(source)} does not answer. ` +
    `Ask the model from there: ${again}\nThen record that run: ${thisCommand(['record', 'last', '-o', 'FILE'], store)}\n`
  );
}

/** What the replay itself took: its own model calls, without the copied and the recorded ones. */
async function takenText(run: Run, recordedAnswers: readonly string[]): Promise<string> {
  let use: RecordedUse = { turns: 0, inputTokens: 0, outputTokens: 0, cost: 0 };
  for (const { turnId, usage, attempts } of run.turns()) {
    const state = run.fullState().turns.get(turnId);
    if ((state?.start.seq ?? 0) <= (run.state.meta.parentRun?.at ?? 0) || recordedAnswers.includes(turnId) || attempts.length === 0)
      continue;
    use = {
      turns: use.turns + 1,
      inputTokens: use.inputTokens + (usage.inputTokens ?? 0),
      outputTokens: use.outputTokens + (usage.outputTokens ?? 0),
      cost: use.cost === null || state?.modelEnd?.cost === undefined ? null : use.cost + state.modelEnd.cost,
    };
  }
  return `The replay took ${useText(use)}.\n`;
}
