import type { TurnContext } from '../../core/turn-context.ts';
import type { Env } from '../../core/env.ts';
import { describeThrown } from '../../core/error.ts';
import { type JsonValue, isDeeperThan, maxArgumentDepth } from '../../core/json.ts';
import { outputSectionId, type OutputFormat } from '../../core/prompt/output-format.ts';
import type { ItemDraft } from '../../core/events/transaction.ts';
import type { DecidedAction } from '../../core/events/turn-parts.ts';
import { readJson } from '../../core/read-json.ts';

/** Decision of a turn: the action as plain data, and the item of a loop. */
export interface Decided {
  readonly action: DecidedAction;
  readonly item?: ItemDraft;
}

// Maximum number of problems reported to a model together, and maximum length of each.
const toldProblems = 10;
const toldChars = 300;

/**
 * Validates the output of an agent that ends successfully with its own reply against its profile's `output_schema`: the output becomes
 * the JSON text of the validated value. An invalid reply goes back to the model with its problems, as often as the profile allows; then
 * the agent ends with OUTPUT_INVALID, and its text stays the output.
 */
export function checkOutput(context: Pick<TurnContext, 'env' | 'agent' | 'profile'>, decided: Decided): Decided {
  const { env, agent, profile } = context;
  const { output } = profile;
  const { action } = decided;
  if (output === undefined || action.type !== 'end_agent_turn' || action.outcome !== 'success') return decided;
  // An output that a rule supplies is not the model's answer.
  if (action.output !== agent.turn.lastReply) return decided;
  const read = readOutput(env, output, agent.turn.lastReply);
  if (read.ok) return { action: { ...action, output: JSON.stringify(read.value) } };
  if (agent.turn.outputRepairs < output.repairs) return askAgain(read.problems);
  const error = `the answer does not fit output_schema after ${output.repairs} repair(s): ${read.problems.join('; ')}`;
  return { action: { ...action, outcome: 'error', code: 'OUTPUT_INVALID', error } };
}

function askAgain(problems: readonly string[]): Decided {
  const list = problems.map((problem) => `- ${problem}`).join('\n');
  const content = `Your answer is not what it must be:\n${list}\nGive it again: one JSON value that fits the JSON Schema, and nothing else.`;
  return {
    action: { type: 'loop_with_inbox_item', ruleId: outputSectionId, code: 'OUTPUT_INVALID', error: problems.join('; ') },
    item: { source: 'SELF_REFLECTION_PROMPT', payload: { content }, consumption: 'consume_on_read', ruleId: outputSectionId },
  };
}

type ReadOutput = { readonly ok: true; readonly value: JsonValue } | { readonly ok: false; readonly problems: readonly string[] };

/** Reads an answer: JSON, alone or as the one fenced block of the reply. It is never repaired here: the model says it again. */
function readOutput(env: Env, { schema }: OutputFormat, reply: string): ReadOutput {
  const text = /^\s*```\w*[ \t]*\r?\n([\s\S]*?)\r?\n?[ \t]*```\s*$/.exec(reply)?.[1] ?? reply;
  let value: JsonValue;
  try {
    value = readJson(text) as JsonValue;
  } catch (thrown) {
    return { ok: false, problems: [`it is not JSON: ${describeThrown(thrown).slice(0, toldChars)}`] };
  }
  if (isDeeperThan(value, maxArgumentDepth))
    return { ok: false, problems: [`it is nested deeper than ${maxArgumentDepth} levels`] };
  const check = env.checkSchema(schema, value);
  if (check.ok) return { ok: true, value };
  return { ok: false, problems: check.errors.slice(0, toldProblems).map(({ path, message }) => problemText(path, message)) };
}

function problemText(path: string, message: string): string {
  return `${path === '' ? 'the value' : path}: ${message}`.slice(0, toldChars);
}
