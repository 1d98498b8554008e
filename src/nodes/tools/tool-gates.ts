import type { TurnContext } from '../../core/turn-context.ts';
import { agentScope } from '../../core/state/agent-scope.ts';
import { type ErrorRecord, toErrorRecord } from '../../core/error.ts';
import type { Scope } from '../../core/expression/roots.ts';
import { valuesRead } from '../../core/expression/values-read.ts';
import { renderOrSource } from '../../core/expression/template.ts';
import type { ContentHash, TurnId } from '../../core/ids.ts';
import type { JsonObject, JsonValue } from '../../core/json.ts';
import type { CompiledProfile, ToolGate } from '../../core/profile/profile.ts';
import { noSources, type PromptFacts } from '../../core/prompt/prompt-sources.ts';
import type { SubContext } from '../../core/state/sub-context.ts';
import type { RunContext } from '../../core/state/run-context.ts';
import type { GateRecord } from '../../core/state/turn.ts';
import type { Tool } from '../../core/tool/tool.ts';
import { ownApprovalGate } from '../../core/tool/wait-for.ts';
import { everyTool, meansTool, meansToolset } from '../../core/tool/tool-naming.ts';
import type { TurnViewEnv } from '../../core/state/turn-view.ts';
import { type StateQuotes, stateQuotes } from '../../core/untrusted/quote-state.ts';

/** Verdict of a gate on one call. */
export type GateVerdict = Pick<ToolGate, 'id' | 'verdict' | 'expires'> & {
  readonly message?: string;
  /** Untrusted sources of the state that the message quotes. */
  readonly taint?: readonly string[];
  /** Definition of the gate in the profile, as data; an approval is bound to it. */
  readonly definition: JsonValue;
};

/** What gates need besides state. */
type GateEnv = TurnViewEnv & { readonly hash: (text: string) => ContentHash };

/** The call a gate is asked about. */
export interface GatedCall {
  readonly tool: Tool;
  readonly args: JsonObject;
  readonly turnId: TurnId;
}

/** The gates that judged a call: the one that decides, and all that are about its tool, for the record. */
export interface GateJudgement {
  /** Undefined when none matched: the call may run. */
  readonly gate: GateVerdict | undefined;
  readonly asked: readonly GateRecord[];
}

/**
 * Judges a call: the first gate of the profile that matches it decides, else the tool's own approval requirement (`tool_gates`). A gate that
 * fails decides, too, and never lets the call run: one that asks has a person asked, the others deny.
 */
export function judgeGates(context: Pick<TurnContext, 'run' | 'agent' | 'profile'>, env: GateEnv, call: GatedCall): GateJudgement {
  const { profile } = context;
  const asked: GateRecord[] = [];
  const gate = profile.toolGates.length === 0 ? undefined : judgeInProfile(context, env, call, asked);
  if (call.tool.needsApproval !== true) return { gate, asked };
  const { id, verdict } = ownApproval;
  asked.push(gate === undefined ? { id, verdict, matched: true } : { id, verdict, matched: false, skipped: true });
  return { gate: gate ?? ownApproval, asked };
}

/** True when a gate may exist for calls of a tool; for most tools none can. */
export function isGated({ toolGates }: CompiledProfile, { needsApproval }: Tool): boolean {
  return toolGates.length > 0 || needsApproval === true;
}

/** The gate of a tool that asks for approval itself. */
const ownApproval: GateVerdict = { id: ownApprovalGate, verdict: 'ask', definition: ownApprovalGate };

/** Returns a gate's definition in a profile, or a tool's approval requirement, as data; undefined when there is no such gate. */
export function gateDefinition(profile: CompiledProfile | undefined, gateId: string): JsonValue | undefined {
  if (gateId === ownApproval.id) return ownApproval.definition;
  const gate = profile?.toolGates.find(({ id }) => id === gateId);
  return gate === undefined ? undefined : definitionOf(gate);
}

/** Returns the verdict of the first gate of the profile that matches a call or fails, and records each that is about its tool. */
function judgeInProfile(
  context: Pick<TurnContext, 'run' | 'agent' | 'profile'>,
  env: GateEnv,
  call: GatedCall,
  asked: GateRecord[],
): GateVerdict | undefined {
  const { run, agent, profile } = context;
  // Needed only for a tool whose name differs from the one in the gate.
  const others = (): Iterable<Tool> => env.toolsOf(profile, agent, {}).tools.values();
  let decided: GateVerdict | undefined;
  let scope: Scope | undefined;
  for (const gate of profile.toolGates) {
    if (!isAbout(gate, call.tool, others)) continue;
    const { id, verdict, condition } = gate;
    if (decided !== undefined) {
      asked.push({ id, verdict, matched: false, skipped: true });
      continue;
    }
    scope ??= gateScope(env, run, agent, call);
    const seen = condition === undefined ? {} : { values: valuesRead(condition, scope) };
    try {
      const matched = condition === undefined || condition.test(scope);
      asked.push({ id, verdict, matched, ...seen });
      if (matched) decided = verdictOf(gate, scope, stateQuotes(env, { run, agent }, id));
    } catch (thrown) {
      const error = toErrorRecord(thrown, 'CONDITION_FAILED');
      decided = failedVerdict(gate, error, scope, stateQuotes(env, { run, agent }, id));
      asked.push({ id, verdict: decided.verdict, matched: false, ...seen, error });
    }
  }
  return decided;
}

/** Returns the verdict of a gate whose condition failed: a person is asked where it asks, else the call is denied. */
function failedVerdict(gate: ToolGate, error: ErrorRecord, scope: Scope, quotes: StateQuotes): GateVerdict {
  const { id, condition, message, expires } = gate;
  const why = failureOf(condition, error, scope, quotes);
  const asks = gate.verdict === 'ask';
  const problem = `gate '${id}' could not be evaluated (${why}), so ${asks ? 'a person is asked' : 'the call is denied'}`;
  const said = asks && message !== undefined ? `${renderOrSource(message, scope, quotes.quote)}\n${problem}` : problem;
  return {
    id,
    verdict: asks ? 'ask' : 'deny',
    message: said,
    definition: definitionOf(gate),
    ...taintOf(quotes),
    ...(asks && expires !== undefined ? { expires } : {}),
  };
}

/** Returns why a condition failed. The message may quote what the condition read. */
function failureOf(condition: ToolGate['condition'], { message }: ErrorRecord, scope: Scope, quotes: StateQuotes): string {
  const watch = quotes.watch(scope);
  try {
    condition?.test(watch.scope);
  } catch {
    // It fails as it did before.
  }
  return quotes.written(watch, message);
}

/** True when a gate matches a tool. A gate that allows matches a name only when its meaning is certain. */
function isAbout({ tools, toolsets, verdict }: ToolGate, tool: Tool, others: () => Iterable<Tool>): boolean {
  const isStrict = verdict === 'allow';
  return (
    tools.includes(everyTool) ||
    tools.some((name) => meansTool(name, tool, others, isStrict)) ||
    toolsets.some((name) => meansToolset(name, tool, others, isStrict))
  );
}

/** Returns the scope of a gate: the roots of its agent, the arguments, and the provenance of the model's prompt. */
function gateScope(env: TurnViewEnv, run: RunContext, agent: SubContext, { args, turnId }: GatedCall): Scope {
  return { ...agentScope(env, run, agent), args, prompt: promptFacts(run, turnId) };
}

/** Returns the provenance of the prompt that the model saw in a turn. */
export function promptFacts(run: RunContext, turnId: TurnId): PromptFacts {
  const { sources, untrusted } = run.turns.get(turnId)?.sources ?? noSources;
  return { sources, untrusted, tainted: run.isTainted };
}

function verdictOf(gate: ToolGate, scope: Scope, quotes: StateQuotes): GateVerdict {
  const { id, verdict, message, expires } = gate;
  return {
    id,
    verdict,
    definition: definitionOf(gate),
    ...(message === undefined ? {} : { message: renderOrSource(message, scope, quotes.quote) }),
    ...taintOf(quotes),
    ...(expires === undefined ? {} : { expires }),
  };
}

function definitionOf({ id, tools, toolsets, condition, verdict, message, expires }: ToolGate): JsonValue {
  const { afterMs = null, verdict: onExpire = null } = expires ?? {};
  return [id, tools, toolsets, condition?.source ?? null, verdict, message?.source ?? null, afterMs, onExpire];
}

/** Call it when all that the message quotes was quoted. */
function taintOf(quotes: StateQuotes): Pick<GateVerdict, 'taint'> {
  const taint = quotes.labels();
  return taint.length === 0 ? {} : { taint };
}
