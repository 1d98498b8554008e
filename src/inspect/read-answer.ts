import { isJsonObject, type JsonObject, type JsonValue } from '../core/json.ts';
import type { PendingRequest } from '../core/state/pending.ts';
import { readJson } from '../core/read-json.ts';

/** Parses the arguments a person gives for a call. Throws when the text is not a JSON object. */
export function readArguments(text: string): JsonObject {
  const example = 'all arguments as one JSON object, for example {"amount": 5}';
  let value: JsonValue;
  try {
    value = readJson(text) as JsonValue;
  } catch (thrown) {
    throw new Error(`The new arguments are no JSON (${thrown instanceof Error ? thrown.message : ''}): give ${example}.`, {
      cause: thrown,
    });
  }
  if (!isJsonObject(value)) throw new Error(`The new arguments are no object: give ${example}.`);
  return value;
}

/** The choices of a question, in order; empty when it has none. */
export function choicesOf({ schema }: Pick<PendingRequest, 'schema'>): readonly JsonValue[] {
  const choices = schema?.['enum'];
  return Array.isArray(choices) ? (choices as readonly JsonValue[]) : [];
}

/**
 * Converts an answer to the question's schema: a choice by its number or text, JSON where the schema asks for other than text,
 * otherwise the words as typed.
 */
export function readAnswer(request: Pick<PendingRequest, 'schema'>, text: string): JsonValue {
  const choices = choicesOf(request);
  const chosen = choices.find((choice) => choice === text || JSON.stringify(choice) === text);
  if (chosen !== undefined) return chosen;
  const numbered = /^[1-9]\d*$/.test(text) ? choices[Number(text) - 1] : undefined;
  if (numbered !== undefined) return numbered;
  const spelled = choices.filter((choice) => typeof choice === 'string' && choice.toLowerCase() === text.toLowerCase());
  if (spelled.length === 1 && spelled[0] !== undefined) return spelled[0];
  const type = request.schema?.['type'];
  const wantsText =
    type === 'string' ||
    (type === undefined && (request.schema === undefined || choices.every((choice) => typeof choice === 'string')));
  if (wantsText) return text;
  try {
    return readJson(text) as JsonValue;
  } catch {
    // Not JSON: the words are the answer, and the engine rejects them if they do not fit.
    return text;
  }
}
