import type { JsonObject } from '../../core/json.ts';
import type { ProviderOptions } from '../../core/prompt/message.ts';
import type { ModelReply } from '../../core/model/model.ts';
import { readProviderOptions } from './stream-part.ts';

interface ReasoningBlock {
  text: string;
  signature: Readonly<Record<string, JsonObject>> | undefined;
}

/** Collects a reply's reasoning: all of it as text, and block by block where its provider signs it. */
export class ReasoningBlocks {
  #text = '';
  readonly #blocks = new Map<string, ReasoningBlock>();

  /** All reasoning so far. */
  get text(): string {
    return this.#text.toWellFormed();
  }

  /** Adds text and metadata to a block; later metadata overrides earlier, key by key. */
  add(id: string, delta: string, metadata: unknown): void {
    this.#text += delta;
    let block = this.#blocks.get(id);
    if (block === undefined) {
      block = { text: '', signature: undefined };
      this.#blocks.set(id, block);
    }
    block.text += delta;
    if (metadata === undefined) return;
    const signature = readProviderOptions(metadata);
    if (signature !== undefined) block.signature = mergeSignatures(block.signature, signature);
  }

  /** Returns the blocks to send back to the provider unchanged: the signed ones, or all; undefined when there are none. */
  returnedParts(which: 'signed' | 'all'): ModelReply['reasoningParts'] {
    const parts: { text: string; providerOptions: ProviderOptions }[] = [];
    for (const { text, signature } of this.#blocks.values()) {
      const isReturned = signature !== undefined || (which === 'all' && text !== '');
      if (isReturned) parts.push({ text: text.toWellFormed(), providerOptions: signature ?? {} });
    }
    return parts.length === 0 ? undefined : parts;
  }
}

function mergeSignatures(known: ReasoningBlock['signature'], added: ProviderOptions): ReasoningBlock['signature'] {
  if (known === undefined) return added;
  const merged: Record<string, JsonObject> = { ...known };
  for (const [provider, values] of Object.entries(added)) merged[provider] = { ...merged[provider], ...values };
  return merged;
}
