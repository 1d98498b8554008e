import { CadreError } from '../../../core/error.ts';
import type { CadreEvent } from '../../../core/events/event.ts';
import type { ProfileSet } from '../../../core/profile/profile.ts';
import type { LaunchOptions } from '../../../engine/launch-options.ts';
import type { Run } from '../../../engine/run.ts';
import { stepsTaken } from '../../play/person-steps.ts';
import type { CheckTools, EvalSubject } from '../checks/eval-check.ts';
import { outputOf } from '../../expect/check-run.ts';
import { evalFacts } from '../checks/eval-facts.ts';
import type { CheckResult, EvalResult } from '../score/eval-result.ts';
import type { EvalSuite } from '../suite/eval-suite.ts';
import { driveRun, isFinished } from './drive-run.ts';
import { evalProject, judgeTitle, runTitle } from './eval-labels.ts';
import type { Attempts, EvalSession } from './eval-session.ts';
import { type EvalRecording, recordingKey } from './eval-recording.ts';
import type { EvalStop } from './eval-stop.ts';
import { askJudge } from './judge.ts';
import { makeChecks, scoreOf, statusOf } from './make-checks.ts';
import { type PlannedRun, runIds } from './planned-run.ts';
import { budgetLimits, type Spending } from './spending.ts';
import { whenFree } from './when-free.ts';

/** Parts of a case runner. */
export interface CaseRunnerParts {
  readonly suite: EvalSuite;
  readonly session: EvalSession;
  /** Profiles with a judge, by LLM config. */
  readonly judges: ReadonlyMap<string, ProfileSet>;
  readonly round: number;
  readonly spending: Spending;
  readonly stop: EvalStop;
  /** Runs again what ended in an error. */
  readonly retry: boolean;
  /** Opens a session for one run, which answers from a recording; without it, all runs share the session. */
  readonly replay?: ((key: string, planned: PlannedRun) => Promise<ReplaySession>) | undefined;
  /** Receives the recordings of all runs. */
  readonly record?: EvalRecording | undefined;
}

/** Session for one replayed run; disposing closes its engine. */
export interface ReplaySession extends AsyncDisposable {
  readonly session: EvalSession;
}

/** A run that is over, with what it was driven by. */
interface OverRun {
  readonly run: Run;
  readonly unusedSteps: number;
  readonly isRecorded: boolean;
  readonly session: EvalSession;
}

/** Makes the runs of an eval, or finds them in the journal, and checks them. */
export class CaseRunner {
  readonly #parts: CaseRunnerParts;
  readonly #idOf: ReturnType<typeof runIds>;
  /** Ids of the runs that were launched here. */
  readonly #launched = new Map<PlannedRun, string>();

  constructor(parts: CaseRunnerParts) {
    this.#parts = parts;
    this.#idOf = runIds(parts.suite.name, parts.round);
  }

  /** Finds planned runs in the journal, and notes what they have cost. */
  async lookUp(planned: readonly PlannedRun[]): Promise<readonly Attempts[]> {
    const { session, spending } = this.#parts;
    const found: Attempts[] = [];
    for (const each of planned) {
      const attempts = await session.attempts((attempt) => this.#idOf(each, attempt));
      found.push(attempts);
      if (attempts.latest === undefined) continue;
      const { runId, costAtLeast, costUnknown, inputTokens, outputTokens } = attempts.latest.summary;
      spending.add(runId, { costUsd: costAtLeast, isCostUnknown: costUnknown, tokens: inputTokens + outputTokens });
    }
    return found;
  }

  /** Makes one run, or takes the one of the journal, and checks it. A run that stops with the eval is unfinished. */
  async run(planned: PlannedRun, found: Attempts | undefined): Promise<EvalResult> {
    const { session, stop } = this.#parts;
    let known = found;
    try {
      return await whenFree(stop, async (isAgain) => {
        if (isAgain) known = await session.attempts((attempt) => this.#idOf(planned, attempt));
        return await this.#make(planned, known);
      });
    } catch (thrown) {
      if (stop.why === undefined && !(thrown instanceof CadreError && thrown.code === 'ENGINE_CLOSED')) throw thrown;
      return this.#unfinished(planned, this.#launched.get(planned) ?? found?.latest?.summary.runId);
    }
  }

  async #make(planned: PlannedRun, found: Attempts | undefined): Promise<EvalResult> {
    const known = found?.latest === undefined ? undefined : await this.#recorded(planned, found);
    if (known !== undefined) {
      const checked = await this.#check(planned, known);
      const isWorthAnother = checked.checks.some(({ kind, verdict }) => kind === 'run' && verdict === 'error');
      // What a recording could not answer has cost nothing and says nothing.
      const isFree = known.run.state.error?.code.startsWith('REPLAY_') === true;
      if (!(this.#parts.retry || isFree) || !isWorthAnother || !known.isRecorded) return checked;
    }
    await using place = await this.#place(recordingKey(planned), planned);
    return await this.#check(planned, await this.#launch(planned, found?.next ?? 1, place.session));
  }

  /** Takes a run of the journal, and goes on with it where it was interrupted. */
  async #recorded({ case: { people } }: PlannedRun, { latest }: Attempts): Promise<OverRun | undefined> {
    if (latest === undefined) return undefined;
    const { session } = this.#parts;
    const { runId, status } = latest.summary;
    const events = await session.engine.records.read(runId);
    const taken = stepsTaken(events, people);
    if (isFinished(status, events, people))
      return { run: await session.engine.open(runId), unusedSteps: people.length - taken, isRecorded: true, session };
    const run = await session.resume(runId);
    return { run, ...(await this.#drive(run, people, taken)), isRecorded: false, session };
  }

  async #place(key: string, planned: PlannedRun): Promise<ReplaySession> {
    const { replay, session } = this.#parts;
    return (await replay?.(key, planned)) ?? { session, [Symbol.asyncDispose]: async () => undefined };
  }

  async #launch(planned: PlannedRun, attempt: number, session: EvalSession): Promise<OverRun> {
    const { suite } = this.#parts;
    const { case: own, variant, set, profile } = planned;
    const limits = { ...budgetLimits(suite.budget), ...variant.limits, ...own.limits };
    const options: LaunchOptions = {
      limits,
      request: { ...own.request, ...variant.request },
      ...(variant.llm === undefined ? {} : { llmConfig: variant.llm }),
    };
    const title = runTitle(planned);
    const runId = this.#idOf(planned, attempt);
    const request = { profile, input: own.input, runId, title };
    const run = await session.launch(set, request, options).catch((thrown: unknown) => {
      throw launchError(title, thrown);
    });
    this.#launched.set(planned, run.id);
    await this.#fileUnderEval(session, run);
    return { run, ...(await this.#drive(run, own.people, 0)), isRecorded: false, session };
  }

  async #drive(run: Run, people: PlannedRun['case']['people'], taken: number): Promise<Pick<OverRun, 'unusedSteps'>> {
    const unwatch = this.#watch(run);
    try {
      return await driveRun(run, { people, taken, stop: this.#parts.stop });
    } finally {
      unwatch();
    }
  }

  /** Counts what a run uses while it goes on; the returned function ends that. */
  #watch(run: Run): () => void {
    const { spending, stop } = this.#parts;
    const unwatch = stop.watch(run);
    const unsubscribe = run.subscribe({ onEvents: () => spending.note(run.state) });
    return () => {
      spending.note(run.state);
      unsubscribe();
      unwatch();
    };
  }

  async #check(planned: PlannedRun, { run, unusedSteps, isRecorded, session }: OverRun): Promise<EvalResult> {
    const { case: own, variant, set } = planned;
    // Another process may have made it since the eval began.
    this.#parts.spending.note(run.state);
    const state = run.fullState();
    const events: readonly CadreEvent[] = await session.engine.records.read(run.id);
    const turns = run.turns();
    const facts = evalFacts(state, turns, { vars: own.vars, case: { name: own.name, input: own.input, variant: variant.name } });
    const content: EvalSubject['content'] = (hash) => session.engine.records.content(hash);
    const subject: EvalSubject = { facts, set, events, state, turns, content, unusedSteps };
    const checks = await makeChecks(own, subject, this.#tools(planned, run));
    await this.#parts.record?.add(recordingKey(planned), run);
    return { ...this.#resultOf(planned, run, checks), isRecorded };
  }

  #tools(planned: PlannedRun, run: Run): CheckTools {
    const { suite, judges, record, stop } = this.#parts;
    return {
      judge: async (question) => {
        const key = recordingKey(planned, question.key);
        await using place = await this.#place(key, planned);
        const { session } = place;
        return await askJudge(question, {
          session,
          stop,
          limits: budgetLimits(suite.budget),
          sets: judges,
          subject: run.id,
          title: judgeTitle(planned.case),
          file: async (judging) => await this.#fileUnderEval(session, judging),
          watch: (judging) => this.#watch(judging),
          onAnswer: async (judging) => await record?.add(key, judging),
        });
      },
    };
  }

  #resultOf({ case: own, variant, repeat }: PlannedRun, run: Run, checks: readonly CheckResult[]): Omit<EvalResult, 'isRecorded'> {
    const state = run.state;
    const facts = evalFacts(state, [], { vars: {}, case: { name: own.name, input: own.input, variant: variant.name } }).run;
    return {
      case: own.name,
      variant: variant.name,
      repeat,
      runId: run.id,
      status: statusOf(checks),
      score: scoreOf(checks),
      checks,
      output: outputOf(state),
      turns: facts.turns,
      tokens: facts.tokens,
      costUsd: facts.cost_usd,
      seconds: facts.seconds,
    };
  }

  #unfinished({ case: own, variant, repeat }: PlannedRun, runId: string | undefined): EvalResult {
    return {
      case: own.name,
      variant: variant.name,
      repeat,
      runId: runId ?? '',
      status: 'unfinished',
      score: 0,
      checks: [],
      output: '',
      turns: 0,
      tokens: 0,
      costUsd: null,
      seconds: 0,
      isRecorded: false,
    };
  }

  async #fileUnderEval(session: EvalSession, run: Run): Promise<void> {
    await session.engine.catalog.move(run.id, evalProject(this.#parts.suite));
  }
}

/** Names the run whose launch failed. Errors of stopping and of other processes keep their meaning. */
function launchError(title: string, thrown: unknown): unknown {
  if (!(thrown instanceof CadreError) || ['ENGINE_CLOSED', 'RUN_EXISTS', 'RUN_LOCKED'].includes(thrown.code)) return thrown;
  const why = thrown.code === 'MODEL_UNPRICED' ? 'a limit or budget in US dollars cannot be held: ' : '';
  return new CadreError(thrown.code, `${title}: ${why}${thrown.message}`, {
    cause: thrown,
    details: thrown.details,
  });
}
