import type { Context } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { CadreError, type ErrorCode, toErrorRecord } from '../../core/error.ts';
import { statusOf } from './error-statuses.ts';

/** The body of every answer that is an error. */
export interface ErrorAnswer {
  readonly error: { readonly code: ErrorCode; readonly message: string; readonly details?: Readonly<Record<string, unknown>> };
}

/** Answers with an error. A status given with it goes before that of its code. */
export function answerError(context: Context, thrown: unknown, status?: ContentfulStatusCode): Response {
  const record = toErrorRecord(thrown, 'INTERNAL');
  const details = thrown instanceof CadreError ? thrown.details : {};
  const body: ErrorAnswer = { error: Object.keys(details).length === 0 ? record : { ...record, details } };
  return context.json(body, status ?? statusOf(record.code));
}
