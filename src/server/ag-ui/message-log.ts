import type { JsonObject } from '../../core/json.ts';

/** The messages of a thread as a client has put them together from what it was told. */
export class MessageLog {
  #messages: JsonObject[] = [];

  get messages(): readonly JsonObject[] {
    return this.#messages;
  }

  /** Begins anew with what a client says it has. */
  reset(messages: readonly JsonObject[]): void {
    this.#messages = [...messages];
  }

  /** Adds a message, or takes the place of the one of the same id. */
  put(message: JsonObject): void {
    const index = this.#messages.findIndex(({ id }) => id === message['id']);
    if (index < 0) this.#messages.push(message);
    else this.#messages[index] = { ...this.#messages[index], ...message };
  }

  /** Adds a call to the assistant's message of an id, which is made if need be. */
  putCall(messageId: string, call: JsonObject, owner: JsonObject): void {
    const known = this.#messages.find(({ id }) => id === messageId)?.['toolCalls'];
    this.put({ id: messageId, role: 'assistant', ...owner, toolCalls: [...(Array.isArray(known) ? known : []), call] });
  }
}
