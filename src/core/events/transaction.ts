import { cleanValue } from '../untrusted/clean-outside.ts';
import type { ErrorRecord } from '../error.ts';
import { type CadreEvent, type EventDraft, type EventOf, type EventPlace, type PlaceableDraft, emptyPlace } from './event.ts';
import type { InboxAdd } from './agent-events.ts';
import { applyEvent } from '../fold/apply-event.ts';
import type { AgentId, CallId, ContentHash, ItemId, TurnId } from '../ids.ts';
import type { InboxItem } from '../inbox/inbox.ts';
import type { ContentEntry } from './journal.ts';
import type { RunContext } from '../state/run-context.ts';

/** Work that a commit makes due, started once the commit is durable. A `pure` tool may start earlier, since it leaves no trace. */
export type Effect =
  | { readonly kind: 'model'; readonly agentId: AgentId; readonly turnId: TurnId; readonly cause: number }
  /** Aborts the model call of a turn for an urgent item. */
  | { readonly kind: 'interrupt'; readonly agentId: AgentId; readonly turnId: TurnId; readonly cause: number }
  /** Stops a running tool at a deadline, the only sender; a result within its grace period still counts. A cancel ends the call instead. */
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
  /** Asks the tool `by` whether an interrupted call took effect. */
  | {
      readonly kind: 'verify';
      readonly agentId: AgentId;
      readonly turnId: TurnId;
      readonly callId: CallId;
      readonly by: string;
      readonly cause: number;
    };

/** Fields of a new inbox item; all but source and payload have defaults. */
export type ItemDraft = Pick<InboxItem, 'source' | 'payload'> & Partial<Omit<InboxItem, 'source' | 'payload'>>;

/** Events after which a decision is full: the rest is left to the next one, so that the event loop turns in between. */
const fullAt = 500;

/**
 * One decision in the making: events are folded into state as they are emitted, so each step sees the effects of the steps
 * before it; the whole list is then appended as one commit. If the commit fails, the state is discarded and read again from the
 * journal: no part of a failed decision survives.
 */
export class Transaction {
  readonly run: RunContext;
  readonly at: number;
  readonly events: CadreEvent[];
  readonly effects: Effect[];
  readonly contents: ContentEntry[];
  /** True when this decision should start nothing more, such as the turns of a thousand agents; `unsettled` has the rest. */
  isFull: boolean;
  /** Default cause of the events emitted from here on. */
  cause: number | undefined;
  readonly #touched: AgentId[];
  #processed: number;
  /** The last changed agent, unless a step has looked at it. */
  #lastWaiting: AgentId | undefined;
  /** Agents that this decision ended, with the ending event, whose parents have not been notified. */
  readonly ended: { readonly agentId: AgentId; readonly seq: number }[];
  /** The commit starts a tool that is not pure, or ends the run: sync it fully. */
  sync: boolean;
  readonly #hash: (text: string) => ContentHash;
  readonly #known: Set<ContentHash>;

  constructor(
    run: RunContext,
    at: number,
    contents: { readonly hash: (text: string) => ContentHash; readonly known: Set<ContentHash> },
  ) {
    this.run = run;
    // Not a number at first, as in `emptyPlace`: reading a field that only ever held numbers makes a copy.
    this.at = emptyPlace.at;
    this.at = at;
    this.events = [];
    this.effects = [];
    this.contents = [];
    this.isFull = false;
    this.cause = undefined;
    this.#touched = [];
    this.#processed = 0;
    this.#lastWaiting = undefined;
    this.ended = [];
    this.sync = false;
    this.#hash = contents.hash;
    this.#known = contents.known;
  }

  /**
   * Emits an event: gives the draft its place, folds it in, and returns it. The draft object becomes the event, so the caller
   * must not use it for anything else.
   */
  emit<Draft extends EventDraft>(draft: Draft, cause: number | undefined = this.cause): Draft & CadreEvent {
    const { run } = this;
    const event = draft as Draft & { -readonly [Key in keyof EventPlace]: EventPlace[Key] };
    event.runId = run.meta.runId;
    event.seq = run.seq + 1;
    event.at = this.at;
    if (cause !== undefined) event.cause = cause;
    else if (event.cause !== undefined) delete event.cause;
    const placed = event as Draft & CadreEvent;
    applyEvent(run, placed);
    this.isFull = this.events.push(placed) >= fullAt;
    const agentId = (placed as { readonly agentId?: AgentId }).agentId;
    if (agentId !== undefined && agentId !== this.#lastWaiting) this.touch(agentId);
    return placed;
  }

  /** Marks an agent as changed: it may be able to take a turn. */
  touch(agentId: AgentId): void {
    if (agentId === this.#lastWaiting) return;
    this.#lastWaiting = agentId;
    this.#touched.push(agentId);
  }

  /** Changed agents that no step has looked at, each once. */
  get unsettled(): readonly AgentId[] {
    return [...new Set(this.#touched.slice(this.#processed))];
  }

  /** Returns the next agent that changed since the last look at it; undefined when none is left. */
  nextTouched(): AgentId | undefined {
    const next = this.#touched[this.#processed];
    if (next !== undefined) this.#processed++;
    if (this.#processed === this.#touched.length) this.#lastWaiting = undefined;
    return next;
  }

  /** Posts an item to an agent; its id derives from the run's counter unless the draft has one. */
  post(to: AgentId, draft: ItemDraft, cause?: number): EventOf<'inbox.add'> {
    return this.emit(this.itemDraft(to, draft), cause ?? this.cause);
  }

  /** Returns the event that would post an item, without emitting it. */
  itemDraft(to: AgentId, draft: ItemDraft): PlaceableDraft<InboxAdd> {
    const item: InboxItem = {
      consumption: 'consume_on_read',
      delivery: 'next',
      ...(draft.trust === 'untrusted' ? cleanDraft(draft) : draft),
      itemId: draft.itemId ?? (`i${this.run.counters.items + 1}` as ItemId),
    };
    return {
      type: 'inbox.add',
      agentId: to,
      item,
      runId: emptyPlace.runId,
      seq: emptyPlace.seq,
      at: emptyPlace.at,
      cause: emptyPlace.cause,
    };
  }

  /** Emits a draft made earlier; items get their ids only now, since others may have been posted in between. */
  emitDraft(draft: EventDraft, cause?: number): void {
    this.emit(
      draft.type === 'inbox.add'
        ? { ...draft, item: { ...draft.item, itemId: `i${this.run.counters.items + 1}` as ItemId } }
        : { ...draft },
      cause ?? this.cause,
    );
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

/** Removes invisible characters from an untrusted item and counts them. */
function cleanDraft(draft: ItemDraft): ItemDraft {
  const { value: payload, removed } = cleanValue(draft.payload);
  return removed === 0 ? draft : { ...draft, payload, cleaned: (draft.cleaned ?? 0) + removed };
}
