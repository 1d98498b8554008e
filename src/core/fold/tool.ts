import { isAwaitingPerson } from '../state/is-asking.ts';
import type { EventOf } from '../events/event.ts';
import type { CallId } from '../ids.ts';
import { contentText } from '../prompt/message.ts';
import type { SubContext } from '../state/sub-context.ts';
import { type CallState, type CallVerdict, type TurnState, undecided } from '../state/turn-state.ts';
import type { RunContext } from '../state/run-context.ts';
import { steadyAt } from '../state/run-time.ts';
import { type StandingApproval, withoutStanding } from '../state/standing-approval.ts';
import type { AgentFolds } from './folds.ts';
import { countOfModule } from './budget.ts';
import { passSources } from './sources.ts';
import { countSignature, dropBrokenSteps } from './streaks.ts';
import { failUnknownTurn } from './turn.ts';

const none: readonly never[] = [];

/** Folds of a tool call. */
export const toolFolds: AgentFolds<
  'tool.request' | 'tool.start' | 'tool.suspend' | 'tool.answer' | 'tool.verify' | 'tool.end' | 'tool.late'
> = {
  'tool.request': requestCall,
  'tool.start': startCall,
  'tool.suspend': ofOpenCall(suspendCall),
  'tool.answer': ofOpenCall(answerCall),
  'tool.verify': ofOpenCall(({ call }, { answer }: EventOf<'tool.verify'>) => {
    if (answer === 'not_happened') call.mayHaveHappened = false;
  }),
  'tool.end': endCall,
  'tool.late': (run, _, event) => {
    run.running.delete(event.callId);
    for (const { result } of run.agents.values())
      if (result.unknown.length > 0) result.unknown = result.unknown.filter(({ callId }) => callId !== event.callId);
    // A turn that was released, and its calls, are read from the journal.
    const call = run.turns.get(event.turnId)?.calls.find(({ callId }) => callId === event.callId);
    if (call !== undefined) call.late = event;
  },
};

/** An event that may begin or end a call's wait for a person. */
type CallEvent = EventOf<'tool.suspend' | 'tool.answer' | 'tool.verify'>;

/** Folds an event of a call that is not over, and counts what waits for a person. */
function ofOpenCall<Event extends CallEvent>(
  change: (place: CallPlace, event: Event) => void,
): (run: RunContext, agent: SubContext, event: Event) => void {
  return (run, agent, event) => {
    const call = agent.calls.open.get(event.callId);
    if (call === undefined) return;
    const waited = call.status === 'suspended' && isAwaitingPerson(call);
    change({ run, agent, call }, event);
    const waits = call.status === 'suspended' && isAwaitingPerson(call);
    if (waited === waits) return;
    run.pending += waits ? 1 : -1;
    if (waits) call.waits = [...call.waits, { from: event.at, to: undefined }];
    else endWait(call, event.at);
  };
}

/** Counts the end of a suspended call's wait, if it waits for a person. */
function leaveWait(run: RunContext, call: CallState, at: number): void {
  if (!isAwaitingPerson(call)) return;
  run.pending -= 1;
  endWait(call, at);
}

function endWait(call: CallState, at: number): void {
  call.waits = call.waits.map((wait) => (wait.to === undefined ? { ...wait, to: at } : wait));
}

/** A call that an event changes, with its agent and run. */
interface CallPlace {
  readonly run: RunContext;
  readonly agent: SubContext;
  readonly call: CallState;
}

function startCall(run: RunContext, agent: SubContext, event: EventOf<'tool.start'>): void {
  const call = agent.calls.open.get(event.callId);
  if (call === undefined) return;
  if (call.status === 'suspended') leaveWait(run, call, event.at);
  if (call.status !== 'running') run.activity += 1;
  call.status = 'running';
  call.startSeq = event.seq;
  call.startedAt = event.at;
  call.attempt = event.attempt;
  call.gates = event.gates ?? call.gates;
  call.mayHaveHappened = true;
}

function suspendCall(place: CallPlace, event: EventOf<'tool.suspend'>): void {
  const { run, call } = place;
  if (call.status === 'running') run.activity -= 1;
  if (call.status !== 'suspended') call.suspendedAt = steadyAt(run, event.at);
  if (event.on.kind === 'approval') {
    Object.assign(call, undecided);
    // A valid standing approval would have prevented the question: one that still exists has a changed part, and ends.
    run.standing = withoutStanding(run.standing, subjectOf(place, event.on.gateId));
  }
  call.status = 'suspended';
  call.gates = event.gates ?? call.gates;
  call.waitFor = event.on;
  call.waitSeq = event.seq;
  call.memo = event.memo;
}

function answerCall(place: CallPlace, event: EventOf<'tool.answer'>): void {
  const { run, call } = place;
  // Still running when a standing approval covers the repetition of an interrupted call.
  if (call.status === 'running') run.activity -= 1;
  call.approved = event.verdict === 'approved';
  call.agreed = call.approved ? event.capability : undefined;
  if (event.verdict === 'answered' && event.value === 'not_happened') call.mayHaveHappened = false;
  if (event.args !== undefined) call.args = event.args;
  call.verdict = toVerdict(run, event);
  if (event.always === true && call.waitFor?.kind === 'approval') allowAlways(place, call.waitFor.gateId, event);
  call.gates = event.gates ?? call.gates;
  call.waitFor = undefined;
  call.status = 'requested';
}

/** Returns who decided: a person, or the one who gave the standing approval. */
function toVerdict({ standing: approvals }: RunContext, event: EventOf<'tool.answer'>): CallVerdict {
  const { verdict, at, seq, by, expired, standing } = event;
  const given = standing === undefined ? undefined : approvals.find((approval) => approval.seq === standing);
  const person = given === undefined ? by : given.by;
  return {
    verdict,
    at,
    seq,
    ...(person === undefined ? {} : { by: person }),
    ...(expired === true ? { expired } : {}),
    ...(standing === undefined ? {} : { standing }),
  };
}

/** Records a standing approval, replacing earlier ones for such calls. */
function allowAlways(place: CallPlace, gateId: string, event: EventOf<'tool.answer'>): void {
  const { run } = place;
  const subject = subjectOf(place, gateId);
  const { callId, seq, at, capability, by } = event;
  const approval: StandingApproval = {
    ...subject,
    ...(capability === undefined ? {} : { capability }),
    ...(by === undefined ? {} : { by }),
    callId,
    seq,
    at,
  };
  run.standing = [...withoutStanding(run.standing, subject), approval];
}

function subjectOf({ agent, call }: CallPlace, gateId: string): Pick<StandingApproval, 'profile' | 'tool' | 'gateId'> {
  return { profile: agent.meta.profile, tool: call.request.name, gateId };
}

function requestCall(run: RunContext, agent: SubContext, event: EventOf<'tool.request'>): void {
  const turn = run.turns.get(event.turnId) ?? failUnknownTurn(run, event.turnId);
  const call: CallState = {
    callId: event.callId,
    request: event,
    args: event.args,
    index: turn.calls.length,
    status: 'requested',
    waitFor: undefined,
    waitSeq: undefined,
    waits: none,
    memo: null,
    startSeq: undefined,
    startedAt: undefined,
    suspendedAt: undefined,
    attempt: 0,
    ...undecided,
    mayHaveHappened: false,
    end: undefined,
    late: undefined,
    gates: undefined,
  };
  // A new array of exact size, since it is kept for the whole run: pushing onto an empty one reserves room for 17.
  turn.calls = turn.calls.length === 0 ? [call] : [...turn.calls, call];
  agent.calls.open.set(event.callId, call);
  agent.status = 'awaiting_tools';
  agent.calls.total += 1;
  agent.counters.toolCallCount += 1;
  run.counters.toolCalls += 1;
  if (agent.work.moduleScope !== undefined) countOfModule(run, agent, 'toolCalls');
}

function endCall(run: RunContext, agent: SubContext, event: EventOf<'tool.end'>): void {
  const call = agent.calls.open.get(event.callId);
  if (call === undefined) return;
  if (call.status === 'suspended') leaveWait(run, call, event.at);
  if (call.status === 'running') run.activity -= 1;
  call.status = event.status;
  call.gates = event.gates ?? call.gates;
  call.waitFor = undefined;
  call.end = event;
  agent.calls.open.delete(event.callId);
  if (event.isRunning === true)
    run.running.set(event.callId, { agentId: event.agentId, callId: event.callId, tool: call.request.name });
  if (event.quotes !== undefined) for (const agentId of event.quotes) passSources(run.agents.get(agentId), agent);
  agent.counters.toolErrorStreak = event.status === 'ok' ? 0 : agent.counters.toolErrorStreak + 1;
  if (agent.calls.open.size === 0) countWork(agent, run.turns.get(event.turnId) ?? failUnknownTurn(run, event.turnId));
  if (agent.streaks.escalations.length > 0) dropBrokenSteps(agent);
}

/** Counts repeated calls, except those of polling tools. */
function countWork(agent: SubContext, turn: TurnState): void {
  const { calls } = turn;
  const first = calls[0];
  if (first === undefined || (first.request.polls === true && calls.every(({ request }) => request.polls === true))) return;
  const isRefused = agent.turn.forbiddenTools.includes(first.request.name);
  // Refused as a repetition, and so another one: it counts with the earlier result.
  const signature = isRefused
    ? agent.streaks.signatures.findLast((known) => known.startsWith(callText(turn, first)))
    : signatureOf(turn);
  if (signature !== undefined) countSignature(agent, signature);
}

/** Returns a short text of one turn's calls and results; equal texts mean equal calls and results. */
function signatureOf(turn: TurnState): string {
  let signature = '';
  for (const call of turn.calls) {
    const content = call.end?.content ?? '';
    signature += `${callText(turn, call)}${shortened(typeof content === 'string' ? content : contentText(content))};`;
  }
  return signature;
}

function callText(turn: TurnState, call: CallState): string {
  const input = turn.modelEnd?.reply?.toolCalls[call.index]?.input ?? JSON.stringify(call.request.args);
  return `${call.request.name}(${shortened(input)})=`;
}

/** Shortens a long result to its length and both ends; equal results give equal texts. */
function shortened(text: string): string {
  return text.length <= 256 ? text : `${text.slice(0, 128)}…${text.length}…${text.slice(-128)}`;
}

/** Returns the id of a run's n-th tool call: nine letters and digits, so that every provider accepts it. */
export function callIdAt(count: number): CallId {
  return `c${count.toString(36).padStart(8, '0')}` as CallId;
}
