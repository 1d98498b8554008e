import type { EventOf } from '../../core/events/event.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json.ts';
import { readJson } from '../../core/read-json.ts';

/** Subject of an event: what was done, with its payload and summary. */
export interface Detail {
  readonly operation: string;
  readonly payload?: JsonValue;
  readonly summary?: string;
  readonly data?: JsonObject;
}

/** Returns how an agent ended as a final answer: from its deliverables (`final_response`), else its text. */
export function answerOf({ deliverables: delivered, output }: EventOf<'agent.end'>): Detail {
  const deliverables = Object.keys(delivered).length === 0 ? answerIn(output) : delivered;
  const { operation, payload, human_readable_summary: summary } = deliverables;
  if (typeof operation === 'string')
    return { operation, payload: payload ?? null, summary: typeof summary === 'string' ? summary : output };
  const said = deliverables['primary_summary'];
  const words = typeof said === 'string' ? said : output;
  const isEmpty = !isJsonObject(deliverables) || Object.keys(deliverables).length === 0;
  return { operation: 'display_message', payload: isEmpty ? { message: output } : deliverables, summary: words };
}

/** Returns the answer of an agent that must reply with JSON. */
function answerIn(output: string): JsonObject {
  if (!output.startsWith('{')) return {};
  try {
    const value = readJson(output) as JsonValue;
    return isJsonObject(value) ? value : {};
  } catch {
    // The text only looks like JSON.
    return {};
  }
}

/** Maximum length of a summary, in characters. */
const summaryChars = 200;

/** Returns a text, shortened to the maximum length of a summary. */
export function summaryOf(text: string): string {
  return text.length <= summaryChars ? text : `${text.slice(0, summaryChars - 1).toWellFormed()}…`;
}
