import { CadreError, describeThrown } from '../../core/error.ts';
import type { ModelOutcome } from '../../core/model/model.ts';
import type { Secrets } from '../../core/secrets/secrets.ts';
import type { ToolOutcome } from '../../nodes/tools/tool-node.ts';
import type { Input } from '../run/input.ts';
import { readJson } from '../../core/read-json.ts';

/**
 * Removes secrets from an input: the only place where outside data enters a decision, so that neither state nor journal ever holds a
 * secret. Results of tools are redacted when they are rendered (`Env.toResult`).
 */
export function redactInput(secrets: Secrets, input: Input): Input {
  if (secrets.size === 0) return input;
  switch (input.kind) {
    case 'model':
    case 'compaction':
    case 'title':
      return { ...input, outcome: redactReply(secrets, input.outcome) };
    case 'tool':
    case 'verify':
      return { ...input, outcome: redactOutcome(secrets, input.outcome) };
    case 'start':
      return {
        ...input,
        payload: secrets.json(input.payload),
        ...(input.notes === undefined ? {} : { notes: secrets.json(input.notes) }),
      };
    case 'post':
    case 'attempt':
    case 'charge':
    case 'answer':
    case 'cancel':
    case 'fail':
    case 'note':
    case 'keep_note':
    case 'modules':
      return secrets.json(input);
    // Tool records were redacted when the tools were listed.
    case 'toolset':
      return input.message === undefined ? input : { ...input, message: secrets.text(input.message) };
    case 'recover':
      return input.said === undefined ? input : { ...input, said: secrets.json(input.said) };
    // Profiles are stored unchanged: their secrets come from the environment.
    case 'profiles':
    case 'lost':
    case 'settle':
    case 'timer':
    case 'clock':
      return input;
  }
}

function redactReply(secrets: Secrets, outcome: ModelOutcome): ModelOutcome {
  const clean = secrets.json(outcome);
  if (clean.kind === 'error' || !clean.reply.toolCalls.some(({ input }) => hidesText.test(input))) return clean;
  const toolCalls = clean.reply.toolCalls.map((call) => ({
    ...call,
    input: redactArguments(secrets, call.input),
    ...(call.shown === undefined ? {} : { shown: redactArguments(secrets, call.shown) }),
  }));
  return { ...clean, reply: { ...clean.reply, toolCalls } };
}

/** Arguments may spell any letter as an escape of JSON. */
const hidesText = /\\[u/]/;

function redactArguments(secrets: Secrets, input: string): string {
  if (!hidesText.test(input)) return input;
  try {
    const args: unknown = readJson(input);
    const clean = secrets.json(args);
    return clean === args ? input : JSON.stringify(clean);
  } catch {
    // Broken JSON is refused unchanged; what remains of it was redacted as text.
    return input;
  }
}

function redactOutcome(secrets: Secrets, outcome: ToolOutcome): ToolOutcome {
  const progress = secrets.json(outcome.progress);
  if (outcome.status === 'ok') return progress === outcome.progress ? outcome : { ...outcome, progress };
  return { ...outcome, progress, error: redactThrown(secrets, outcome.error) };
}

/** Returns the thrown value, or an error with the same message without secrets. */
export function redactThrown(secrets: Secrets, thrown: unknown): unknown {
  const words = describeThrown(thrown);
  // Descriptions are capped, and a secret may lie across the cut.
  const whole = thrown instanceof Error ? `${words}\n${thrown.message}` : words;
  if (secrets.text(whole) === whole) return thrown;
  if (thrown instanceof CadreError) return new CadreError(thrown.code, secrets.text(thrown.message));
  return new Error(
    secrets.text(
      thrown instanceof Error && thrown.name !== 'Error'
        ? `${thrown.name}: ${thrown.message}`
        : thrown instanceof Error
          ? thrown.message
          : words,
    ),
  );
}
