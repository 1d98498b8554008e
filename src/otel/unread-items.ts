import type { Attributes, Link, SpanContext } from '@opentelemetry/api';
import type { EventOf } from '../core/events/event.ts';

/** What is known of an item until a turn reads it: the span that posted it, and the person. */
interface Posted {
  readonly context: SpanContext | undefined;
  readonly by: string | undefined;
}

/** Items that no turn has read yet. */
export class UnreadItems {
  readonly #items = new Map<string, Posted>();

  add(itemId: string, posted: Posted): void {
    if (posted.context !== undefined || posted.by !== undefined) this.#items.set(itemId, posted);
  }

  drop(itemId: string): void {
    this.#items.delete(itemId);
  }

  clear(): void {
    this.#items.clear();
  }

  /** Takes the items that a turn reads: links to the spans that posted them, and the attribute with their people. */
  take(inputs: EventOf<'turn.start'>['inputs']): { readonly links: readonly Link[]; readonly people: Attributes } {
    const links: Link[] = [];
    const people = new Set<string>();
    for (const { itemId, source } of inputs) {
      const { context, by } = this.#items.get(itemId) ?? {};
      this.#items.delete(itemId);
      if (context !== undefined) links.push({ context, attributes: { 'cadre.item.id': itemId, 'cadre.item.source': source } });
      if (by !== undefined) people.add(by);
    }
    return { links, people: people.size === 0 ? {} : { 'cadre.turn.by': [...people] } };
  }
}
