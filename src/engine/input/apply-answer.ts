import { TurnContext, profileOf } from '../../core/turn-context.ts';
import type { Capability } from '../../core/state/capability.ts';
import type { CallId } from '../../core/ids.ts';
import { checkpointOutcome } from '../../core/profile/checkpoint.ts';
import type { JsonObject, JsonValue } from '../../core/json.ts';
import { checkpointChoices, questionId } from '../../core/state/own-question.ts';
import type { SubContext } from '../../core/state/sub-context.ts';
import type { CallState } from '../../core/state/turn-state.ts';
import type { RunContext } from '../../core/state/run-context.ts';
import type { Transaction } from '../../core/events/transaction.ts';
import type { WaitFor } from '../../core/tool/wait-for.ts';
import { withArguments } from '../../nodes/tools/capability-of.ts';
import { endAgent } from '../../nodes/turn/end-agent.ts';
import { refuseCall } from '../../nodes/tools/end-call.ts';
import { applyOutcomeAnswer, asksWhetherHappened } from '../../nodes/tools/unknown-outcome.ts';
import type { Input } from '../run/input.ts';
import type { DecisionContext } from '../run/decision-context.ts';
import { isAsking } from '../../core/state/is-asking.ts';

/** Applies a person's verdict on a call: approved calls become startable, rejected ones are answered, questions are resumed. */
export function applyAnswer(tx: Transaction, decision: DecisionContext, input: Extract<Input, { kind: 'answer' }>): void {
  const asking = askingAgent(tx.run, input.callId);
  if (asking?.turn.question?.checkpoint !== undefined) {
    passCheckpoint(new TurnContext(tx, decision.env, asking), { checkpoint: asking.turn.question.checkpoint, value: input.value });
    return;
  }
  if (asking !== undefined) {
    const said = typeof input.value === 'string' ? input.value : JSON.stringify(input.value ?? null);
    tx.post(asking.meta.agentId, {
      source: 'HUMAN_ANSWER',
      payload: `A person was asked what to do, since you were getting nowhere, and answers:\n\n${said}`,
    });
    return;
  }
  const found = suspendedCall(tx, input.callId);
  if (found === undefined) return;
  const { agent, call } = found;
  const suspended = call.waitFor;
  const edited = editedArgs(decision, found, input.args);
  const answer = tx.emit({
    type: 'tool.answer',
    agentId: agent.meta.agentId,
    turnId: call.request.turnId,
    callId: call.callId,
    verdict: input.verdict,
    ...(input.value === undefined ? {} : { value: input.value }),
    ...(input.message === undefined ? {} : { message: input.message }),
    ...(edited === undefined ? {} : { args: edited }),
    ...(input.verdict === 'approved' ? agreedTo(decision, suspended, edited) : {}),
    ...(input.always === true ? { always: true } : {}),
  });
  tx.cause = answer.seq;
  if (input.verdict === 'rejected') {
    const message = input.message ?? 'a person refused this call';
    refuseCall(new TurnContext(tx, decision.env, agent), call, {
      status: 'denied',
      code: 'TOOL_DENIED',
      message,
      cause: answer.seq,
    });
  } else if (suspended?.kind === 'question' && asksWhetherHappened(call)) {
    applyOutcomeAnswer(new TurnContext(tx, decision.env, agent), call, { value: input.value, cause: answer.seq });
  } else if (suspended?.kind === 'question') {
    decision.toolNode.resume(tx, agent, call, { kind: 'answer', value: input.value ?? null }, answer.seq);
  }
}

/** Passes a checkpoint: a person lets the agent go on, or ends it with its results so far; the choice is recorded as their message. */
function passCheckpoint(
  context: TurnContext,
  { checkpoint, value }: { readonly checkpoint: string; readonly value: JsonValue | undefined },
): void {
  const { tx, env, agent } = context;
  const { agentId } = agent.meta;
  const [goOn, end] = checkpointChoices;
  const answer = tx.post(agentId, { source: 'HUMAN_ANSWER', payload: value === end ? end : goOn });
  if (value !== end) return;
  const declared = env.profiles.get(agent.meta.profile)?.checkpoints.find(({ id }) => id === checkpoint);
  endAgent(context, { outcome: declared?.outcome ?? checkpointOutcome }, answer.seq);
}

/** Returns the arguments a person gave, as the tool takes them; undefined when they equal those of the call. */
function editedArgs(
  { env }: DecisionContext,
  { agent, call }: { readonly agent: SubContext; readonly call: CallState },
  args: JsonObject | undefined,
): JsonObject | undefined {
  if (args === undefined) return undefined;
  const checked = env.toolsOf(profileOf(env, agent), agent).tools.get(call.request.name)?.check(args);
  const taken = checked?.ok === true ? checked.args : args;
  return JSON.stringify(taken) === JSON.stringify(call.args) ? undefined : taken;
}

/** Returns what an approval covers: the capability that the person was asked about, with their changed arguments. */
function agreedTo(
  { env }: DecisionContext,
  asked: WaitFor | undefined,
  edited: JsonObject | undefined,
): { readonly capability?: Capability } {
  if (asked?.kind !== 'approval' || asked.capability === undefined) return {};
  return { capability: edited === undefined ? asked.capability : withArguments(env, asked.capability, edited) };
}

/** Returns the agent that waits for an answer to this question, by the question's id. */
export function askingAgent(run: RunContext, id: string): SubContext | undefined {
  for (const agent of run.agents.values()) if (isAsking(agent) && questionId(agent.meta.agentId) === id) return agent;
  return undefined;
}

/** Finds a suspended call of any agent, by its id. */
export function suspendedCall(
  tx: Pick<Transaction, 'run'>,
  callId: CallId,
): { readonly agent: SubContext; readonly call: CallState } | undefined {
  for (const agent of tx.run.agents.values()) {
    const call = agent.calls.open.get(callId);
    if (call !== undefined) return call.status === 'suspended' ? { agent, call } : undefined;
  }
  return undefined;
}
