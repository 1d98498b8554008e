import { agentScope } from '../../core/state/agent-scope.ts';
import type { Clock } from '../../core/clock.ts';
import { CadreError } from '../../core/error.ts';
import type { CadreEvent } from '../../core/events/event.ts';
import type { ContentHash } from '../../core/ids.ts';
import type { ModelGateway, OutageNews } from '../../core/model/model.ts';
import type { RecordedAnswers } from '../launch/recorded-answers.ts';
import type { RunContext } from '../../core/state/run-context.ts';
import type { AroundCall } from '../../core/tool/around-call.ts';
import type { ToolContext } from '../../core/tool/tool.ts';
import type { Effect } from '../../core/events/transaction.ts';
import type { NodeFunction } from '../../nodes/turn/function-node.ts';
import type { Replay } from '../../models/replay/replay.ts';
import type { Input } from '../run/input.ts';
import type { DecisionContext } from '../run/decision-context.ts';
import { blockedNote, couldNotBeMade, outageNote } from './effect-faults.ts';
import { CallContext, idempotencyKey, withinCall, withinRequest } from './call-context.ts';
import { isUnreadable } from '../recovery/content-cache.ts';
import { ended, type InFlight, isAborted, isGood, abortForClose, LazyAbort } from './in-flight.ts';
import { ClockWatch } from '../system-clock.ts';
import { atMost, PendingCloses } from './pending-closes.ts';
import type { Doubles } from './doubles.ts';
import { liveDeltas } from './live-deltas.ts';
import { runTool, replayedTool } from './run-tool.ts';
import { beginSideCall, titleKey } from './side-calls.ts';
import type { RunResources } from './run-resources.ts';
import { RunTimers } from '../run/run-timers.ts';
import type { ToolOutcome } from '../../nodes/tools/tool-node.ts';
import type { EffectLinks, RunEffects } from './run-effects.ts';
import type { Subscribers } from '../subscribers.ts';

/** Services that effects use of their engine and run. */
export interface EffectPorts {
  readonly decision: DecisionContext;
  readonly gateway: ModelGateway;
  readonly clock: Clock;
  readonly functions: ReadonlyMap<string, NodeFunction>;
  /** Values handed to `engine.launch({ context })`, for tools. */
  readonly context: Readonly<Record<string, unknown>>;
  readonly content: (hash: ContentHash) => string | undefined;
  /** Milliseconds that cancelled effects get to stop. */
  readonly graceMs: number;
  /** Returns the run's workspace; the folder is created when a tool first asks. */
  readonly workspace: () => string;
  readonly live: RunResources;
  /** Turns of a fork that take an answer of its original instead of calling a model. */
  readonly answers?: RecordedAnswers | undefined;
  /** Runs each model and tool call. */
  readonly aroundCall?: AroundCall | undefined;
  /** Answers tool calls from a recording instead of the tools. */
  readonly replay?: Replay | undefined;
  /** Answers tool calls instead of the tools, in tests of profiles. */
  readonly doubles?: Doubles | undefined;
}

/**
 * The effects of one run that are in flight: model calls by turn, tools by call.
 *
 * Owns: starting, aborting and waiting for them. Does not own: what their outcomes mean; each is handed in as an input.
 */
export class Effects implements RunEffects {
  readonly #ports: EffectPorts;
  readonly #inFlight = new Map<string, InFlight>();
  /** Number of abandoned tools that have not ended yet. */
  #abandoned = 0;
  readonly #abandonedWaiters: (() => void)[] = [];
  #isLeaving = false;
  readonly #isFollowing: boolean;
  readonly #closings: PendingCloses;
  readonly #timers: RunTimers;
  readonly #clockWatch: ClockWatch;
  readonly #subscribers: Subscribers;
  readonly #tell: (input: Input) => void;
  readonly #halt: (error: CadreError) => void;
  readonly #onIdle: () => void;

  constructor(ports: EffectPorts, links: EffectLinks) {
    this.#ports = ports;
    this.#subscribers = links.subscribers;
    this.#tell = links.tell;
    this.#halt = links.halt;
    this.#onIdle = links.onIdle;
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

  /** Resolves when no abandoned tool is left that may still bring a late result. */
  whenDetachedSettled(): Promise<void> {
    return this.#abandoned === 0 ? Promise.resolve() : new Promise((resolve) => this.#abandonedWaiters.push(resolve));
  }

  get size(): number {
    return this.#inFlight.size + this.#closings.size;
  }

  /** Starts an effect that a commit made due. While the engine closes it starts none: a resume starts them. */
  start(run: RunContext, effect: Effect): void {
    if (this.#isLeaving) return;
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

  /** Follows a commit: aborts effects whose turn or call ended (this is how a cancel reaches tools and models), and sets the timers of new ones. */
  noteCommit(run: RunContext, events: readonly CadreEvent[]): void {
    if (!this.#isLeaving && !this.#isFollowing) this.#timers.note(run, events);
    this.#closings.add(this.#ports.live.noteCommit(events));
    for (const event of events) {
      if (event.type === 'tool.end')
        this.#inFlight.get(event.callId)?.abort.abort(new CadreError('TOOL_CANCELLED', 'the call is over'));
      else if (event.type === 'compaction.end')
        this.#inFlight.get(event.compactionId)?.abort.abort(new CadreError('MODEL_ABORTED', 'the compaction is over'));
      else if (event.type === 'run.end' && event.status === 'cancelled')
        this.#inFlight.get(titleKey)?.abort.abort(new CadreError('MODEL_ABORTED', 'the run was cancelled'));
      else if (event.type === 'turn.end')
        this.#inFlight.get(event.turnId)?.abort.abort(new CadreError('MODEL_ABORTED', 'the turn is over'));
    }
  }

  /** Returns the jump of the wall clock since the last call as an input; undefined when there is none worth recording. */
  clockJump(run: RunContext): Input | undefined {
    const jumpMs = run.outcome === undefined ? this.#clockWatch.jumpMs() : 0;
    return jumpMs === 0 ? undefined : { kind: 'clock', jumpMs };
  }

  abortAll(error: CadreError): void {
    this.#timers.stop();
    for (const effect of this.#inFlight.values()) effect.abort.abort(error);
    this.#closings.add(this.#ports.live.closeAll());
  }

  /** Aborts the model calls because the engine closes; they are made again when the run is resumed. */
  leaveModels(error: CadreError): void {
    this.#isLeaving = true;
    this.#timers.stop();
    for (const effect of this.#inFlight.values()) if (effect.kind === 'model') abortForClose(effect, error);
  }

  /** Aborts every running effect and closes live resources, when the time the engine allows for closing is up. */
  leaveAll(error: CadreError): void {
    for (const effect of this.#inFlight.values()) abortForClose(effect, error);
    this.#closings.add(this.#ports.live.closeAll());
  }

  /** Waits until running tools have ended by themselves, at most `ms` milliseconds. */
  async finish(ms: number): Promise<void> {
    const tools = [...this.#inFlight.values()].filter(({ kind }) => kind === 'tool');
    if (tools.length > 0 && ms > 0) await atMost(this.#ports.clock, ms, ended(tools));
  }

  /** Waits until aborted effects have stopped, at most for the grace period; later ones are abandoned. */
  async drain(): Promise<void> {
    const stopping = [...this.#inFlight.values()].filter(({ abort }) => isAborted(abort));
    if (stopping.length > 0) await atMost(this.#ports.clock, this.#ports.graceMs, ended(stopping));
    await this.#closings.settled();
  }

  #startModel(run: RunContext, effect: Extract<Effect, { kind: 'model' }>): void {
    const { agentId, turnId } = effect;
    const agent = run.agents.get(agentId);
    // A later event of the same commit may have ended the turn: its call must not be made.
    if (agent?.turn.currentId !== turnId) return;
    const { decision, gateway, content, functions, clock, graceMs, aroundCall } = this.#ports;
    const { runId, request } = run.meta;
    const abort = new AbortController();
    const { onDelta, end } = liveDeltas(decision.env.secrets, this.#subscribers, agentId, turnId);
    const onOutage = (news: OutageNews): void => this.#tell(outageNote({ agentId, turnId }, news));
    const ports = { run, agent, signal: abort.signal, gateway, content, functions, clock, graceMs, onDelta, onOutage };
    this.#track(
      { kind: 'model', key: turnId },
      abort,
      Promise.try(
        () =>
          this.#ports.answers?.get(turnId) ??
          withinCall(aroundCall, { runId, request, turnId }, () => decision.agentNode.exec({ turnId }, ports)),
      ),
      (outcome) => {
        end();
        return { kind: 'model', agentId, turnId, outcome };
      },
      (thrown) => {
        end();
        return { kind: 'model', agentId, turnId, outcome: couldNotBeMade(thrown) };
      },
    );
  }

  #startSideCall(run: RunContext, effect: Extract<Effect, { kind: 'compaction' | 'title' }>): void {
    if (effect.kind === 'title' && this.#inFlight.has(titleKey)) return;
    const call = withinRequest(run.meta.request, () => beginSideCall({ ...this.#ports, tell: this.#tell }, run, effect));
    if (call !== undefined) this.#track(call, call.abort, call.work, call.done, call.failed);
  }

  /** Runs the tool of a call; or, with the same arguments and call id, the tool that verifies whether the call happened. */
  #startTool(run: RunContext, effect: Extract<Effect, { kind: 'tool' | 'verify' }>): void {
    const { agentId, turnId, callId } = effect;
    const agent = run.agents.get(agentId);
    const call = agent?.calls.open.get(callId);
    const name = effect.kind === 'verify' ? effect.by : call?.request.name;
    const tool = name === undefined ? undefined : this.#ports.decision.env.catalog.get(name);
    if (agent === undefined || call === undefined || tool?.kind !== 'effect') return;
    const abort = new LazyAbort();
    const { context, clock, workspace, live, replay, doubles, content, decision, aroundCall } = this.#ports;
    const made = run.turns.get(turnId)?.modelEnd?.reply?.toolCalls.find((candidate) => candidate.callId === callId);
    const providerCallId = made?.providerCallId ?? '';
    const { runId, request } = run.meta;
    const identity = { runId, agentId, turnId, toolCallId: callId, providerCallId, attempt: call.attempt };
    const toInput = (result: ToolOutcome): Input =>
      effect.kind === 'verify'
        ? { kind: 'verify', agentId, turnId, callId, by: effect.by, outcome: result }
        : { kind: 'tool', agentId, turnId, callId, outcome: result };
    const failed = (error: unknown): Input => toInput({ status: 'error', error, progress: [] });
    const tracked = { kind: 'tool', key: callId } as const;
    if (replay !== undefined) return this.#track(tracked, abort, replayedTool(replay, run, agent, call), toInput, failed);
    if (doubles !== undefined) return this.#track(tracked, abort, doubles.tool(run, agent, call), toInput, failed);
    let isAbandoned = false;
    const key = (): string => idempotencyKey(runId, call);
    const links = { scope: agentScope(decision.env, run, agent), context, abort, workspace, content, live, idempotencyKey: key };
    const contextOf = (progress: ToolContext['progress']): ToolContext => new CallContext(identity, { ...links, progress });
    const outcome = runTool({
      name: tool.name,
      timeoutMs: tool.timeoutMs,
      clock,
      abort,
      graceMs: this.#ports.graceMs,
      start: (progress) =>
        withinCall(aroundCall, { runId, request, turnId, toolCallId: callId }, () =>
          tool.execute(call.args ?? {}, contextOf(progress)),
        ),
      onProgress: (fraction, note) =>
        this.#subscribers.progress(agentId, turnId, callId, fraction, decision.env.secrets.text(note)),
      onBlocked: (ms) => this.#tell(blockedNote(tool.name, callId, ms)),
      onLate: (late) => {
        // A verifier's late result concerns a call that went on without it.
        if (effect.kind === 'tool') this.#tell(toInput(late));
        if (isAbandoned) this.#abandoned -= 1;
        if (this.#abandoned === 0) for (const resolve of this.#abandonedWaiters.splice(0)) resolve();
      },
    });
    this.#track(
      tracked,
      abort,
      outcome,
      (result) => {
        isAbandoned = result.abandoned === true || result.status === 'timeout';
        if (isAbandoned) this.#abandoned += 1;
        return toInput(result);
      },
      failed,
    );
  }

  #track<T>(
    { kind, key }: { readonly kind: InFlight['kind']; readonly key: string },
    abort: InFlight['abort'],
    work: Promise<T>,
    done: (value: T) => Input,
    failed: (thrown: unknown) => Input,
  ): void {
    const finish = (input: Input): void => {
      const isClosing = this.#inFlight.get(key)?.isClosing === true;
      this.#inFlight.delete(key);
      if (!isClosing || isGood(input)) this.#tell(input);
      this.#onIdle();
    };
    const settled = work.then(
      (value) => finish(done(value)),
      (thrown: unknown) => {
        if (!isUnreadable(thrown)) return finish(failed(thrown));
        // A failing store is no fault of the model or the tool: it ends neither, and the run can be resumed.
        this.#inFlight.delete(key);
        this.#halt(thrown);
      },
    );
    this.#inFlight.set(key, { kind, abort, done: settled, isClosing: false });
  }
}
