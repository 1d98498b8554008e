import type { CadreEvent } from '../../core/events/event.ts';
import type { ContentHash } from '../../core/ids.ts';
import { type ReadContent, readList } from '../../inspect/read-content.ts';

/** Shape of a content hash: 132 bits in base64url. */
const hashShape = /^[\w-]{22}$/;

/** Set of stored texts a run refers to: those named by its events, and those named by the lists of its system prompts. */
export class ReferredTexts {
  readonly #content: ReadContent;
  readonly #named = new Set<string>();
  /** Stored lists of segments that have not been read yet. */
  readonly #lists = new Set<string>();
  readonly #read = new Set<string>();
  #scanned = 0;

  constructor(content: ReadContent) {
    this.#content = content;
  }

  /** Scans the events added since the last call. */
  scan(events: readonly CadreEvent[]): void {
    for (; this.#scanned < events.length; this.#scanned++) this.#collect(events[this.#scanned], '');
  }

  has(hash: string): boolean {
    if (this.#named.has(hash)) return true;
    for (const list of this.#lists) {
      this.#lists.delete(list);
      this.#read.add(list);
      this.#collect(readList(this.#content, list as ContentHash), '');
    }
    return this.#named.has(hash);
  }

  #collect(value: unknown, key: string): void {
    if (typeof value === 'string') this.#name(value, key);
    else if (Array.isArray(value)) for (const entry of value) this.#collect(entry, key);
    else if (typeof value === 'object' && value !== null)
      for (const [name, entry] of Object.entries(value)) this.#collect(entry, name);
  }

  #name(text: string, key: string): void {
    if (text.length !== 22 || !hashShape.test(text)) return;
    this.#named.add(text);
    if (key === 'system' && !this.#read.has(text)) this.#lists.add(text);
  }
}
