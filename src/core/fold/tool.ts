import { waitsForPerson } from '../state/asks-person.ts';
import type { EventOf } from '../events/event.ts';
import type { CallId } from '../ids.ts';
import { contentText } from '../prompt/message.ts';
import type { SubContext } from '../state/sub-context.ts';
import type { CallState, TurnState } from '../state/turn-state.ts';
import type { RunContext } from '../state/run-context.ts';
import { steadyAt } from '../state/run-time.ts';
import { type StandingApproval, withoutStanding } from '../state/standing-approval.ts';
import { agentOf } from './agent.ts';
import { countOfModule } from './budget.ts';
import { passOn } from './sources.ts';
import { countSignature, stepDown } from './streaks.ts';
import { turnOf } from './turn.ts';

const none: readonly never[] = [];

type ToolEvent = EventOf<'tool.request' | 'tool.start' | 'tool.suspend' | 'tool.answer' | 'tool.verify' | 'tool.end' | 'tool.late'>;

/** Folds the life of tool calls. */
export function applyToolEvent(run: RunContext, event: ToolEvent): void {
  const agent = agentOf(run, event.agentId);
  if (event.type === 'tool.request') {
    requestCall(run, agent, event);
    return;
  }
  if (event.type === 'tool.late') return;
  const call = agent.calls.open.get(event.callId);
  if (call === undefined) return;
  const waited = waitsForPerson(call);
  changeCall(run, agent, call, event);
  run.pending += Number(waitsForPerson(call)) - Number(waited);
  if (waited && !waitsForPerson(call)) endWait(call, event.at);
  if (!waited && waitsForPerson(call)) call.waits = [...call.waits, { from: event.at, to: undefined }];
}

function endWait(call: CallState, at: number): void {
  call.waits = call.waits.map((wait) => (wait.to === undefined ? { ...wait, to: at } : wait));
}

function changeCall(
  run: RunContext,
  agent: SubContext,
  call: CallState,
  event: Exclude<ToolEvent, EventOf<'tool.request' | 'tool.late'>>,
): void {
  switch (event.type) {
    case 'tool.start':
      if (call.status !== 'running') run.activity += 1;
      call.status = 'running';
      call.startSeq = event.seq;
      call.startedAt = event.at;
      call.attempt = event.attempt;
      call.mayHaveHappened = true;
      break;
    case 'tool.suspend':
      if (call.status === 'running') run.activity -= 1;
      if (call.status !== 'suspended') call.suspendedAt = steadyAt(run, event.at);
      if (event.on.kind === 'approval') {
        call.approved = false;
        call.agreed = undefined;
        // It would not be asked about if one covered it: what that was bound to has changed, which ends it.
        run.standing = withoutStanding(run.standing, subjectOf(agent, call, event.on.gateId));
      }
      call.status = 'suspended';
      call.waitFor = event.on;
      call.memo = event.memo;
      break;
    case 'tool.answer':
      // Asked about before it is repeated, and covered by what a person allowed for good.
      if (call.status === 'running') run.activity -= 1;
      call.approved = event.verdict === 'approved';
      call.agreed = call.approved ? event.capability : undefined;
      if (event.verdict === 'answered' && event.value === 'not_happened') call.mayHaveHappened = false;
      if (event.args !== undefined) call.args = event.args;
      if (event.always === true && call.waitFor?.kind === 'approval') allowAlways(run, agent, call, call.waitFor.gateId, event);
      call.waitFor = undefined;
      call.status = 'requested';
      break;
    case 'tool.verify':
      if (event.answer === 'not_happened') call.mayHaveHappened = false;
      break;
    case 'tool.end':
      endCall(run, agent, call, event);
      break;
  }
}

/** The latest word counts: what was said of such calls before was bound to something else, or to the same. */
function allowAlways(run: RunContext, agent: SubContext, call: CallState, gateId: string, event: EventOf<'tool.answer'>): void {
  const subject = subjectOf(agent, call, gateId);
  const { callId, seq, at, capability } = event;
  const approval: StandingApproval = { ...subject, ...(capability === undefined ? {} : { capability }), callId, seq, at };
  run.standing = [...withoutStanding(run.standing, subject), approval];
}

function subjectOf(agent: SubContext, call: CallState, gateId: string): Pick<StandingApproval, 'profile' | 'tool' | 'gateId'> {
  return { profile: agent.meta.profile, tool: call.request.name, gateId };
}

function requestCall(run: RunContext, agent: SubContext, event: EventOf<'tool.request'>): void {
  const turn = turnOf(run, event.turnId);
  const call: CallState = {
    callId: event.callId,
    request: event,
    args: event.args,
    index: turn.calls.length,
    status: 'requested',
    waitFor: undefined,
    waits: none,
    memo: null,
    startSeq: undefined,
    startedAt: undefined,
    suspendedAt: undefined,
    attempt: 0,
    approved: false,
    agreed: undefined,
    mayHaveHappened: false,
    end: undefined,
  };
  // A list that is kept for the whole run is made to measure: pushing onto an empty one reserves room for 17.
  turn.calls = [...turn.calls, call];
  agent.calls.open.set(event.callId, call);
  agent.status = 'awaiting_tools';
  agent.calls.total += 1;
  agent.counters.toolCallCount += 1;
  run.counters.toolCalls += 1;
  countOfModule(run, agent, 'toolCalls');
}

function endCall(run: RunContext, agent: SubContext, call: CallState, event: EventOf<'tool.end'>): void {
  if (call.status === 'running') run.activity -= 1;
  call.status = event.status;
  call.waitFor = undefined;
  call.end = event;
  agent.calls.open.delete(event.callId);
  for (const agentId of event.quotes ?? []) passOn(run.agents.get(agentId), agent);
  agent.counters.toolErrorStreak = event.status === 'ok' ? 0 : agent.counters.toolErrorStreak + 1;
  if (agent.calls.open.size === 0) countWork(agent, turnOf(run, event.turnId));
  stepDown(agent);
}

/** Calls that only look whether something is ready are no repetition, however often they find that it is not. */
function countWork(agent: SubContext, turn: TurnState): void {
  if (turn.calls.every(({ request }) => request.polls === true)) return;
  const first = turn.calls[0];
  const isRefused = first !== undefined && agent.turn.forbiddenTools.includes(first.request.name);
  // Refused for being a repetition, and so one: it counts with the result it had before.
  const signature = isRefused
    ? agent.streaks.signatures.findLast((known) => known.startsWith(callText(turn, first)))
    : signatureOf(turn);
  if (signature !== undefined) countSignature(agent, signature);
}

/** One turn's calls and results in a short text, equal exactly when they are. */
function signatureOf(turn: TurnState): string {
  let signature = '';
  for (const call of turn.calls)
    signature += `${callText(turn, call)}${shortened(call.end === undefined ? '' : contentText(call.end.content))};`;
  return signature;
}

function callText(turn: TurnState, call: CallState): string {
  const input = turn.modelEnd?.reply?.toolCalls[call.index]?.input ?? JSON.stringify(call.request.args);
  return `${call.request.name}(${shortened(input)})=`;
}

/** Long results are told apart by length and both ends; equal ones always give the same text. */
function shortened(text: string): string {
  return text.length <= 256 ? text : `${text.slice(0, 128)}…${text.length}…${text.slice(-128)}`;
}

/** The id of a run's next tool call: nine letters and digits, so that every provider accepts it. */
export function callIdAt(count: number): CallId {
  return `c${count.toString(36).padStart(8, '0')}` as CallId;
}
