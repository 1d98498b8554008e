import { type TurnContext, profileOf } from '../../core/turn-context.ts';
import type { AgentTools, Env } from '../../core/env.ts';
import type { ErrorCode } from '../../core/error.ts';
import type { TurnId } from '../../core/ids.ts';
import type { JsonObject } from '../../core/json.ts';
import { type Roomy, unplaced } from '../../core/events/event.ts';
import { forcedTool } from '../../core/tool/tool-bound.ts';
import type { SubContext } from '../../core/state/sub-context.ts';
import type { Tool } from '../../core/tool/tool.ts';
import type { ToolRequest } from '../../core/events/tool-events.ts';
import type { CallStatus, ReplyToolCall } from '../../core/state/turn.ts';
import { toolCallRoom, type ToolCallRoom } from '../limits/limits.ts';
import { checkCallStart } from './check-call-start.ts';
import { endCall } from './end-call.ts';

/** End of a reply, which decides if its calls can be trusted to be complete. */
export interface ReplyEnd {
  readonly finishedCleanly: boolean;
}

/**
 * Records the calls of a reply, each with its verdict: a call that cannot run is answered immediately with an error the
 * model can act on; one that may run is recorded as `requested` and started by the tool node.
 */
export function requestCalls(context: TurnContext, turnId: TurnId, calls: readonly ReplyToolCall[], end: ReplyEnd): void {
  const { tx, env, agent, profile } = context;
  const tools = env.toolsOf(profile, agent);
  const decided = tx.run.seq;
  const room = toolCallRoom(context);
  const verdicts = calls.map((call, index) => {
    if (index >= room.left) return beyondLimit(call, room);
    const mustBeAlone = calls.length > 1 && tools.tools.get(call.name)?.unique === true;
    return mustBeAlone ? notAlone(call, calls.length) : judge(env, agent, tools, call, end);
  });
  calls.forEach((call, index) => {
    const verdict = verdicts[index];
    const draft: Roomy<ToolRequest> = {
      type: 'tool.request',
      agentId: agent.meta.agentId,
      turnId,
      callId: call.callId,
      name: call.name,
      args: verdict?.ok === true ? verdict.args : null,
      runId: unplaced.runId,
      seq: unplaced.seq,
      at: unplaced.at,
      cause: unplaced.cause,
    };
    if (verdict?.ok === true && verdict.repaired) draft.repaired = true;
    if (verdict?.ok === true && verdict.tool.polls === true) draft.polls = true;
    if (verdict?.ok === true && verdict.tool.toolset !== verdict.tool.name) draft.toolset = verdict.tool.toolset;
    const request = tx.emit(draft, decided);
    if (verdict?.ok === false) refuse(context, request, verdict);
    else applyGates(context, request.callId);
  });
}

/** Answers every call of a reply without running it, since the flow went elsewhere. */
export function cancelCalls(context: TurnContext, turnId: TurnId, calls: readonly ReplyToolCall[], why: string): void {
  const { tx, agent } = context;
  for (const call of calls) {
    const request = tx.emit({
      type: 'tool.request',
      agentId: agent.meta.agentId,
      turnId,
      callId: call.callId,
      name: call.name,
      args: null,
    });
    refuse(context, request, { status: 'cancelled', code: 'TOOL_CANCELLED', message: why });
  }
}

type Verdict =
  | { readonly ok: true; readonly tool: Tool; readonly args: JsonObject; readonly repaired: boolean }
  | { readonly ok: false; readonly status: CallStatus; readonly code: ErrorCode; readonly message: string };

/** Returns the refusal of an exclusive call that came with others; the others run. */
function notAlone(call: ReplyToolCall, count: number): Verdict {
  const message = `'${call.name}' must be the only call of a reply, but came with ${count - 1} other(s). It was not run, the others were; call it alone.`;
  return { ok: false, status: 'error', code: 'TOOL_EXCLUSIVE', message };
}

/** Calls of one reply that are more than a limit leaves are refused one by one; those that fit run. */
function beyondLimit(call: ReplyToolCall, room: ToolCallRoom): Verdict {
  const message = `'${call.name}' was not run: ${room.reason}. Finish with what you have.`;
  return { ok: false, status: 'error', code: 'LIMIT_REACHED', message };
}

function judge(env: Env, agent: SubContext, tools: AgentTools, call: ReplyToolCall, end: ReplyEnd): Verdict {
  if (call.problem !== undefined && end.finishedCleanly)
    return { ok: false, status: 'error', code: 'TOOL_ARGUMENTS_INVALID', message: `${call.problem}.` };
  const tool = tools.tools.get(call.name);
  const only = forcedTool(agent.turn.toolBound);
  if (only !== undefined && only !== call.name) return bound(call.name, `the only tool it has is '${only}'`);
  if (tool === undefined)
    return agent.turn.forbiddenTools.includes(call.name) ? forbidden(call.name) : absent(env, agent, tools, call.name);
  if (!end.finishedCleanly) {
    return {
      ok: false,
      status: 'error',
      code: 'TOOL_ARGUMENTS_TRUNCATED',
      message: `the reply was cut off before it was complete, so '${call.name}' was not run. Call it again, with shorter arguments if need be.`,
    };
  }
  const parsed = env.parseArguments(call.input, { effect: tool.effect, finishedCleanly: end.finishedCleanly });
  if (!parsed.ok)
    return { ok: false, status: 'error', code: parsed.code, message: `'${call.name}' was not run: ${parsed.message}` };
  const checked = tool.check(parsed.args);
  if (!checked.ok) {
    const problems = checked.errors.map((error) => `${error.path === '' ? 'arguments' : error.path}: ${error.message}`).join('; ');
    return {
      ok: false,
      status: 'error',
      code: 'TOOL_ARGUMENTS_INVALID',
      message: `'${call.name}' was not run, its arguments do not fit its schema: ${problems}`,
    };
  }
  return { ok: true, tool, args: checked.args, repaired: parsed.repaired };
}

/** A tool that was called in vain again and again is not there for one turn. */
function forbidden(name: string): Verdict {
  const message = `'${name}' cannot be called in this turn: it was called again and again with the same result. Go another way, or answer with what you have.`;
  return { ok: false, status: 'denied', code: 'TOOL_DENIED', message };
}

/** A tool that the agent has, and not in this turn. */
function absent(env: Env, agent: SubContext, tools: AgentTools, name: string): Verdict {
  const isFiltered = agent.turn.toolBound !== undefined && env.toolsOf(profileOf(env, agent), agent, {}).tools.has(name);
  if (!isFiltered) return unknownTool(tools, name);
  return bound(name, `the tools it has are ${namesOf(tools)}`);
}

function bound(name: string, why: string): Verdict {
  const message = `'${name.slice(0, 100)}' cannot be called in this turn: ${why}.`;
  return { ok: false, status: 'denied', code: 'TOOL_DENIED', message };
}

/** The same words for a tool that does not exist and one this agent may not use: which it is, is not the model's business. */
function unknownTool(tools: AgentTools, name: string): Verdict {
  return {
    ok: false,
    status: 'error',
    code: 'TOOL_UNKNOWN',
    message: `there is no tool '${name.slice(0, 100)}' for you. Tools you can call: ${namesOf(tools)}.`,
  };
}

/** The tools of an agent in words of the engine: what a server calls its own is in none of them. */
function namesOf({ tools, outside }: AgentTools): string {
  const own = [...tools.values()].flatMap((tool) => (tool.descriptionTrust === 'untrusted' ? [] : [tool.name]));
  const theirs = outside.map(({ toolset }) => `those of the toolset '${toolset}'`);
  return [...own, ...theirs].join(', ') || 'none';
}

function refuse(
  context: TurnContext,
  request: { readonly turnId: TurnId; readonly callId: ReplyToolCall['callId']; readonly seq: number },
  verdict: { readonly status: CallStatus; readonly code: ErrorCode; readonly message: string },
): void {
  endCall(context, request.callId, {
    status: verdict.status,
    content: JSON.stringify({ error: verdict.code, message: verdict.message }),
    error: { code: verdict.code, message: verdict.message },
    cause: request.seq,
  });
}

/** Requests approvals immediately, though the call may have to wait for its turn; its gate is checked again when it starts. */
function applyGates(context: TurnContext, callId: ReplyToolCall['callId']): void {
  const { agent } = context;
  const call = agent.calls.open.get(callId);
  if (call !== undefined) checkCallStart(context, call);
}
