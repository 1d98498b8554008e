import { TurnContext, profileOf } from '../../core/turn-context.ts';
import type { Capability } from '../../core/state/capability.ts';
import { checkpointOutcome } from '../../core/profile/checkpoint.ts';
import type { JsonObject } from '../../core/json.ts';
import { openAsking } from '../../core/state/open-askings.ts';
import { checkpointChoices, type OwnQuestion, toEscalationAnswer } from '../../core/state/own-question.ts';
import type { SubContext } from '../../core/state/sub-context.ts';
import type { CallState } from '../../core/state/turn-state.ts';
import type { Transaction } from '../../core/events/transaction.ts';
import type { ApprovalWait, QuestionWait } from '../../core/tool/wait-for.ts';
import { withArguments } from '../../nodes/tools/capability-of.ts';
import { endAgent } from '../../nodes/turn/end-agent.ts';
import { refuseCall } from '../../nodes/tools/end-call.ts';
import { applyOutcomeAnswer, asksWhetherHappened } from '../../nodes/tools/unknown-outcome.ts';
import type { Input } from '../run/input.ts';
import type { DecisionContext } from '../run/decision-context.ts';

/** Applies a person's verdict on a call: approved calls become startable, rejected ones are answered, questions are resumed. */
export function applyAnswer(tx: Transaction, decision: DecisionContext, input: Extract<Input, { kind: 'answer' }>): void {
  const asking = openAsking(tx.run, input.asking);
  if (asking === undefined) return;
  if (asking.kind === 'own') {
    answerOwn(new TurnContext(tx, decision.env, asking.agent), asking.question, input);
    return;
  }
  const { agent, call, waitFor: suspended } = asking;
  const edited = editedArgs(decision, asking, input.args);
  const answer = tx.emit({
    type: 'tool.answer',
    agentId: agent.meta.agentId,
    turnId: call.request.turnId,
    callId: call.callId,
    verdict: input.verdict,
    ...(input.by === undefined ? {} : { by: input.by }),
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
  } else if (suspended.kind === 'question' && asksWhetherHappened(call)) {
    applyOutcomeAnswer(new TurnContext(tx, decision.env, agent), call, { value: input.value, cause: answer.seq });
  } else if (suspended.kind === 'question') {
    decision.toolNode.resume(tx, agent, call, { kind: 'answer', value: input.value ?? null }, answer.seq);
  }
}

/** Records the answer to an agent's own question as a person's message. At a checkpoint, it lets the agent go on, or ends it with its results so far. */
function answerOwn(
  context: TurnContext,
  { checkpoint }: OwnQuestion,
  { value, by: person }: Extract<Input, { kind: 'answer' }>,
): void {
  const by = person === undefined ? {} : { by: person };
  const { tx, env, agent } = context;
  const { agentId } = agent.meta;
  if (checkpoint === undefined) {
    tx.post(agentId, { source: 'HUMAN_ANSWER', payload: toEscalationAnswer(value ?? null), ...by });
    return;
  }
  const [goOn, end] = checkpointChoices;
  const answer = tx.post(agentId, { source: 'HUMAN_ANSWER', payload: value === end ? end : goOn, ...by });
  if (value !== end) return;
  const declared = env.profiles.get(agent.meta.profile)?.checkpoints.find(({ id }) => id === checkpoint);
  endAgent(context, { outcome: declared?.outcome ?? checkpointOutcome, ...by }, answer.seq);
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
  asked: QuestionWait | ApprovalWait,
  edited: JsonObject | undefined,
): { readonly capability?: Capability } {
  if (asked.kind !== 'approval') return {};
  return { capability: edited === undefined ? asked.capability : withArguments(env, asked.capability, edited) };
}
