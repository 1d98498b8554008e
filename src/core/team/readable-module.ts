import { isJsonObject, type JsonObject, type JsonValue } from '../json.ts';

/**
 * Converts a work module to its form for models: times as ISO text in UTC, without empty fields. Text by people and models
 * (names, deliverables, review) stays verbatim. Conditions see the record itself, with times as numbers.
 */
export function readableModule(module: JsonObject): JsonObject {
  return fieldsOf(module, (key, value) => {
    if (listsOfAttempts.has(key) && Array.isArray(value))
      return (value as readonly JsonValue[]).map((attempt) => (isJsonObject(attempt) ? fieldsOf(attempt, timed) : attempt));
    if (key === 'review_info' && isJsonObject(value)) return fieldsOf(value, (_, part) => part);
    return timed(key, value);
  });
}

const listsOfAttempts: ReadonlySet<string> = new Set(['assignee_history', 'context_archive']);
const times: ReadonlySet<string> = new Set(['created_at', 'updated_at', 'started_at', 'ended_at', 'archived_at']);

function fieldsOf(record: JsonObject, read: (key: string, value: JsonValue) => JsonValue): JsonObject {
  const fields: Record<string, JsonValue> = {};
  for (const key of Object.keys(record)) {
    const value = record[key];
    if (value === undefined || isEmpty(value)) continue;
    // Assigned, this name would set a prototype.
    if (key === '__proto__') Object.defineProperty(fields, key, { value: read(key, value), enumerable: true });
    else fields[key] = read(key, value);
  }
  return fields;
}

/** Converts a time of the record to text; a number that is no valid time stays. */
function timed(key: string, value: JsonValue): JsonValue {
  if (!times.has(key) || typeof value !== 'number' || !(Math.abs(value) <= 8.64e15)) return value;
  if (value !== last.time) {
    last.text = new Date(value).toISOString();
    last.time = value;
  }
  return last.text;
}

// Pure cache: the modules that one call creates or moves have one time in common.
const last = { time: Number.NaN, text: '' };

function isEmpty(value: JsonValue): boolean {
  if (value === null || value === '') return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}
