import { CadreError } from '../../core/error.ts';
import { titleCall } from '../../core/fold/charge.ts';
import type { CadreEvent } from '../../core/events/event.ts';
import type { Effect } from '../../core/events/transaction.ts';
import type { ModelOutcome, OutageNews } from '../../core/model/model.ts';
import type { RunContext } from '../../core/state/run-context.ts';
import type { Input } from '../run/input.ts';
import { RunTimers } from '../run/run-timers.ts';
import { isUnreadable } from '../recovery/content-cache.ts';
import { chargeable } from '../../nodes/limits/unanswered.ts';
import type { Subscribers } from '../subscribers.ts';
import { ClockWatch } from '../system-clock.ts';
import { withinRequest } from './call-context.ts';
import { outageNote } from './effect-faults.ts';
import { AttemptQuestions } from './attempt-questions.ts';
import type { EffectPorts } from './effect-ports.ts';
import { abortForClose, ended, type InFlight, isAborted, isGood } from './in-flight.ts';
import { LiveReply } from './live-reply.ts';
import { ModelInFlight } from './model-in-flight.ts';
import { atMost, PendingCloses } from './pending-closes.ts';
import type { EffectLinks, RunEffects } from './run-effects.ts';
import { beginSideCall } from './side-calls.ts';
import { ToolInFlight, type ToolOutlets } from './tool-in-flight.ts';

/** Returns the input that charges a model call without its outcome: the call is made again when the run is resumed. */
function chargeFor(input: Input): Input | undefined {
  switch (input.kind) {
    case 'model':
      return { kind: 'charge', agentId: input.agentId, call: input.turnId, made: chargeable(input.outcome) };
    case 'compaction':
      return { kind: 'charge', agentId: input.agentId, call: input.compactionId, made: chargeable(input.outcome) };
    case 'title':
      return { kind: 'charge', call: titleCall, made: chargeable(input.outcome) };
    default:
      return undefined;
  }
}

/**
 * The effects of one run that are in flight: model calls by turn, tools by call.
 *
 * Owns: starting, aborting and waiting for them. Does not own: what their outcomes mean; each is handed in as an input.
 */
export class Effects implements RunEffects {
  readonly #ports: EffectPorts;
  readonly #inFlight = new Map<string, InFlight>();
  /** Number of tools that are no longer awaited and have not ended. */
  #left = 0;
  readonly #leftWaiters: (() => void)[] = [];
  #isLeaving = false;
  readonly #isFollowing: boolean;
  readonly #closings: PendingCloses;
  readonly #timers: RunTimers;
  readonly #clockWatch: ClockWatch;
  readonly #subscribers: Subscribers;
  readonly #outlets: ToolOutlets;
  readonly #questions: AttemptQuestions;
  readonly #tell: (input: Input) => void;
  readonly #halt: (error: CadreError) => void;
  readonly #onIdle: () => void;

  constructor(ports: EffectPorts, links: EffectLinks) {
    this.#ports = ports;
    this.#subscribers = links.subscribers;
    this.#tell = links.tell;
    this.#halt = links.halt;
    this.#questions = new AttemptQuestions(links.tell);
    this.#onIdle = links.onIdle;
    this.#outlets = { subscribers: links.subscribers, tell: links.tell, onLeft: (change) => this.#countLeft(change) };
    this.#isFollowing = links.isFollowing === true;
    this.#clockWatch = new ClockWatch(ports.clock);
    this.#timers = new RunTimers({
      clock: ports.clock,
      unnoticedMs: () => this.#clockWatch.unnoticedMs,
      env: () => ports.decision.env,
      onDue: (deadlines) => links.tell({ kind: 'timer', deadlines }),
    });
    this.#closings = new PendingCloses({ clock: ports.clock, graceMs: ports.graceMs, onDone: links.onIdle });
  }

  /** Resolves when no tool is left that may still bring a late result. */
  whenDetachedSettled(): Promise<void> {
    return this.#left === 0 ? Promise.resolve() : new Promise((resolve) => this.#leftWaiters.push(resolve));
  }

  get size(): number {
    return this.#inFlight.size + this.#closings.size;
  }

  /** Starts an effect that a commit made due. While the engine closes it starts none: a resume starts them. */
  start(run: RunContext, effect: Effect): void {
    if (this.#isLeaving) return this.#giveBack(effect);
    switch (effect.kind) {
      case 'model':
        this.#startModel(run, effect);
        break;
      case 'compaction':
      case 'title':
        this.#startSideCall(run, effect);
        break;
      case 'tool':
      case 'verify':
        this.#startTool(run, effect);
        break;
      case 'stop':
        this.#inFlight.get(effect.callId)?.abort.abort(new CadreError(effect.error.code, effect.error.message));
        break;
      case 'interrupt':
        this.#inFlight.get(effect.turnId)?.abort.abort(new CadreError('MODEL_INTERRUPTED', 'a message came that will not wait'));
        break;
    }
  }

  /** Gives back what is reserved for a model call that is not made: nothing is charged for it. */
  #giveBack(effect: Effect): void {
    if (effect.kind === 'model') this.#tell({ kind: 'charge', agentId: effect.agentId, call: effect.turnId, made: [] });
    else if (effect.kind === 'compaction')
      this.#tell({ kind: 'charge', agentId: effect.agentId, call: effect.compactionId, made: [] });
  }

  /** Follows a commit: aborts effects whose turn or call ended (this is how a cancel reaches tools and models), and sets the timers of new ones. */
  noteCommit(run: RunContext, events: readonly CadreEvent[]): void {
    if (!this.#isLeaving && !this.#isFollowing) this.#timers.note(run, events);
    const { live } = this.#ports;
    // By index, as in other loops of every commit: an iterator and its results would be garbage for each event.
    for (let index = 0; index < events.length; index += 1) {
      const event = events[index];
      switch (event?.type) {
        case 'model.reserve':
          this.#questions.answer(event);
          break;
        case 'tool.end':
          this.#inFlight.get(event.callId)?.abort.abort(new CadreError('TOOL_CANCELLED', 'the call is over'));
          break;
        case 'turn.end':
          this.#inFlight.get(event.turnId)?.abort.abort(new CadreError('MODEL_ABORTED', 'the turn is over'));
          break;
        case 'compaction.end':
          this.#inFlight.get(event.compactionId)?.abort.abort(new CadreError('MODEL_ABORTED', 'the compaction is over'));
          break;
        case 'run.end':
          if (event.status === 'cancelled')
            this.#inFlight.get(titleCall)?.abort.abort(new CadreError('MODEL_ABORTED', 'the run was cancelled'));
          this.#closings.add(live.endRun());
          break;
        case 'agent.end':
          this.#closings.add(live.endAgent(event.agentId));
          break;
        case 'agent.restart':
          live.restartAgent(event.agentId);
          break;
        default:
      }
    }
  }

  /** Returns the jump of the wall clock since the last call as an input; undefined when there is none worth recording. */
  clockJump(run: RunContext, now: number): Input | undefined {
    const jumpMs = run.outcome === undefined ? this.#clockWatch.jumpMs(now) : 0;
    return jumpMs === 0 ? undefined : { kind: 'clock', jumpMs };
  }

  abortAll(error: CadreError): void {
    this.#timers.stop();
    for (const effect of this.#inFlight.values()) effect.abort.abort(error);
    this.#closings.add(this.#ports.live.endRun());
  }

  /**
   * Leaves the run, since its engine closes: aborts the model calls, which are made again when the run is resumed, gives running tools `ms`
   * milliseconds to end, then aborts them, closes live resources and waits for both, at most for the grace period.
   */
  async leave(error: CadreError, ms: number): Promise<void> {
    this.#isLeaving = true;
    this.#timers.stop();
    for (const effect of this.#inFlight.values()) if (effect.kind === 'model') abortForClose(effect, error);
    const tools = [...this.#inFlight.values()].filter(({ kind }) => kind === 'tool');
    if (tools.length > 0 && ms > 0) await atMost(this.#ports.clock, ms, ended(tools));
    for (const effect of this.#inFlight.values()) abortForClose(effect, error);
    this.#closings.add(this.#ports.live.endRun());
    await this.drain();
  }

  /** Waits until aborted effects have stopped, at most for the grace period; later ones are abandoned. */
  async drain(): Promise<void> {
    const stopping = [...this.#inFlight.values()].filter(({ abort }) => isAborted(abort));
    if (stopping.length > 0) await atMost(this.#ports.clock, this.#ports.graceMs, ended(stopping));
    await this.#closings.settled();
  }

  #countLeft(change: 1 | -1): void {
    this.#left += change;
    if (this.#left === 0) for (const resolve of this.#leftWaiters.splice(0)) resolve();
  }

  #startModel(run: RunContext, effect: Extract<Effect, { kind: 'model' }>): void {
    const { agentId, turnId } = effect;
    const agent = run.agents.get(agentId);
    // A later event of the same commit may have ended the turn: its call must not be made.
    if (agent?.turn.currentId !== turnId) return this.#giveBack(effect);
    const { decision, gateway, content, functions, clock, graceMs, aroundCall, answers } = this.#ports;
    const { runId, request } = run.meta;
    const reply = new LiveReply(decision.env.secrets, this.#subscribers, agentId, turnId);
    const call = new ModelInFlight(agentId, turnId, reply);
    const { signal } = call.abort;
    const onOutage = (news: OutageNews): void => this.#tell(outageNote({ agentId, turnId }, news));
    const mayTry = this.#questions.of(agentId, turnId, signal);
    const ports = { run, agent, signal, gateway, content, functions, clock, graceMs, onDelta: reply.onDelta, onOutage, mayTry };
    const ask = (): Promise<ModelOutcome> => decision.agentNode.exec({ turnId }, ports);
    let work: Promise<ModelOutcome>;
    try {
      work = Promise.resolve(answers?.get(turnId) ?? withinRequest(request, ask, { runId, turnId }, aroundCall));
    } catch (thrown) {
      // What is put around calls may throw: the call fails.
      work = Promise.reject(thrown);
    }
    this.#track(call, work);
  }

  #startSideCall(run: RunContext, effect: Extract<Effect, { kind: 'compaction' | 'title' }>): void {
    if (effect.kind === 'title' && this.#inFlight.has(titleCall)) return;
    const call = withinRequest(run.meta.request, () =>
      beginSideCall({ ...this.#ports, tell: this.#tell, questions: this.#questions }, run, effect),
    );
    if (call !== undefined) this.#track(call, call.work);
  }

  #startTool(run: RunContext, effect: Extract<Effect, { kind: 'tool' | 'verify' }>): void {
    const { agentId, turnId, callId } = effect;
    const { env } = this.#ports.decision;
    const agent = run.agents.get(agentId);
    const call = agent?.calls.open.get(callId);
    const verifiedBy = effect.kind === 'verify' ? effect.by : undefined;
    const name = verifiedBy ?? call?.request.name;
    const tool = name === undefined ? undefined : env.catalog.get(name);
    if (agent === undefined || call === undefined || tool?.kind !== 'effect') return;
    const made = run.turns.get(turnId)?.modelEnd?.reply?.toolCalls ?? [];
    const started = new ToolInFlight({ run, agent, call, turnId, tool, env, made, verifiedBy }, this.#ports, this.#outlets);
    this.#track(started, started.outcome());
  }

  /** Follows an effect that was started, until its outcome is handed in. */
  #track<Outcome>(effect: InFlight<Outcome>, work: Promise<Outcome>): void {
    this.#inFlight.set(effect.key, effect);
    effect.settled = work.then(
      (outcome) => this.#finish(effect, effect.ended(outcome)),
      (thrown: unknown) => this.#fail(effect, thrown),
    );
  }

  #finish(effect: InFlight, input: Input): void {
    this.#inFlight.delete(effect.key);
    const told = !effect.isClosing || isGood(input) ? input : chargeFor(input);
    if (told === undefined) this.#onIdle();
    else this.#tell(told);
  }

  #fail(effect: InFlight, thrown: unknown): void {
    if (!isUnreadable(thrown)) return this.#finish(effect, effect.failed(thrown));
    // A failing store is no fault of the model or the tool: it ends neither, and the run can be resumed.
    this.#inFlight.delete(effect.key);
    this.#halt(thrown);
  }
}
