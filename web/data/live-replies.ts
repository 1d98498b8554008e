import { signal } from '@preact/signals';
import type { CadreEvent } from '../../src/core/events/event.ts';
import type { CallId, TurnId } from '../../src/core/ids.ts';
import type { LiveDelta, LiveProgress } from './run-source.ts';

/** A reply while it streams. */
export interface LiveReply {
  readonly attempt: number;
  readonly text: string;
  readonly reasoning: string;
  /** Arguments of a tool call being written, by tool. */
  readonly toolInput: string;
  /** Texts of earlier attempts that were given up, oldest first. */
  readonly superseded: readonly string[];
}

/** Live data beside the journal: replies by turn, and tool progress by call. Entries go when the journal has the result. */
export class LiveReplies {
  readonly replies = signal<ReadonlyMap<TurnId, LiveReply>>(new Map());
  readonly progress = signal<ReadonlyMap<CallId, LiveProgress>>(new Map());

  delta({ turnId, delta }: LiveDelta): void {
    const before = this.replies.value.get(turnId);
    // A later attempt supersedes the text before it.
    const base =
      before === undefined || before.attempt < delta.attempt
        ? {
            attempt: delta.attempt,
            text: '',
            reasoning: '',
            toolInput: '',
            superseded: before === undefined ? [] : [...before.superseded, before.text],
          }
        : before;
    if (base.attempt > delta.attempt) return;
    this.replies.value = new Map(this.replies.value).set(turnId, added(base, delta));
  }

  /** Marks that text may be missing from here on, until the journal has the whole reply. */
  gap(): void {
    if (this.replies.value.size === 0) return;
    this.replies.value = new Map([...this.replies.value].map(([turnId, reply]) => [turnId, withGap(reply)]));
  }

  /** Drops all replies: the server, or the next attempt after a restart, sends them again from the beginning. */
  forget(): void {
    if (this.replies.value.size > 0) this.replies.value = new Map();
  }

  tell(progress: LiveProgress): void {
    this.progress.value = new Map(this.progress.value).set(progress.callId, progress);
  }

  /** Drops live text that the journal now has. */
  settle(events: readonly CadreEvent[]): void {
    const replies = new Map(this.replies.value);
    const progress = new Map(this.progress.value);
    for (const event of events) {
      // Calls in progress are made again: their text so far is obsolete.
      if (event.type === 'run.resume') replies.clear();
      if (event.type === 'model.end' || event.type === 'turn.end') replies.delete(event.turnId);
      if (event.type === 'tool.end') progress.delete(event.callId);
    }
    if (replies.size !== this.replies.value.size) this.replies.value = replies;
    if (progress.size !== this.progress.value.size) this.progress.value = progress;
  }
}

/** Marks a place where deltas may be missing. */
const gapMark = ' […] ';

function withGap(reply: LiveReply): LiveReply {
  const marked = (text: string): string => (text === '' || text.endsWith(gapMark) ? text : text + gapMark);
  return { ...reply, text: marked(reply.text), reasoning: marked(reply.reasoning), toolInput: marked(reply.toolInput) };
}

function added(reply: LiveReply, { kind, text }: LiveDelta['delta']): LiveReply {
  switch (kind) {
    case 'text':
      return { ...reply, text: reply.text + text };
    case 'reasoning':
      return { ...reply, reasoning: reply.reasoning + text };
    case 'tool-input':
      return { ...reply, toolInput: reply.toolInput + text };
  }
}
