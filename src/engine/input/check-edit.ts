import { CadreError } from '../../core/error.ts';
import type { JsonObject } from '../../core/json.ts';
import type { SubContext } from '../../core/state/sub-context.ts';
import type { CallState } from '../../core/state/turn-state.ts';
import type { RunContext } from '../../core/state/run-context.ts';
import type { ArgumentCheck } from '../../core/tool/argument-check.ts';
import { profileOf } from '../../core/turn-context.ts';
import { gateFor } from '../../nodes/tools/tool-gates.ts';
import type { DecisionContext } from '../run/decision-context.ts';

/**
 * Returns why a call must not run with the arguments a person gave: they do not fit the tool, or a gate denies them. Undefined when it may
 * run. A refused call stays suspended.
 */
export function editProblem(
  run: RunContext,
  { env }: DecisionContext,
  { agent, call }: { readonly agent: SubContext; readonly call: CallState },
  args: JsonObject,
): CadreError | undefined {
  const { name, turnId } = call.request;
  const profile = profileOf(env, agent);
  const tool = env.toolsOf(profile, agent).tools.get(name);
  if (tool === undefined) return goneTool(agent, name);
  const checked = tool.check(args);
  if (!checked.ok)
    return new CadreError(
      'TOOL_ARGUMENTS_INVALID',
      `the new arguments do not fit '${name}', and the call still waits: ${problemsText(checked)}`,
    );
  const gate = gateFor({ run, agent, profile }, env, { tool, args: checked.args, turnId });
  if (gate?.verdict !== 'deny') return undefined;
  const why = gate.message ?? `not allowed here (gate '${gate.id}')`;
  return new CadreError('TOOL_DENIED', `'${name}' must not run with the new arguments, and the call still waits: ${why}`);
}

/**
 * Returns why a call must not run unchanged: its agent no longer has the tool. Undefined when it may run. A refused call stays suspended.
 */
export function goneProblem(
  { env }: DecisionContext,
  { agent, call }: { readonly agent: SubContext; readonly call: CallState },
): CadreError | undefined {
  const { name } = call.request;
  return env.toolsOf(profileOf(env, agent), agent).tools.has(name) ? undefined : goneTool(agent, name);
}

function goneTool({ meta }: SubContext, name: string): CadreError {
  return new CadreError('TOOL_MISSING', `'${name}' is no tool of ${meta.agentId} any more, and the call still waits; reject it`);
}

/** Describes why a value does not fit its schema, in one line. */
export function problemsText({ errors }: Extract<ArgumentCheck, { ok: false }>, whole = 'arguments'): string {
  return errors.map(({ path, message }) => `${path === '' ? whole : path}: ${message}`).join('; ');
}
