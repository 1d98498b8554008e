import { fillTokens } from '../core/team/knowledge.ts';
import { findItem, itemConflict } from '../core/inbox/find-item.ts';
import type { CadreEvent } from '../core/events/event.ts';
import type { ContentHash, Ids, RunId } from '../core/ids.ts';
import { type Journal, requiredTexts } from '../core/events/journal.ts';
import type { JsonValue } from '../core/json.ts';
import { foldEvents } from '../core/fold/apply-event.ts';
import type { RunContext } from '../core/state/run-context.ts';
import type { TurnState } from '../core/state/turn-state.ts';
import type { ProfileChange, ProfileEdit } from '../core/events/profile-edit.ts';
import type { ItemDraft } from '../core/events/transaction.ts';
import type { RequestCard } from '../inspect/requests/request-card.ts';
import { toRecording } from '../inspect/to-recording.ts';
import { filterTurns, type TurnFilter } from '../inspect/filter-turns.ts';
import { toTurnRecord, type TurnRecord } from '../inspect/turn/turn-record.ts';
import { type StateAt, stateAt, type StateQuery } from '../inspect/state/state-at.ts';
import { why, type WhyAnswer } from '../inspect/why/why.ts';
import type { ModuleAction } from '../team/modules/module-actions.ts';
import { checkArgument, checkOptions } from './check-arguments.ts';
import { Deliveries } from './run/deliveries.ts';
import { readModuleActions, readProfileEdits } from './launch/edit-schemas.ts';
import { eventsAtHand, fullStateOf, turnInMemory } from './recovery/full-state.ts';
import { eventsOf } from './read-events.ts';
import { agentOfId, assertModule, recipientOf, noteInput } from './input/check-target.ts';
import { type ExternalMessage, readItemId, externalMessage } from './input/external-item.ts';
import { notesPath, type PeopleNote, peopleNotes } from '../core/events/people-note.ts';
import { type PendingRequest, pendingOf } from '../core/state/pending.ts';
import * as allowed from './run-options.ts';
import { type RunResult, runResult, type ViewedProfile, untilEnded } from './run-result.ts';
import type { RunDriver } from './run/run-driver.ts';
import type { CancelOptions, Receipt, SendOptions } from './send-options.ts';
import type { RunSubscriber, ReplySoFar } from './subscribers.ts';
import { withFate } from './input/asking-fate.ts';
import { cardsOfJournal } from './requests/cards-of-run.ts';
import { answerTo, approvals, type ApproveOptions, rejections, type RejectOptions } from './input/verdicts.ts';
import { type ByOption, readBy } from './input/read-by.ts';
import type { Input } from './run/input.ts';

/** Parts of a run handle. */
export interface RunParts {
  readonly actor: RunDriver;
  readonly journal: Journal;
  readonly ids: Ids;
  readonly profiles: ReadonlyMap<string, ViewedProfile>;
  readonly content: (hash: ContentHash) => string | undefined;
  readonly hash: (text: string) => ContentHash;
  /** Returns a value without the secrets of the run. */
  readonly redact: <Value>(value: Value) => Value;
  /** Returns the run's workspace; the folder is created on first use. */
  readonly workspace: () => string;
  /** Changes profiles; resolves once the change is in the journal. */
  readonly editProfiles: (edits: readonly ProfileEdit[], by: ByOption) => Promise<readonly ProfileChange[]>;
}

/** A run, live or ended: read it, steer it, wait for it. */
export class Run implements AsyncIterable<CadreEvent> {
  readonly id: RunId;
  /** Resolves when the run has ended; rejects when it cannot go on in this process (`STORE_*`, `ENGINE_CLOSED`). */
  readonly result: Promise<RunResult>;
  readonly #parts: RunParts;
  readonly #content: (hash: ContentHash) => string;
  /** Last full state that was requested, as long as it is in use. */
  #full: WeakRef<RunContext> | undefined;
  readonly #deliveries: Deliveries;
  #editing: Promise<unknown> = Promise.resolve();

  constructor(parts: RunParts) {
    this.#parts = parts;
    this.#content = requiredTexts(parts.content, parts.journal.location);
    this.#deliveries = new Deliveries(parts.actor);
    this.id = parts.actor.state.meta.runId;
    this.result = this.#untilEnded();
    // A caller who never reads the result must not be hit by its rejection.
    this.result.catch(() => undefined);
  }

  /** Current state of the run. Read-only: only events change it. */
  get state(): RunContext {
    return this.#parts.actor.state;
  }

  /**
   * Returns the run's state with all of its past. `state` holds the newest 128 turns of each agent, and releases messages far outside a
   * `context_policy.window`; this reads the rest from the journal, at a cost proportional to the history. Asynchronous stores cannot be
   * read here: open such a run with `engine.open`.
   */
  fullState(): RunContext {
    const full = fullStateOf(this.state, this.#parts.journal, this.#full?.deref());
    if (full !== this.state) this.#full = new WeakRef(full);
    return full;
  }

  /** Returns the state after an event, whole or at a path, with the patches that made it. Fails with OPTION_INVALID when there is none. */
  async stateAt(query: StateQuery = {}): Promise<StateAt> {
    checkOptions('run.stateAt', query, allowed.stateQuery);
    return stateAt(await this.#parts.journal.read(this.id), query);
  }

  /** Approvals and questions that wait for a person. */
  get pending(): readonly PendingRequest[] {
    return pendingOf(this.state);
  }

  /** Returns what people see of each pending request, oldest first, with what it would do to files as they are now. */
  async cards(): Promise<readonly RequestCard[]> {
    return this.pending.length === 0 ? [] : this.#parts.redact(await cardsOfJournal(this.id, this.#parts));
  }

  /** Yields all events from the first, then live ones, until the run ends. */
  [Symbol.asyncIterator](): AsyncIterator<CadreEvent> {
    return this.events()[Symbol.asyncIterator]();
  }

  /** Yields events with a sequence number above `after`, then live ones, until the run ends. */
  events(options: { readonly after?: number; readonly signal?: AbortSignal } = {}): AsyncIterable<CadreEvent> {
    checkOptions('run.events', options, allowed.eventsOptions);
    return eventsOf(this.#parts.actor, this.#parts.journal, options);
  }

  /** Subscribes to live events, streaming deltas and tool progress; the returned function unsubscribes. */
  subscribe(subscriber: RunSubscriber): () => void {
    checkArgument('run.subscribe: subscriber', subscriber, 'object');
    checkOptions('run.subscribe', subscriber, allowed.subscriberOptions);
    return this.#parts.actor.subscribers.add(subscriber);
  }

  /** Replies that are being streamed, each from the beginning of its current attempt: the part that a late subscriber has missed. */
  get replies(): readonly ReplySoFar[] {
    return this.#parts.actor.subscribers.replies;
  }

  /** Resolves when no effect runs: the run awaits input, or has ended. */
  async settled(): Promise<RunContext> {
    await this.#parts.actor.whenIdle();
    const { halted, isOver } = this.#parts.actor;
    if (halted !== undefined && !isOver) throw halted;
    return this.state;
  }

  /** Posts a message, or a whole inbox item, to an agent. Resolves once it is in the journal. */
  async send(message: ExternalMessage, options: SendOptions = {}): Promise<Receipt> {
    checkOptions('run.send', options, allowed.sendOptions);
    const { itemId: ownId } = options;
    const itemId = ownId === undefined ? this.#parts.ids.itemId() : readItemId(ownId);
    const known = ownId === undefined ? undefined : findItem(this.state, ownId);
    const to = known === undefined ? recipientOf(this.state, options.to) : undefined;
    const read = externalMessage(message, options.priority, this.#parts.workspace);
    const item: ItemDraft = { ...(read instanceof Promise ? await read : read), itemId, ...readBy(options) };
    if (known !== undefined || to === undefined) {
      const conflict = itemConflict(this.state, { itemId, source: item.source, payload: this.#parts.redact(item.payload) });
      if (conflict !== undefined) throw conflict;
      return {
        itemId,
        delivered: known === undefined || known === 'unread' ? this.#deliveries.of(itemId) : Promise.resolve(known),
      };
    }
    const delivered = this.#deliveries.of(itemId);
    try {
      const mayAnswer = options.mayAnswer === false ? { mayAnswer: false } : {};
      await this.#parts.actor.submit({ kind: 'post', to, item, ...(ownId === undefined ? {} : { isOnce: true }), ...mayAnswer });
    } catch (refused) {
      this.#deliveries.forget(itemId);
      throw refused;
    }
    return { itemId, delivered };
  }

  /** Approves calls that wait for approval; all of them, or none when one does not wait. */
  async approve(id: string | readonly string[], options: ApproveOptions = {}): Promise<void> {
    checkArgument('run.approve: id', id, 'names');
    checkOptions('run.approve', options, allowed.approveOptions);
    await this.#decide(() => approvals(this.state, id, options));
  }

  /** Rejects calls that wait for approval; the model reads the message. */
  async reject(id: string | readonly string[], options: RejectOptions = {}): Promise<void> {
    checkArgument('run.reject: id', id, 'names');
    checkOptions('run.reject', options, allowed.rejectOptions);
    await this.#decide(() => rejections(this.state, id, options));
  }

  /** Answers a question. */
  async answer(id: string, value: JsonValue, options: ByOption = {}): Promise<void> {
    checkArgument('run.answer: id', id, 'name');
    checkOptions('run.answer', options, allowed.byOption);
    await this.#decide(() => [answerTo(this.state, id, value, options)]);
  }

  /**
   * Keeps a note for agents of the run: from their next turn on, it is read by those whose system prompt has a segment with the ingestor
   * `notes`. Replaces a note with the same title for the same agents; empty content deletes it.
   */
  async note(note: PeopleNote, options: ByOption = {}): Promise<void> {
    checkArgument('run.note: note', note, 'object');
    checkOptions('run.note', options, allowed.byOption);
    await this.#parts.actor.submit({ ...noteInput(this.state, this.#parts.profiles, note), ...readBy(options) });
  }

  /** Notes that people keep for agents of the run. */
  get notes(): readonly PeopleNote[] {
    return peopleNotes(this.state.team.shared[notesPath]);
  }

  /**
   * Cancels the run, one agent, or the agents that work on a module, and everything below; resolves when their effects have stopped, or the
   * grace period is over. Finished work stays unchanged.
   */
  async cancel(reason = 'cancelled', options: CancelOptions = {}): Promise<void> {
    checkArgument('run.cancel: reason', reason, 'text');
    checkOptions('run.cancel', options, allowed.cancelOptions);
    const { agentId, moduleId } = options;
    if (moduleId !== undefined) assertModule(this.state, moduleId);
    // Cancelling twice, or after the end, waits for the same end.
    await this.#parts.actor.cancel(reason, {
      ...(agentId === undefined ? {} : { agentId: agentOfId(this.state, agentId).meta.agentId }),
      ...(moduleId === undefined ? {} : { moduleId }),
      ...readBy(options),
    });
  }

  /**
   * Changes the profiles of this run while it goes on: they are compiled and checked like files before they take effect, recorded, and used
   * from each agent's next turn on, also when the run is resumed or forked. Agents that plan are notified. The profile of an agent at work
   * can be changed, but neither disabled nor renamed. Other runs, and the files, stay unchanged.
   */
  async updateProfiles(edits: readonly ProfileEdit[], options: ByOption = {}): Promise<readonly ProfileChange[]> {
    checkOptions('run.updateProfiles', options, allowed.byOption);
    const by = readBy(options);
    // Edits run one after the other: each starts from the result of the one before.
    const edit = this.#editing.then(async () => await this.#parts.editProfiles(readProfileEdits(edits), by));
    this.#editing = edit.catch(() => undefined);
    return await edit;
  }

  /** Changes the plan as `manage_work_modules` does, on behalf of a person: all of it or nothing. Agents that plan are notified. */
  async updateModules(actions: readonly ModuleAction[], options: ByOption = {}): Promise<void> {
    checkOptions('run.updateModules', options, allowed.byOption);
    await this.#parts.actor.submit({ kind: 'modules', actions: readModuleActions(actions), ...readBy(options) });
  }

  /** Returns the records of turns, oldest first: those of agents, unless `type` asks for another type of turn, or for `all`. */
  turns(filter: TurnFilter = {}): readonly TurnRecord[] {
    checkOptions('run.turns', filter, allowed.turnFilter);
    const full = this.fullState();
    return filterTurns(full, filter).map((turn) => this.#record(full, turn));
  }

  /** Returns the record of one turn; undefined when there is none of this id. */
  turn(turnId: string): TurnRecord | undefined {
    checkArgument('run.turn: turnId', turnId, 'name');
    const full = this.fullState();
    const turn = turnInMemory(full, turnId, this.#parts.journal);
    return turn === undefined ? undefined : this.#record(full, turn);
  }

  /** Traces a text in a turn's prompt or reply to its origin, with the chain of causes back to a person. */
  why(turnId: string, text: string): readonly WhyAnswer[] {
    checkArgument('run.why: turnId', turnId, 'name');
    checkArgument('run.why: text', text, 'name');
    const events = eventsAtHand(this.#parts.journal, this.id);
    const full = this.fullState();
    turnInMemory(full, turnId, this.#parts.journal);
    return why(full, turnId, text, {
      content: this.#content,
      profiles: this.#parts.profiles,
      ...(events === undefined ? {} : { eventAt: (seq: number) => events[seq - 1] }),
    });
  }

  /** Returns a text of this run, such as its output, with tokens of stored results (`<#KB-00001>`) replaced by the results. */
  withKnowledge(text: string): string {
    checkArgument('run.withKnowledge: text', text, 'text');
    return fillTokens(text, this.state.team.shared, this.#parts.content);
  }

  /** Returns the run so far as a recording: a text that `createEngine({ replay })` and `cadre run --replay` answer from. */
  async recording(): Promise<string> {
    const events = await this.#parts.journal.read(this.id);
    return toRecording(foldEvents(events, 'everything') ?? this.state, events, this.#content);
  }

  #record(run: RunContext, turn: TurnState): TurnRecord {
    return toTurnRecord(run, turn, this.#content, this.#parts.profiles, this.#parts.hash);
  }

  /** Submits verdicts together; throws the first refusal once all are settled, with what happened to the request. */
  async #decide(verdicts: () => readonly Input[]): Promise<void> {
    try {
      const settled = await Promise.allSettled(verdicts().map((input) => this.#parts.actor.submit(input)));
      for (const outcome of settled) if (outcome.status === 'rejected') throw outcome.reason;
    } catch (thrown) {
      throw await withFate(thrown, this.state, (after) => this.#parts.journal.read(this.id, { after }));
    }
  }

  async #untilEnded(): Promise<RunResult> {
    if (this.state.outcome === undefined) await untilEnded(this.#parts.actor);
    return runResult(this.state, this.#parts.profiles);
  }
}
