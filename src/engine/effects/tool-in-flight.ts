import type { Env } from '../../core/env.ts';
import type { Scope } from '../../core/expression/expression.ts';
import type { AgentId, CallId, ContentHash, RunId, TurnId } from '../../core/ids.ts';
import { agentScope } from '../../core/state/agent-scope.ts';
import type { RunContext } from '../../core/state/run-context.ts';
import type { SubContext } from '../../core/state/sub-context.ts';
import type { ReplyToolCall } from '../../core/state/turn.ts';
import type { CallState } from '../../core/state/turn-state.ts';
import type { EffectTool, ToolContext } from '../../core/tool/tool.ts';
import type { ToolOutcome } from '../../nodes/tools/tool-node.ts';
import type { Input } from '../run/input.ts';
import type { Subscribers } from '../subscribers.ts';
import { CallContext, type CallLinks, idempotencyKey, withinRequest } from './call-context.ts';
import { blockedNote } from './effect-faults.ts';
import type { EffectPorts } from './effect-ports.ts';
import { type InFlight, LazyAbort } from './in-flight.ts';
import { noNotes, noteProgress, replayedTool, runTool, type ToolRun } from './run-tool.ts';
import type { RunResources } from './run-resources.ts';

/** What starts a tool: the call, and the tool that answers it. */
export interface ToolStart {
  readonly run: RunContext;
  readonly agent: SubContext;
  readonly call: CallState;
  readonly turnId: TurnId;
  readonly tool: EffectTool;
  readonly env: Env;
  /** The calls of the turn, as the model made them. */
  readonly made: readonly ReplyToolCall[];
  /** Name of the tool that verifies whether the call happened, when that is what runs. */
  readonly verifiedBy: string | undefined;
}

/** Outlets of the tools of a run. */
export interface ToolOutlets {
  readonly subscribers: Pick<Subscribers, 'progress'>;
  readonly tell: (input: Input) => void;
  /** Counts tools that are no longer awaited: 1 when one is left, -1 when it has ended after all. */
  readonly onLeft: (change: 1 | -1) => void;
}

/** A tool that runs for a call, or to verify whether the call happened, with the same arguments and call id. */
export class ToolInFlight implements InFlight<ToolOutcome>, ToolRun, CallLinks {
  // Declared, not defined: one is made per call.
  declare readonly kind: 'tool';
  declare readonly key: CallId;
  declare readonly runId: RunId;
  declare readonly agentId: AgentId;
  declare readonly turnId: TurnId;
  declare readonly callId: CallId;
  declare readonly attempt: number;
  declare readonly tool: EffectTool;
  declare readonly context: EffectPorts['context'];
  declare notes: ToolRun['notes'];
  declare isClosing: boolean;
  declare settled: Promise<void> | undefined;
  #abort: LazyAbort | undefined;
  readonly #start: ToolStart;
  readonly #ports: EffectPorts;
  readonly #outlets: ToolOutlets;
  /** True when it is no longer awaited, and has not ended. */
  #isLeft = false;

  constructor(start: ToolStart, ports: EffectPorts, outlets: ToolOutlets) {
    const { call } = start;
    this.kind = 'tool';
    this.key = call.callId;
    this.runId = start.run.meta.runId;
    this.agentId = start.agent.meta.agentId;
    this.turnId = start.turnId;
    this.callId = call.callId;
    this.attempt = call.attempt;
    this.tool = start.tool;
    this.context = ports.context;
    this.notes = noNotes;
    this.isClosing = false;
    this.settled = undefined;
    this.#start = start;
    this.#ports = ports;
    this.#outlets = outlets;
  }

  get abort(): LazyAbort {
    return (this.#abort ??= new LazyAbort());
  }

  /** Resolves with its outcome: of the tool, or from a recording or a double instead. */
  outcome(): Promise<ToolOutcome> {
    const { replay, doubles } = this.#ports;
    const { run, agent, call } = this.#start;
    if (replay !== undefined) return replayedTool(replay, run, agent, call);
    return doubles === undefined ? runTool(this, this.#ports) : doubles.tool(run, agent, call);
  }

  ended(outcome: ToolOutcome): Input {
    const { agentId, turnId, callId } = this;
    const { verifiedBy } = this.#start;
    return verifiedBy === undefined
      ? { kind: 'tool', agentId, turnId, callId, outcome }
      : { kind: 'verify', agentId, turnId, callId, by: verifiedBy, outcome };
  }

  failed(error: unknown): Input {
    return this.ended({ status: 'error', error, progress: noNotes });
  }

  start(): unknown {
    const { tool } = this;
    const { call, run } = this.#start;
    const at = { runId: this.runId, turnId: this.turnId, toolCallId: this.callId };
    const work = (): unknown => tool.execute(call.args ?? {}, new CallContext(this));
    const returned = withinRequest(run.meta.request, work, at, this.#ports.aroundCall);
    if (tool.finishes === true && returned instanceof Promise)
      this.#ports.unfinished.add(`'${tool.name}' (${this.callId})`, returned);
    return returned;
  }

  onBlocked(ms: number): void {
    this.#outlets.tell(blockedNote(this.tool.name, this.callId, ms));
  }

  onLeft(): void {
    this.#isLeft = true;
    this.#outlets.onLeft(1);
  }

  onLate(outcome: ToolOutcome): void {
    // A verifier's late result concerns a call that went on without it.
    if (this.#start.verifiedBy === undefined) this.#outlets.tell(this.ended(outcome));
    if (this.#isLeft) this.#outlets.onLeft(-1);
  }

  get workspace(): () => string {
    return this.#ports.workspace;
  }

  get content(): (hash: ContentHash) => string | undefined {
    return this.#ports.content;
  }

  get live(): RunResources {
    return this.#ports.live;
  }

  get progress(): ToolContext['progress'] {
    return (...said) => {
      const { fraction, note } = noteProgress(this, this.#ports.clock, said);
      const { secrets } = this.#start.env;
      this.#outlets.subscribers.progress(this.agentId, this.turnId, this.callId, fraction, secrets.text(note));
    };
  }

  get providerCallId(): string {
    return this.#start.made.find(({ callId }) => callId === this.callId)?.providerCallId ?? '';
  }

  get idempotencyKey(): string {
    return idempotencyKey(this.runId, this.#start.call);
  }

  get scope(): Scope {
    return agentScope(this.#start.env, this.#start.run, this.#start.agent);
  }
}
