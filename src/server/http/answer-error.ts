import type { Context } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { CadreError, type ErrorCode, toErrorRecord } from '../../core/error.ts';
import { statusOf } from './error-statuses.ts';

/** Body of every error answer. */
export interface ErrorAnswer {
  readonly error: { readonly code: ErrorCode; readonly message: string; readonly details?: Readonly<Record<string, unknown>> };
}

/** True for chat requests that do not ask for JSON: clients of the AI SDK show the body of an error to people as it is. */
function isForChat({ req }: Context): boolean {
  return req.path.startsWith('/api/chat') && !/\bapplication\/json\b/i.test(req.header('accept') ?? '');
}

/** Answers with an error. A given status overrides that of the error's code. */
export function answerError(context: Context, thrown: unknown, status?: ContentfulStatusCode): Response {
  const record = toErrorRecord(thrown, 'INTERNAL');
  const details = thrown instanceof CadreError ? thrown.details : {};
  const body: ErrorAnswer = { error: Object.keys(details).length === 0 ? record : { ...record, details } };
  const answered = status ?? statusOf(record.code);
  if (!isForChat(context)) return context.json(body, answered);
  context.header('X-Error-Code', record.code);
  return context.text(record.message, answered);
}
