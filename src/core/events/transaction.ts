import { cleanValue } from '../untrusted/clean-outside.ts';
import type { ErrorRecord } from '../error.ts';
import { type CadreEvent, type EventDraft, type EventOf, type EventPlace, type InboxAdd, type Roomy, unplaced } from './event.ts';
import { applyEvent } from '../fold/apply-event.ts';
import type { AgentId, CallId, ContentHash, ItemId, TurnId } from '../ids.ts';
import type { InboxItem } from '../inbox/inbox.ts';
import type { ContentEntry } from './journal.ts';
import type { JsonObject, JsonValue } from '../json.ts';
import type { RunContext } from '../state/run-context.ts';

/**
 * Work that becomes due with a commit: started only after the commit is durable. A `pure` tool may start before, since
 * nobody can tell whether it ran.
 */
export type Effect =
  | { readonly kind: 'model'; readonly agentId: AgentId; readonly turnId: TurnId; readonly cause: number }
  /** Aborts the model call of a turn, since something came in that will not wait for it. */
  | { readonly kind: 'interrupt'; readonly agentId: AgentId; readonly turnId: TurnId; readonly cause: number }
  /** Tells a tool that runs to stop; what it says within its grace is its result. */
  | {
      readonly kind: 'stop';
      readonly agentId: AgentId;
      readonly turnId: TurnId;
      readonly callId: CallId;
      readonly error: ErrorRecord;
      readonly cause: number;
    }
  | { readonly kind: 'compaction'; readonly agentId: AgentId; readonly compactionId: string; readonly cause: number }
  /** Asks a model for the run's title. */
  | { readonly kind: 'title'; readonly cause: number }
  | {
      readonly kind: 'tool';
      readonly agentId: AgentId;
      readonly turnId: TurnId;
      readonly callId: CallId;
      readonly pure: boolean;
      readonly cause: number;
    }
  /** Asks the tool `by` whether a call happened that was interrupted while it ran. */
  | {
      readonly kind: 'verify';
      readonly agentId: AgentId;
      readonly turnId: TurnId;
      readonly callId: CallId;
      readonly by: string;
      readonly cause: number;
    };

/** What an item needs to say for itself; the rest has defaults. */
export interface ItemDraft {
  readonly source: string;
  readonly payload: JsonValue;
  readonly itemId?: ItemId;
  readonly consumption?: InboxItem['consumption'];
  readonly delivery?: InboxItem['delivery'];
  readonly priority?: number;
  readonly maxTurns?: number;
  readonly ingestorId?: string;
  readonly ingestorParams?: JsonObject;
  readonly observerId?: string;
  readonly ruleId?: string;
  readonly trust?: 'untrusted';
  readonly taint?: readonly string[];
  readonly cleaned?: number;
  readonly quotes?: readonly AgentId[];
  readonly from?: AgentId;
  readonly repeats?: ItemId;
}

/** Events after which a decision is full: what can still go on is left to the next one, so that the event loop turns in between. */
const fullAt = 500;

/**
 * One decision in the making: events are folded into state as they are emitted, so that each step sees what the steps
 * before it did; the whole list is then appended as one commit. When the commit fails, the state is thrown away and
 * read again from the journal: nothing of a failed decision survives.
 */
export class Transaction {
  readonly run: RunContext;
  readonly at: number;
  readonly events: CadreEvent[] = [];
  readonly effects: Effect[] = [];
  readonly contents: ContentEntry[] = [];
  readonly #touched: AgentId[] = [];
  #looked = 0;
  /** Agents that ended in this decision, by which event, and whose parents have not been told yet. */
  readonly ended: { readonly agentId: AgentId; readonly seq: number }[] = [];
  /** The commit starts a tool that is not pure, records the result of an unsafe one, or ends the run: sync it fully. */
  sync = false;
  readonly #hash: (text: string) => ContentHash;
  readonly #known: Set<ContentHash>;
  #cause: number | undefined;

  constructor(
    run: RunContext,
    at: number,
    contents: { readonly hash: (text: string) => ContentHash; readonly known: Set<ContentHash> },
  ) {
    this.run = run;
    this.at = at;
    this.#hash = contents.hash;
    this.#known = contents.known;
  }

  /** The event that brings about what is emitted next, unless `emit` is told otherwise. */
  setCause(seq: number | undefined): void {
    this.#cause = seq;
  }

  /** Emits an event: gives the draft its place, folds it in, and returns it. The draft becomes the event: it must be nobody else's. */
  emit<Draft extends EventDraft>(draft: Draft, cause: number | undefined = this.#cause): Draft & CadreEvent {
    const { run } = this;
    const event = draft as Draft & { -readonly [Key in keyof EventPlace]: EventPlace[Key] };
    event.runId = run.meta.runId;
    event.seq = run.seq + 1;
    event.at = this.at;
    if (cause !== undefined) event.cause = cause;
    else if (event.cause !== undefined) delete event.cause;
    const placed = event as Draft & CadreEvent;
    applyEvent(run, placed);
    this.events.push(placed);
    const agentId = (placed as { readonly agentId?: AgentId }).agentId;
    if (agentId !== undefined) this.touch(agentId);
    return placed;
  }

  /** Notes that something happened to an agent: it may be able to take a turn. */
  touch(agentId: AgentId): void {
    const waiting = this.#looked < this.#touched.length;
    if (!waiting || this.#touched.at(-1) !== agentId) this.#touched.push(agentId);
  }

  /** True when nothing more should begin in this decision, such as the turns of a thousand agents; `unsettled` has the rest. */
  get isFull(): boolean {
    return this.events.length >= fullAt;
  }

  /** The agents that something happened to and that were not looked at, each once. */
  get unsettled(): readonly AgentId[] {
    return [...new Set(this.#touched.slice(this.#looked))];
  }

  /** The next agent something happened to since it was last looked at; undefined when there is none left. */
  nextTouched(): AgentId | undefined {
    const next = this.#touched[this.#looked];
    if (next !== undefined) this.#looked++;
    return next;
  }

  /** Posts an item to an agent; its id derives from the run's counter unless it came with one. */
  post(to: AgentId, draft: ItemDraft, cause?: number): EventOf<'inbox.add'> {
    return this.emit(this.itemDraft(to, draft), cause ?? this.#cause);
  }

  /** The event that would post an item, without emitting it. */
  itemDraft(to: AgentId, draft: ItemDraft): Roomy<InboxAdd> {
    const item: InboxItem = {
      consumption: 'consume_on_read',
      delivery: 'next',
      ...(draft.trust === 'untrusted' ? withoutUnseen(draft) : draft),
      itemId: draft.itemId ?? this.#nextItemId(),
    };
    return {
      type: 'inbox.add',
      agentId: to,
      item,
      runId: unplaced.runId,
      seq: unplaced.seq,
      at: unplaced.at,
      cause: unplaced.cause,
    };
  }

  /** Emits what another part drafted earlier; items get their ids only now, since others may have been posted in between. */
  emitDraft(draft: EventDraft, cause?: number): void {
    this.emit(
      draft.type === 'inbox.add' ? { ...draft, item: { ...draft.item, itemId: this.#nextItemId() } } : { ...draft },
      cause ?? this.#cause,
    );
  }

  #nextItemId(): ItemId {
    return `i${this.run.counters.items + 1}` as ItemId;
  }

  /** Stores a text once and returns its address. */
  content(text: string): ContentHash {
    const hash = this.#hash(text);
    if (!this.#known.has(hash)) {
      this.#known.add(hash);
      this.contents.push({ hash, text });
    }
    return hash;
  }
}

/** What comes from outside is cleaned where it comes in, and what was taken out is on record. */
function withoutUnseen(draft: ItemDraft): ItemDraft {
  const { value: payload, removed } = cleanValue(draft.payload);
  return removed === 0 ? draft : { ...draft, payload, cleaned: (draft.cleaned ?? 0) + removed };
}
