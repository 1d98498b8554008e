import type { LanguageModelV4, LanguageModelV4CallOptions } from '@ai-sdk/provider';
import type { JsonObject } from '../core/json.ts';
import { createScriptedStream, toReplyParts } from './scripted/scripted-stream.ts';

/** Tool offered in the last request. */
export interface OfferedToClient {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
}

interface Order {
  readonly id: string;
  readonly toolName: string;
  readonly input: string;
}

/**
 * Model that replies with the tool calls a client has ordered, or with a text when there are none. It lets a client act as the
 * model, under the same gates, limits and records.
 */
export class ClientModel {
  #waiting: Order[] = [];
  #orders = 0;
  #offered: readonly OfferedToClient[] = [];

  readonly model: LanguageModelV4 = {
    specificationVersion: 'v4',
    provider: 'client',
    modelId: 'client',
    supportedUrls: { '*/*': [/^/] },
    doStream: (request) => Promise.resolve({ stream: this.#reply(request) }),
    doGenerate: () => Promise.reject(new Error('A client only streams: call doStream.')),
  };

  /** Tools of the last request. */
  get offered(): readonly OfferedToClient[] {
    return this.#offered;
  }

  /** Orders a call for the next reply. Returns the provider's id of that call. */
  order(toolName: string, args: JsonObject): string {
    this.#orders += 1;
    const id = `client_${this.#orders}`;
    this.#waiting.push({ id, toolName, input: JSON.stringify(args) });
    return id;
  }

  /** Withdraws an order; false when the call was already made. */
  withdraw(id: string): boolean {
    const left = this.#waiting.filter((order) => order.id !== id);
    const found = left.length < this.#waiting.length;
    this.#waiting = left;
    return found;
  }

  #reply(request: LanguageModelV4CallOptions) {
    this.#offered = (request.tools ?? []).flatMap((tool) =>
      tool.type === 'function'
        ? [{ name: tool.name, description: tool.description ?? '', inputSchema: tool.inputSchema as JsonObject }]
        : [],
    );
    const calls = this.#waiting.splice(0).map(({ id, toolName, input }) => ({ id, name: toolName, input }));
    const parts = toReplyParts(calls.length === 0 ? { text: 'Waiting for the client.' } : { toolCalls: calls });
    return createScriptedStream({ parts, ending: { kind: 'close' }, delayMs: 0, signal: request.abortSignal });
  }
}
