import type { Ingestor } from '../core/inbox/ingestor.ts';
import { isJsonObject } from '../core/json.ts';

/** A message history as indented JSON between tags (A1.4). Takes the list, or `{ messages }`. */
export const jsonHistory: Ingestor = {
  name: 'json_history',
  ingest: (payload) => {
    const messages = isJsonObject(payload) && Array.isArray(payload['messages']) ? payload['messages'] : payload;
    // An escaped slash is the same JSON, and cannot close the tag.
    const json = JSON.stringify(messages ?? [], null, 2).replaceAll('</', '<\\/');
    return `<message_history_json>\n${json}\n</message_history_json>`;
  },
};
