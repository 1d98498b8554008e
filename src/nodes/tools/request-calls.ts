import { type TurnContext, profileOf } from '../../core/turn-context.ts';
import type { AgentTools, Env } from '../../core/env.ts';
import type { ErrorCode, ErrorRecord } from '../../core/error.ts';
import type { TurnId } from '../../core/ids.ts';
import type { JsonObject } from '../../core/json.ts';
import { emptyPlace, type PlaceableDraft } from '../../core/events/event.ts';
import { forcedTool } from '../../core/tool/tool-bound.ts';
import type { SubContext } from '../../core/state/sub-context.ts';
import type { Tool } from '../../core/tool/tool.ts';
import type { ToolRequest } from '../../core/events/tool-events.ts';
import type { CallStatus, ReplyToolCall } from '../../core/state/turn.ts';
import { toolCallRoom, type ToolCallRoom } from '../limits/limits.ts';
import { checkCallStart } from './check-call-start.ts';
import { failCall } from './end-call.ts';
import { isGated } from './tool-gates.ts';

/** End of a reply, which decides if its calls can be trusted to be complete. */
export interface ReplyEnd {
  readonly finishedCleanly: boolean;
}

/**
 * Records the calls of a reply and checks each: a call that cannot run is answered immediately with an error the
 * model can act on; one that may run is recorded as `requested` and started by the tool node.
 */
export function requestCalls(context: TurnContext, turnId: TurnId, calls: readonly ReplyToolCall[], end: ReplyEnd): void {
  const { tx, env, agent, profile } = context;
  const tools = env.toolsOf(profile, agent);
  const decided = tx.run.seq;
  const room = toolCallRoom(context);
  // Each is checked before the first is recorded.
  const checks: CallCheck[] = [];
  for (const call of calls) {
    const mustBeAlone = calls.length > 1 && tools.tools.get(call.name)?.unique === true;
    if (checks.length >= room.left) checks.push(beyondLimit(agent, call, room));
    else checks.push(mustBeAlone ? notAlone(call, calls.length) : checkCall(env, agent, tools, call, end));
  }
  for (let index = 0; index < calls.length; index++) {
    const call = calls[index];
    const check = checks[index];
    if (call === undefined || check === undefined) continue;
    const draft: PlaceableDraft<ToolRequest> = {
      type: 'tool.request',
      agentId: agent.meta.agentId,
      turnId,
      callId: call.callId,
      name: call.name,
      args: check.ok ? check.args : null,
      runId: emptyPlace.runId,
      seq: emptyPlace.seq,
      at: emptyPlace.at,
      cause: emptyPlace.cause,
    };
    if (check.ok && check.repaired) draft.repaired = true;
    if (check.ok && check.tool.polls === true) draft.polls = true;
    if (check.ok && check.tool.toolset !== check.tool.name) draft.toolset = check.tool.toolset;
    const request = tx.emit(draft, decided);
    if (!check.ok) failCall(context, request.callId, { ...check.refusal, cause: request.seq });
    else if (isGated(profile, check.tool)) judgeEarly(context, request.callId);
  }
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
    failCall(context, request.callId, { status: 'cancelled', code: 'TOOL_CANCELLED', message: why, cause: request.seq });
  }
}

/** Result of checking a call before it is requested: its parsed arguments, or the refusal that answers it. */
type CallCheck =
  | { readonly ok: true; readonly tool: Tool; readonly args: JsonObject; readonly repaired: boolean }
  | { readonly ok: false; readonly refusal: ErrorRecord & { readonly status: CallStatus } };

function refused(status: CallStatus, code: ErrorCode, message: string): CallCheck {
  return { ok: false, refusal: { status, code, message } };
}

/** Returns the refusal of an exclusive call that came with others; the others run. */
function notAlone(call: ReplyToolCall, count: number): CallCheck {
  const message = `'${call.name}' must be the only call of a reply, but came with ${count - 1} other(s). It was not run, the others were; call it alone.`;
  return refused('error', 'TOOL_EXCLUSIVE', message);
}

/** Returns the refusal of a call that a limit leaves no room for; the calls before it run. */
function beyondLimit({ meta, work }: SubContext, call: ReplyToolCall, room: ToolCallRoom): CallCheck {
  const holders = { agent: meta.agentId, module: `the agents on module ${work.moduleScope ?? ''}`, run: 'the run' };
  return refused(
    'error',
    'LIMIT_REACHED',
    `'${call.name}' was not run: ${holders[room.holder]} may make ${room.most} tool calls. Finish with what you have.`,
  );
}

function checkCall(env: Env, agent: SubContext, tools: AgentTools, call: ReplyToolCall, end: ReplyEnd): CallCheck {
  if (call.problem !== undefined && end.finishedCleanly) return refused('error', 'TOOL_ARGUMENTS_INVALID', `${call.problem}.`);
  const tool = tools.tools.get(call.name);
  const only = agent.turn.toolBound === undefined ? undefined : forcedTool(agent.turn.toolBound);
  if (only !== undefined && only !== call.name) return notInThisTurn(call.name, `the only tool it has is '${only}'`);
  if (tool === undefined)
    return agent.turn.forbiddenTools.includes(call.name) ? forbidden(call.name) : absent(env, agent, tools, call.name);
  if (!end.finishedCleanly) {
    const message = `the reply was cut off before it was complete, so '${call.name}' was not run. Call it again, with shorter arguments if need be.`;
    return refused('error', 'TOOL_ARGUMENTS_TRUNCATED', message);
  }
  const parsed = env.parseArguments(call.input, { effect: tool.effect, finishedCleanly: end.finishedCleanly });
  if (!parsed.ok) return refused('error', parsed.code, `'${call.name}' was not run: ${parsed.message}`);
  const checked = tool.check(parsed.args);
  if (!checked.ok) {
    const problems = checked.errors.map((error) => `${error.path === '' ? 'arguments' : error.path}: ${error.message}`).join('; ');
    const message = `'${call.name}' was not run, its arguments do not fit its schema: ${problems}`;
    return refused('error', 'TOOL_ARGUMENTS_INVALID', message);
  }
  return { ok: true, tool, args: checked.args, repaired: parsed.repaired };
}

/** Returns the refusal of a tool that is forbidden for one turn, since its calls kept returning the same result. */
function forbidden(name: string): CallCheck {
  const message = `'${name}' cannot be called in this turn: it was called again and again with the same result. Go another way, or answer with what you have.`;
  return refused('denied', 'TOOL_DENIED', message);
}

/** Returns the refusal of a tool that the agent does not have in this turn, or does not have at all. */
function absent(env: Env, agent: SubContext, tools: AgentTools, name: string): CallCheck {
  const isFiltered = agent.turn.toolBound !== undefined && env.toolsOf(profileOf(env, agent), agent, {}).tools.has(name);
  if (!isFiltered) return unknownTool(tools, name);
  return notInThisTurn(name, `the tools it has are ${namesOf(tools)}`);
}

function notInThisTurn(name: string, why: string): CallCheck {
  return refused('denied', 'TOOL_DENIED', `'${name.slice(0, 100)}' cannot be called in this turn: ${why}.`);
}

/** Returns the refusal of an unknown tool. It is the same for a tool that this agent may not use: the model does not learn which. */
function unknownTool(tools: AgentTools, name: string): CallCheck {
  const message = `there is no tool '${name.slice(0, 100)}' for you. Tools you can call: ${namesOf(tools)}.`;
  return refused('error', 'TOOL_UNKNOWN', message);
}

/** Lists the names of an agent's tools for a message. Tools of servers are named by their toolset: a server chose their names. */
function namesOf({ tools, outside }: AgentTools): string {
  const own = [...tools.values()].flatMap((tool) => (tool.descriptionTrust === 'untrusted' ? [] : [tool.name]));
  const theirs = outside.map(({ toolset }) => `those of the toolset '${toolset}'`);
  return [...own, ...theirs].join(', ') || 'none';
}

/** Denies a call or asks for approval immediately, though it may have to wait for its turn; it is judged again when it starts. */
function judgeEarly(context: TurnContext, callId: ReplyToolCall['callId']): void {
  const { agent } = context;
  const call = agent.calls.open.get(callId);
  if (call !== undefined) checkCallStart(context, call);
}
