import { CadreError } from '../../core/error.ts';
import type { CadreEvent } from '../../core/events/event.ts';
import type { SharedJournal } from '../../core/events/journal.ts';
import type { Delivery, DueWork } from '../../core/runtime.ts';
import type { LlmConfig } from '../../core/model/llm-config.ts';
import { usesModel } from '../../core/profile/profile.ts';
import type { RunContext } from '../../core/state/run-context.ts';
import { Effects } from '../effects/effects.ts';
import { publishLive } from '../live/live-publisher.ts';
import type { Input } from '../run/input.ts';
import type { ActorPorts } from '../run/actor-ports.ts';
import { suspendedError } from '../run/run-errors.ts';
import { Subscribers } from '../subscribers.ts';
import { answeredKey, effectOf, inFlightKey, isDue, type WorkEffect } from './due-work.ts';
import { changeTools, readOn } from './run-decider.ts';
import { encodeInput } from './wire-input.ts';

/** Milliseconds between two looks at the journal while an effect runs, where notifications get lost. */
const lookAgainMs = 2_000;

/** Links from the effects of a run to the runtime and the journal. */
interface PerformerLinks {
  /** Receives inputs that are no outcome: notes, late results. */
  readonly note: (input: Input) => void;
  readonly shared: SharedJournal;
  /** True when this engine has the model of a config, and what it needs. */
  readonly canCall: (config: LlmConfig) => boolean;
}

/**
 * Runs effects of a run that other engines decide.
 *
 * 1. An effect that something has answered is not run.
 * 2. A tool that is not pure leaves a durable mark before it starts. When the mark is there already, another engine started it: an
 *    idempotent one runs again, for every other one the run decides what follows (I5).
 * 3. It follows the journal while effects run: one whose turn or call is over is aborted.
 * 4. Readers in other processes get live data, if the journal has a channel for it.
 */
export class RunPerformer {
  readonly #state: RunContext;
  readonly #ports: ActorPorts;
  readonly #links: PerformerLinks;
  readonly #effects: Effects;
  readonly #waiting = new Map<string, PromiseWithResolvers<Input>>();
  readonly #stopPublishing: () => void;
  #cancelLook: (() => void) | undefined;
  #isLooking = false;
  /** Marks being written. */
  #marking = 0;
  /** Set once its engine leaves the run. */
  #left: CadreError | undefined;

  constructor(state: RunContext, ports: ActorPorts, links: PerformerLinks) {
    this.#state = state;
    this.#ports = ports;
    this.#links = links;
    const subscribers = new Subscribers(() => undefined);
    const { runId } = state.meta;
    this.#stopPublishing = publishLive(ports.journal.live, { runId, subscribers, seq: () => state.seq });
    this.#effects = new Effects(ports, {
      subscribers,
      tell: this.#told,
      halt: (error) => this.#reject(error),
      onIdle: () => undefined,
      isFollowing: true,
    });
  }

  /** Reads what engines wrote; true when the profiles or tools of the run have changed by that. */
  async catchUp(): Promise<boolean> {
    const events = await readOn(this.#state, this.#ports);
    this.#follow(events);
    return changeTools(events);
  }

  /** Reads on when the run may have changed, as long as effects run. */
  look(): void {
    if (this.#waiting.size + this.#marking === 0 || this.#isLooking) return;
    this.#isLooking = true;
    // A store that fails is looked at again; outcomes are reported in any case.
    void this.catchUp().then(
      () => this.#looked(),
      () => this.#looked(),
    );
  }

  /** Runs an effect to its outcome, as inputs of the run. Throws when it could not be run here. */
  async perform(work: DueWork, signal: AbortSignal): Promise<readonly Delivery[]> {
    const effect = effectOf(work);
    // Before it marks a tool as started.
    if (this.#left !== undefined) throw this.#left;
    if (!isDue(this.#state, effect)) return [];
    this.#assertAble(effect);
    const { secrets } = this.#ports.decision.env;
    if (effect.kind === 'tool' && !effect.pure) {
      const isFirst = await this.#mark(`start ${work.key}`);
      // A cancel may have come meanwhile.
      if (!isDue(this.#state, effect)) return [];
      const lost = isFirst ? undefined : this.#lost(effect);
      if (lost !== undefined) return [{ id: `${work.key} lost`, input: encodeInput(lost, secrets) }];
    }
    const outcome = await this.#run(effect, signal);
    return [{ id: `${work.key} outcome`, input: encodeInput(outcome, secrets) }];
  }

  /** Sets a durable mark; false when it was there. The journal is followed meanwhile. */
  async #mark(name: string): Promise<boolean> {
    this.#marking += 1;
    try {
      return await this.#links.shared.mark(this.#state.meta.runId, name);
    } finally {
      this.#marking -= 1;
    }
  }

  /** Lets running tools end for `graceMs`; model calls, and what is left then, are aborted and left to other engines. */
  async leave(graceMs: number): Promise<void> {
    const error = (this.#left = suspendedError(this.#state.meta.runId));
    this.#cancelLook?.();
    await this.#effects.leave(error, graceMs);
    this.#stopPublishing();
    this.#reject(error);
  }

  /**
   * Returns the input that ends an attempt whose engine is gone; undefined, with a note on record, when the call may simply be made again
   * under its key.
   */
  #lost({ agentId, turnId, callId }: Extract<WorkEffect, { kind: 'tool' }>): Input | undefined {
    const call = this.#state.agents.get(agentId)?.calls.open.get(callId);
    const name = call?.request.name ?? '';
    const { attempt = 0 } = call ?? {};
    if (this.#ports.decision.env.catalog.get(name)?.effect !== 'idempotent') return { kind: 'lost', agentId, callId, attempt };
    const message = `'${name}' (${callId}) was interrupted with its worker, and runs again under the same idempotency key`;
    this.#links.note({ kind: 'note', level: 'info', code: 'TOOL_REPEATED', message, about: { agentId, turnId } });
    return undefined;
  }

  /** Throws WORKER_LACKS when this engine has not what the effect needs and another may have it. */
  #assertAble(effect: WorkEffect): void {
    if (effect.kind === 'model') this.#assertModel(effect);
    if (effect.kind !== 'tool' && effect.kind !== 'verify') return;
    const call = this.#state.agents.get(effect.agentId)?.calls.open.get(effect.callId);
    const name = effect.kind === 'verify' ? effect.by : (call?.request.name ?? '');
    if (this.#ports.decision.env.catalog.get(name)?.kind === 'effect') return;
    throw new CadreError('WORKER_LACKS', `this worker has no tool '${name}', which run ${this.#state.meta.runId} uses`);
  }

  #assertModel({ agentId }: Extract<WorkEffect, { kind: 'model' }>): void {
    const { env } = this.#ports.decision;
    const agent = this.#state.agents.get(agentId);
    const profile = agent === undefined ? undefined : env.profiles.get(agent.meta.profile);
    if (profile === undefined || profile.planner !== undefined || !usesModel(profile)) return;
    const config = env.llmConfig(profile, this.#state, agent);
    if (this.#links.canCall(config)) return;
    throw new CadreError(
      'WORKER_LACKS',
      `this worker cannot call the model of '${config.name}', which run ${this.#state.meta.runId} uses`,
    );
  }

  async #run(effect: WorkEffect, signal: AbortSignal): Promise<Input> {
    if (this.#left !== undefined) throw this.#left;
    const key = inFlightKey(effect);
    const waiting = Promise.withResolvers<Input>();
    this.#waiting.set(key, waiting);
    // A model call is made again elsewhere; a tool ends, since its result may still be wanted.
    const abort = (): void => {
      if (effect.kind === 'model') this.#effects.start(this.#state, { ...effect, kind: 'interrupt' });
    };
    signal.addEventListener('abort', abort, { once: true });
    this.#lookLater();
    try {
      this.#effects.start(this.#state, effect);
      return await waiting.promise;
    } finally {
      signal.removeEventListener('abort', abort);
      this.#waiting.delete(key);
      if (this.#waiting.size === 0) this.#cancelLook?.();
    }
  }

  readonly #told = (input: Input): void => {
    const waiting = this.#waiting.get(answeredKey(input) ?? '');
    if (waiting === undefined) this.#links.note(input);
    else waiting.resolve(input);
  };

  /** Stops effects that the events made useless, or asked to stop. */
  #follow(events: readonly CadreEvent[]): void {
    this.#effects.noteCommit(this.#state, events);
    for (const event of events) {
      if (event.type === 'inbox.add') this.#interrupt(event.agentId);
      else if (event.type === 'limit.reach' && event.stage === 2) this.#stopCalls(event);
    }
  }

  #interrupt(agentId: Extract<WorkEffect, { kind: 'model' }>['agentId']): void {
    const turnId = this.#state.agents.get(agentId)?.turn.currentId;
    const interruptedBy = turnId === undefined ? undefined : this.#state.turns.get(turnId)?.interruptedBy;
    if (turnId === undefined || interruptedBy === undefined) return;
    this.#effects.start(this.#state, { kind: 'interrupt', agentId, turnId, cause: interruptedBy });
  }

  #stopCalls({ agentId, reason, seq }: Extract<CadreEvent, { type: 'limit.reach' }>): void {
    const error = { code: 'LIMIT_REACHED' as const, message: reason };
    for (const { callId, request, status } of this.#state.agents.get(agentId)?.calls.open.values() ?? [])
      if (status === 'running')
        this.#effects.start(this.#state, { kind: 'stop', agentId, turnId: request.turnId, callId, error, cause: seq });
  }

  #lookLater(): void {
    this.#cancelLook?.();
    this.#cancelLook = this.#ports.clock.setTimer(lookAgainMs, () => this.look(), { background: true });
  }

  #looked(): void {
    this.#isLooking = false;
    if (this.#waiting.size > 0) this.#lookLater();
  }

  #reject(error: CadreError): void {
    for (const { reject } of this.#waiting.values()) reject(error);
  }
}
