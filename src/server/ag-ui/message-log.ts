import type { JsonObject } from '../../core/json.ts';

/** Messages of a thread as the client has them after the events sent so far. */
export class MessageLog {
  #messages: JsonObject[] = [];

  get messages(): readonly JsonObject[] {
    return this.#messages;
  }

  /** Replaces all messages with those a client says it has. */
  reset(messages: readonly JsonObject[]): void {
    this.#messages = [...messages];
  }

  /** Adds a message, or merges it into the one with the same id. */
  put(message: JsonObject): void {
    const index = this.#messages.findIndex(({ id }) => id === message['id']);
    if (index < 0) this.#messages.push(message);
    else this.#messages[index] = { ...this.#messages[index], ...message };
  }

  /** Adds a call to the assistant message with this id; creates the message if it is missing. */
  putCall(messageId: string, call: JsonObject, owner: JsonObject): void {
    const known = this.#messages.find(({ id }) => id === messageId)?.['toolCalls'];
    this.put({ id: messageId, role: 'assistant', ...owner, toolCalls: [...(Array.isArray(known) ? known : []), call] });
  }
}
