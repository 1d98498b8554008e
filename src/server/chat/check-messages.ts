import type { UIMessage } from 'ai';
import { CadreError } from '../../core/error.ts';
import { isJsonObject, type JsonValue } from '../../core/json.ts';

const mostMessages = 10_000;

/**
 * Checks the messages of a client with the AI SDK's own schema.
 *
 * @throws CadreError `REQUEST_INVALID` with the place of the first value that does not fit, and what fits there
 */
export async function checkMessages(messages: JsonValue | undefined): Promise<readonly UIMessage[]> {
  if (!Array.isArray(messages) || messages.length > mostMessages)
    throw invalid(`messages must be a list of at most ${mostMessages} messages: { id, role, parts }`);
  // The schema of `ai` says the same in more words.
  if (messages.length === 0) throw invalid('messages must have at least one message');
  const { safeValidateUIMessages } = await import('ai');
  const checked = await safeValidateUIMessages({ messages });
  if (checked.success) return checked.data;
  throw invalid(`${describeIssue(checked.error)}. A message of the AI SDK is { id, role, parts }`);
}

/** Describes the first problem the schema found, with its place. The error's own message contains all messages. */
function describeIssue({ cause }: Error): string {
  const issues: unknown = cause instanceof Error ? Reflect.get(cause, 'issues') : undefined;
  const issue: unknown = Array.isArray(issues) ? issues[0] : undefined;
  if (!isJsonObject(issue) || !Array.isArray(issue['path'])) return 'messages cannot be checked: they are nested too deeply';
  const path = (issue['path'] as readonly (string | number)[]).map((key) => (typeof key === 'number' ? `[${key}]` : `.${key}`));
  const { options } = issue;
  const allowed = Array.isArray(options) ? ` (one of: ${options.join(', ')})` : '';
  return `messages${path.join('')}: ${String(issue['message'])}${allowed}`;
}

function invalid(what: string): CadreError {
  return new CadreError('REQUEST_INVALID', what);
}
