import { type JsonObject, isJsonObject } from '../../core/json.ts';
import type { SubContext } from '../../core/state/sub-context.ts';
import { assistantWords } from './message-text.ts';

/** How many of an agent's last texts are searched for a summary it wrote as JSON. */
const textsSearched = 5;

/** The last text an agent wrote, or an empty string. */
export function lastAssistantText(agent: SubContext): string {
  return lastTexts(agent, 1)[0] ?? '';
}

/**
 * Deliverables for an agent that handed none in: the last of its texts that is a JSON object with `primary_summary`
 * (what `generate_message_summary` asks for), else `{ primary_summary: text }` of the given or last text; `{}` when it said nothing.
 */
export function fallbackDeliverables(agent: SubContext, text = ''): JsonObject {
  const texts = lastTexts(agent, textsSearched);
  for (const candidate of text === '' ? texts : [text, ...texts]) {
    const summary = parseSummary(candidate);
    if (summary !== undefined) return summary;
  }
  const words = text === '' ? (texts[0] ?? '') : text;
  return words === '' ? {} : { primary_summary: words };
}

/** Tells whether deliverables hold nothing. */
export function isEmptyDeliverables(deliverables: JsonObject): boolean {
  return Object.keys(deliverables).length === 0;
}

/** Reads a text that is a JSON object with a textual `primary_summary`, fenced or not. */
function parseSummary(text: string): JsonObject | undefined {
  const trimmed = text.trim();
  const fenced = /^```(?:json)?\s*\n([\s\S]*?)\n?```$/.exec(trimmed)?.[1];
  const body = fenced ?? trimmed;
  if (!body.startsWith('{')) return undefined;
  try {
    const value = JSON.parse(body) as unknown;
    return isJsonObject(value) && typeof value['primary_summary'] === 'string' ? value : undefined;
  } catch {
    // Not JSON after all: the text counts as plain words.
    return undefined;
  }
}

/** The last non-empty texts of an agent, newest first. */
function lastTexts(agent: SubContext, count: number): readonly string[] {
  const texts: string[] = [];
  for (let index = agent.history.messages.length - 1; index >= 0 && texts.length < count; index -= 1) {
    const message = agent.history.messages[index];
    const text = message === undefined ? '' : assistantWords(message).trim();
    if (text !== '') texts.push(text);
  }
  return texts;
}
