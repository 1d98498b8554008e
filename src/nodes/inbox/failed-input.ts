import type { TurnContext } from '../../core/turn-context.ts';
import { frameUntrusted } from '../../core/untrusted/frame-untrusted.ts';
import { everySource } from '../../core/untrusted/scope-origins.ts';
import { isUntrusted } from '../../core/fold/sources.ts';
import { poisonAfterFailures, type WaitingItem } from '../../core/inbox/inbox.ts';
import { isJsonObject } from '../../core/json.ts';
import type { TurnInput } from '../../core/state/turn.ts';
import { framedInput, frameOf } from './frame-input.ts';

/** Providers refuse empty messages of a user, so an event without words says that it has none. The result of a call may be empty. */
export const emptyText = '(empty)';

/**
 * Returns the note that the model sees instead of an item whose ingestor failed; the item stays in the inbox. After three
 * failures the item goes to the dead-letter queue. A tool result is never held back: the model gets its raw text.
 */
export function failedInput(
  context: TurnContext,
  { item }: WaitingItem,
  failed: { readonly base: TurnInput; readonly error: string },
): TurnInput {
  const { tx, env, agent } = context;
  const { base, error } = failed;
  const agentId = agent.meta.agentId;
  tx.emit({
    type: 'inbox.fail',
    agentId,
    itemId: item.itemId,
    error: { code: 'INGESTOR_FAILED', message: `ingestor '${base.ingestor}' failed on ${item.source}: ${error}` },
  });
  if (base.role === 'tool') {
    const content = isJsonObject(item.payload) ? item.payload['content'] : item.payload;
    const raw = typeof content === 'string' ? content : JSON.stringify(content ?? null);
    return framedInput(tx, env, base, item, raw);
  }
  const poisoned = (agent.inbox.items.find((entry) => entry.item.itemId === item.itemId)?.failures ?? 0) >= poisonAfterFailures;
  // What an ingestor says of its failure may quote its payload, and any state it could read.
  const read = everySource(env, { run: tx.run, agent });
  const isOutside = isUntrusted(base, item) || base.taint !== undefined || read.length > 0;
  const words = isOutside ? frameUntrusted(error, frameOf(tx, env, item)).content : error;
  const note = {
    ...base,
    ...(read.length === 0 ? {} : { taint: [...new Set([...(base.taint ?? []), ...read])] }),
    mode: 'append_as_new_message' as const,
    persistent: false,
    content: failureNote(item.source, words, poisoned),
  };
  if (!poisoned) return { ...note, kept: true };
  tx.emit({ type: 'inbox.drop', agentId, itemId: item.itemId, reason: 'dead_letter' });
  tx.emit({
    type: 'note.add',
    level: 'error',
    code: 'ITEM_POISONED',
    message: `item ${item.itemId} (${item.source}) could not be read ${poisonAfterFailures} times and is in the dead-letter queue: ${error}`,
    agentId,
  });
  return note;
}

function failureNote(source: string, error: string, poisoned: boolean): string {
  const next = poisoned ? 'It has been set aside.' : 'It will be tried again.';
  return `<system_error context_source='internal_event_processor'>\nAn event of kind ${source} could not be put into words: ${error}\n${next} Tell the user about it if it matters, and go on with what you have.\n</system_error>`;
}
