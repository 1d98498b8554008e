import { type JsonObject, isJsonObject } from '../../core/json.ts';
import type { SubContext } from '../../core/state/sub-context.ts';
import { assistantWords } from './message-text.ts';
import { readJson } from '../../core/read-json.ts';

/** Number of an agent's last texts that are searched for a JSON summary. */
const textsSearched = 5;

/** Returns the last text an agent wrote, or an empty string. */
export function lastAssistantText(agent: SubContext): string {
  return lastTexts(agent, 1)[0] ?? '';
}

/**
 * Derives deliverables for an agent that submitted none: its last text that is a JSON object with `primary_summary` (the format
 * `generate_message_summary` asks for), otherwise `{ primary_summary: text }` of the given or last text; `{}` when it wrote
 * nothing.
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

/** True when deliverables are empty. */
export function isEmptyDeliverables(deliverables: JsonObject): boolean {
  return Object.keys(deliverables).length === 0;
}

/** Parses a JSON object with a textual `primary_summary`, fenced or not. */
function parseSummary(text: string): JsonObject | undefined {
  const trimmed = text.trim();
  const fenced = /^```(?:json)?\s*\n([\s\S]*?)\n?```$/.exec(trimmed)?.[1];
  const body = fenced ?? trimmed;
  if (!body.startsWith('{')) return undefined;
  try {
    const value = readJson(body);
    return isJsonObject(value) && typeof value['primary_summary'] === 'string' ? value : undefined;
  } catch {
    // Not JSON: the text is plain words.
    return undefined;
  }
}

/** Returns the last non-empty texts of an agent, newest first. */
function lastTexts(agent: SubContext, count: number): readonly string[] {
  const texts: string[] = [];
  for (let index = agent.history.messages.length - 1; index >= 0 && texts.length < count; index -= 1) {
    const message = agent.history.messages[index];
    const text = message === undefined ? '' : assistantWords(message).trim();
    if (text !== '') texts.push(text);
  }
  return texts;
}
