import type { JsonObject, JsonValue } from '../../core/json.ts';
import type { PendingRequest } from '../../core/state/pending.ts';
import { choicesOf, readAnswer, readArguments } from '../../inspect/read-answer.ts';

/** Meaning of a typed line for a pending request. */
export type Verdict =
  | { readonly kind: 'approve'; readonly args?: JsonObject; readonly always?: boolean }
  | { readonly kind: 'reject'; readonly message?: string }
  | { readonly kind: 'answer'; readonly value: JsonValue }
  | { readonly kind: 'unclear'; readonly hint: string };

const approvalHint =
  'Type y to approve the call, a to approve it and all like it in this run, n (with a reason) to reject it, or e and new arguments as JSON.';

/** Parses a typed line: `y`, `a`, `n`, `n why` or `e {…}` for an approval; the answer, or its number, for a question. */
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

/** Returns the prompt that asks for a verdict. */
export function verdictPrompt(request: PendingRequest): string {
  if (request.kind === 'approval') return 'Approve this call? [y / n / n and a reason / e and new arguments / a = always] ';
  return choicesOf(request).length > 0 ? 'Your answer (or its number): ' : 'Your answer: ';
}
