import type { EventOf } from '../../../src/core/events/event.ts';

/** A message of an agent's history: the words by which its texts are found again. */
interface KeptMessage {
  readonly role: 'user' | 'assistant' | 'tool';
  readonly turnId: string;
  readonly hasCalls: boolean;
  readonly marks: readonly string[];
}

/** An agent's history as the journal tells it, message by message; it shares no code with the fold. */
export class History {
  readonly messages: KeptMessage[] = [];

  /** Adds the inputs that a turn keeps: one message for each input, and one for all results of a reply. */
  begin({ inputs, turnId }: EventOf<'turn.start'>): void {
    let results: string[] | undefined;
    for (const input of inputs) {
      if (!input.persistent) {
        results = undefined;
        continue;
      }
      const marks = marksOf(input.content);
      if (input.role !== 'tool') {
        results = undefined;
        this.messages.push({ role: 'user', turnId, hasCalls: false, marks });
      } else if (results === undefined) {
        results = [...marks];
        this.messages.push({ role: 'tool', turnId, hasCalls: false, marks: results });
      } else results.push(...marks);
    }
  }

  /** Adds the model's reply, unless it is empty. */
  answer({ reply, turnId }: EventOf<'model.end'>): void {
    if (reply === undefined || (reply.text.trim() === '' && reply.toolCalls.length === 0)) return;
    const marks = [...marksOf(reply.text), ...reply.toolCalls.flatMap(({ input }) => marksOf(input))];
    this.messages.push({ role: 'assistant', turnId, hasCalls: reply.toolCalls.length > 0, marks });
  }

  /** Removes a retried reply from the history, unless calls keep it there; records a rule's call as if the model had made it. */
  decide({ action, turnId }: EventOf<'turn.decide'>): void {
    const last = this.messages.at(-1);
    const isOwn = last?.role === 'assistant' && last.turnId === turnId;
    if (action.type === 'retry_turn' && isOwn && !last.hasCalls) this.messages.pop();
    if (action.call === undefined) return;
    if (isOwn) this.messages[this.messages.length - 1] = { ...last, hasCalls: true };
    else this.messages.push({ role: 'assistant', turnId, hasCalls: true, marks: [] });
  }
}

function marksOf(content: unknown): readonly string[] {
  return JSON.stringify(content).match(/«\w\d+»/g) ?? [];
}
