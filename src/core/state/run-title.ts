import type { JsonValue } from '../json.ts';

/** Returns the default title of a run: the first line of its prompt, at most 80 characters. */
export function titleOf(payload: JsonValue): string {
  const prompt = typeof payload === 'object' && payload !== null && 'prompt' in payload ? payload['prompt'] : undefined;
  const line = (typeof prompt === 'string' ? prompt : '').split('\n')[0]?.trim() ?? '';
  return line.length > 80 ? `${line.slice(0, 79)}…` : line;
}
