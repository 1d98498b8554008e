import { agentScope } from '../core/agent-scope.ts';
import { toErrorRecord } from '../core/error.ts';
import type { Scope } from '../core/expression/roots.ts';
import type { Template } from '../core/expression/template.ts';
import type { TurnId } from '../core/ids.ts';
import type { JsonObject } from '../core/json.ts';
import type { CompiledProfile, ToolGate } from '../core/profile.ts';
import { noSources } from '../core/prompt-sources.ts';
import type { AgentState, RunState } from '../core/state.ts';
import type { Tool } from '../core/tool.ts';
import type { TurnViewEnv } from '../core/turn-view.ts';

/** What a gate says of one call. */
export type SpokenGate = Pick<ToolGate, 'id' | 'verdict' | 'expires'> & { readonly message?: string };

/** The call a gate is asked about. */
export interface GatedCall {
  readonly tool: Tool;
  readonly args: JsonObject;
  readonly turnId: TurnId;
}

/**
 * What stands in front of a call: the first gate of the profile that speaks of it, else the tool's own wish to be approved
 * (DESIGN 5 `tool_gates`). A gate that fails denies.
 */
export function gateFor(
  env: TurnViewEnv,
  run: RunState,
  agent: AgentState,
  profile: CompiledProfile,
  call: GatedCall,
): SpokenGate | undefined {
  const spoken = profile.toolGates.length === 0 ? undefined : spokenOf(env, run, agent, profile, call);
  return spoken ?? (call.tool.needsApproval === true ? { id: 'needs_approval', verdict: 'ask' } : undefined);
}

function spokenOf(
  env: TurnViewEnv,
  run: RunState,
  agent: AgentState,
  profile: CompiledProfile,
  call: GatedCall,
): SpokenGate | undefined {
  const { name, toolset } = call.tool;
  let scope: Scope | undefined;
  for (const gate of profile.toolGates) {
    if (!gate.tools.includes(name) && !gate.tools.includes('*') && !gate.toolsets.includes(toolset)) continue;
    scope ??= gateScope(env, run, agent, call);
    try {
      if (gate.condition === undefined || gate.condition.test(scope)) return spokenGate(gate, scope);
    } catch (thrown) {
      const error = toErrorRecord(thrown, 'CONDITION_FAILED');
      return {
        id: gate.id,
        verdict: 'deny',
        message: `gate '${gate.id}' could not be evaluated (${error.message}), so the call is denied`,
      };
    }
  }
  return undefined;
}

/** What a gate sees: the roots of its agent, the arguments, and where what the model looked at came from. */
function gateScope(env: TurnViewEnv, run: RunState, agent: AgentState, { args, turnId }: GatedCall): Scope {
  const { sources, untrusted } = run.turns.get(turnId)?.sources ?? noSources;
  return { ...agentScope(env, run, agent), args, prompt: { sources, untrusted, tainted: run.isTainted } };
}

function spokenGate({ id, verdict, message, expires }: ToolGate, scope: Scope): SpokenGate {
  return {
    id,
    verdict,
    ...(message === undefined ? {} : { message: messageText(message, scope) }),
    ...(expires === undefined ? {} : { expires }),
  };
}

/** A message that cannot be rendered is said as it is written: whoever decides still learns what the gate is about. */
function messageText(message: Template, scope: Scope): string {
  try {
    return message.render(scope);
  } catch {
    return message.source;
  }
}
