import { isJsonObject, type JsonObject, type JsonValue } from '../core/json.ts';
import type { PendingRequest } from '../engine/pending.ts';

/** What a typed line means for something that waits for a person. */
export type Verdict =
  | { readonly kind: 'approve'; readonly args?: JsonObject; readonly always?: boolean }
  | { readonly kind: 'reject'; readonly message?: string }
  | { readonly kind: 'answer'; readonly value: JsonValue }
  | { readonly kind: 'unclear'; readonly hint: string };

const approvalHint =
  'Type y to allow the call, a to allow all like it in this run, n (and why) to refuse it, or e and the new arguments as JSON.';

/** Reads a typed line: `y`, `a`, `n`, `n why` or `e {…}` for an approval; the answer itself, or its number, for a question. */
export function readVerdict(request: PendingRequest, line: string): Verdict {
  const text = line.trim();
  if (request.kind === 'question') return { kind: 'answer', value: readAnswer(request, text) };
  if (/^(?:y|yes)$/i.test(text)) return { kind: 'approve' };
  if (/^(?:a|always)$/i.test(text)) return { kind: 'approve', always: true };
  const edited = /^(?:edit|e)(?![a-z])\s*(.*)$/is.exec(text)?.[1];
  if (edited !== undefined) return readEdit(edited);
  const refused = /^(?:n|no)(?:[\s,:]+(.*))?$/is.exec(text);
  if (refused === null) return { kind: 'unclear', hint: approvalHint };
  const message = refused[1]?.trim() ?? '';
  return message === '' ? { kind: 'reject' } : { kind: 'reject', message };
}

function readEdit(text: string): Verdict {
  try {
    const args = readArguments(text);
    return { kind: 'approve', args };
  } catch (thrown) {
    return { kind: 'unclear', hint: thrown instanceof Error ? thrown.message : String(thrown) };
  }
}

/** The arguments a person gives a call. Throws when the text is no JSON object. */
export function readArguments(text: string): JsonObject {
  const example = 'all arguments as one JSON object, for example {"amount": 5}';
  let value: JsonValue;
  try {
    value = JSON.parse(text) as JsonValue;
  } catch (thrown) {
    throw new Error(`The new arguments are no JSON (${thrown instanceof Error ? thrown.message : ''}): give ${example}.`, {
      cause: thrown,
    });
  }
  if (!isJsonObject(value)) throw new Error(`The new arguments are no object: give ${example}.`);
  return value;
}

/** The choices of a question, in order; empty when it has none. */
export function choicesOf({ schema }: PendingRequest): readonly JsonValue[] {
  const choices = schema?.['enum'];
  return Array.isArray(choices) ? (choices as readonly JsonValue[]) : [];
}

/**
 * An answer as the question's schema wants it: a choice by its number or its words, JSON where no text is asked for, else the words
 * as typed.
 */
export function readAnswer(request: PendingRequest, text: string): JsonValue {
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
    return JSON.parse(text) as JsonValue;
  } catch {
    // Not JSON after all: the words are the answer, and the engine says when it wants another one.
    return text;
  }
}

/** The words that ask for a verdict. */
export function verdictPrompt(request: PendingRequest): string {
  if (request.kind === 'approval') return 'Allow this call? [y / n / n and why / e and new arguments / a = always] ';
  return choicesOf(request).length > 0 ? 'Your answer (or its number): ' : 'Your answer: ';
}
