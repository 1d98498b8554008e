import type { JsonValue } from '../core/json.ts';
import type { PendingRequest } from '../engine/pending.ts';

/** What a typed line means for something that waits for a person. */
export type Verdict =
  | { readonly kind: 'approve' }
  | { readonly kind: 'reject'; readonly message?: string }
  | { readonly kind: 'answer'; readonly value: JsonValue }
  | { readonly kind: 'unclear'; readonly hint: string };

/** Reads a typed line: `y`, `n`, or `n why` for an approval; the answer itself for a question. */
export function readVerdict(request: PendingRequest, line: string): Verdict {
  const text = line.trim();
  if (request.kind === 'question') return { kind: 'answer', value: readAnswer(request, text) };
  if (/^(?:y|yes)$/i.test(text)) return { kind: 'approve' };
  const refused = /^(?:n|no)(?:[\s,:]+(.*))?$/is.exec(text);
  if (refused === null) return { kind: 'unclear', hint: 'Type y to allow the call, n to refuse it, or n and the reason.' };
  const message = refused[1]?.trim() ?? '';
  return message === '' ? { kind: 'reject' } : { kind: 'reject', message };
}

/** An answer as the question's schema wants it: JSON where no text is asked for, else the words as typed. */
export function readAnswer(request: PendingRequest, text: string): JsonValue {
  const type = request.schema?.['type'];
  const choices = request.schema?.['enum'];
  const wantsText =
    type === 'string' || (type === undefined && !(Array.isArray(choices) && choices.some((choice) => typeof choice !== 'string')));
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
  return request.kind === 'approval' ? 'Allow this call? [y / n / n and why] ' : 'Your answer: ';
}
