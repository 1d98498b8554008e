import type { CadreEvent, EventOf } from '../core/events/event.ts';
import { isJsonObject } from '../core/json.ts';
import { Findings, type JournalFacts, type JournalProblem } from './journal-problem.ts';

interface Call {
  readonly request: EventOf<'tool.request'>;
  state: 'requested' | 'running' | 'interrupted' | 'approval' | 'suspended' | 'ended';
  /** A person or the verifying tool reported that it did not happen, so it may run again. */
  isAbsolved: boolean;
  attempt: number;
}

/** One agent's calls without an answer. */
interface Debt {
  /** Calls of the last reply without a result in a turn. */
  unread: Set<string>;
  /** Calls of the last reply not yet on record. */
  unrequested: Set<string>;
}

/**
 * Checks I1 and I5: each call of a reply is requested once, ends once, and is answered once, in place, by the next turn of its
 * agent; nothing runs before it may, nor twice unless it may.
 */
export function checkCalls(events: readonly CadreEvent[], facts: JournalFacts): readonly JournalProblem[] {
  const found = new Findings();
  const calls = new Map<string, Call>();
  const debts = new Map<string, Debt>();
  const results = new Map<string, number>();
  const gone = new Set<string>();
  for (const [index, event] of events.entries()) {
    found.at(event);
    switch (event.type) {
      case 'agent.start':
      case 'agent.restart':
        gone.delete(event.agentId);
        // An agent that keeps its history still owes its model the results of its last calls.
        if (event.type === 'agent.restart' && event.keepsHistory === true) break;
        debts.set(event.agentId, { unread: new Set(), unrequested: new Set() });
        break;
      case 'agent.end':
        gone.add(event.agentId);
        break;
      case 'model.end':
        expectPaid(found, debts.get(event.agentId));
        owe(debts.get(event.agentId), event.reply?.toolCalls.map((call) => call.callId) ?? []);
        break;
      case 'turn.decide':
        if (event.action.call !== undefined) owe(debts.get(event.agentId), [event.action.call.callId]);
        break;
      case 'tool.request':
        found.expect(!calls.has(event.callId), 'I1', `call ${event.callId} is requested a second time`);
        found.expect(
          debts.get(event.agentId)?.unrequested.delete(event.callId) === true,
          'I1',
          `call ${event.callId} is in no reply of ${event.agentId}`,
        );
        calls.set(event.callId, { request: event, state: 'requested', attempt: 0, isAbsolved: false });
        break;
      case 'run.resume':
        // Nothing runs while a run is being resumed.
        for (const call of calls.values()) if (call.state === 'running') call.state = 'interrupted';
        break;
      case 'turn.start':
        checkAnswers(found, event, debts.get(event.agentId));
        break;
      case 'turn.end':
        checkTurnEnd(found, event, { calls, debt: debts.get(event.agentId), isGone: gone.has(event.agentId) });
        break;
      case 'inbox.add':
        if (event.item.source === 'TOOL_RESULT' && event.item.from === undefined) countResult(found, event, { results, calls });
        break;
      default:
        if (isOfCall(event))
          followCall(found, event, {
            call: calls.get(event.callId),
            facts,
            next: events[index + 1],
            isGone: gone.has(event.agentId),
          });
    }
  }
  return found.problems;
}

type CallEvent = EventOf<'tool.start' | 'tool.suspend' | 'tool.answer' | 'tool.verify' | 'tool.end' | 'tool.late'>;

function isOfCall(event: CadreEvent): event is CallEvent {
  return (
    event.type === 'tool.start' ||
    event.type === 'tool.suspend' ||
    event.type === 'tool.answer' ||
    event.type === 'tool.verify' ||
    event.type === 'tool.end' ||
    event.type === 'tool.late'
  );
}

/** Expects that every call of an agent was answered, since its model was called. */
function expectPaid(found: Findings, debt: Debt | undefined): void {
  const left = [...(debt?.unread ?? [])];
  found.expect(left.length === 0, 'I1', `the model is called while ${left.join(', ')} are not answered`);
}

function owe(debt: Debt | undefined, callIds: readonly string[]): void {
  for (const callId of callIds) {
    debt?.unread.add(callId);
    debt?.unrequested.add(callId);
  }
}

function checkAnswers(found: Findings, event: EventOf<'turn.start'>, debt: Debt | undefined): void {
  let others = 0;
  for (const input of event.inputs) {
    if (input.role !== 'tool') {
      if (input.persistent) others++;
      continue;
    }
    const { callId = '' } = input;
    found.expect(input.persistent, 'I1', `the result of ${callId} is not kept`);
    found.expect(others === 0, 'I1', `the result of ${callId} is not directly after its call`);
    found.expect(debt?.unread.delete(callId) === true, 'I1', `${event.turnId} reads a result of ${callId}, which is not open`);
  }
  const left = [...(debt?.unread ?? [])];
  found.expect(left.length === 0, 'I1', `${event.turnId} begins without the results of ${left.join(', ')}`);
}

function checkTurnEnd(
  found: Findings,
  event: EventOf<'turn.end'>,
  known: { readonly calls: ReadonlyMap<string, Call>; readonly debt: Debt | undefined; readonly isGone: boolean },
): void {
  const left = [...known.calls.values()].filter(({ request, state }) => request.turnId === event.turnId && state !== 'ended');
  found.expect(
    left.length === 0,
    'I1',
    `${event.turnId} ends before its calls ${left.map(({ request }) => request.callId).join(', ')}`,
  );
  const unrequested = [...(known.debt?.unrequested ?? [])];
  found.expect(
    unrequested.length === 0 || known.isGone,
    'I1',
    `${event.turnId} ends, and nothing happened to its calls ${unrequested.join(', ')}`,
  );
}

function countResult(
  found: Findings,
  event: EventOf<'inbox.add'>,
  { results, calls }: { readonly results: Map<string, number>; readonly calls: ReadonlyMap<string, Call> },
): void {
  const { payload } = event.item;
  const callId = isJsonObject(payload) ? String(payload['tool_call_id']) : '';
  // External items may have any name; only calls of this run count.
  if (!calls.has(callId)) return;
  // A result that a person edited in a fork takes the place of the one before, which was dropped unread.
  const count = (results.get(callId) ?? 0) + (event.item.edits === undefined ? 1 : 0);
  results.set(callId, count);
  found.expect(count === 1, 'I1', `call ${callId} gets a result for the ${count}. time`);
}

/** A call of the journal's last event, and the facts that decide what it may do. */
interface FollowedCall {
  readonly call: Call;
  readonly facts: JournalFacts;
  readonly next: CadreEvent | undefined;
  readonly isGone: boolean;
}

function followCall(
  found: Findings,
  event: CallEvent,
  { call, ...known }: Omit<FollowedCall, 'call'> & { readonly call: Call | undefined },
): void {
  found.expect(call !== undefined, 'I1', `${event.type} of ${event.callId}, which was never requested`);
  if (call === undefined) return;
  const label = `${call.request.name} (${event.callId})`;
  switch (event.type) {
    case 'tool.start':
      return checkStart(found, event, { call, ...known });
    case 'tool.suspend':
      return checkSuspend(found, event, call);
    case 'tool.answer':
      return checkAnswer(found, event, call);
    case 'tool.verify':
      // A running call may turn out to be interrupted without a resumption: its worker is gone.
      found.expect(
        call.state === 'interrupted' || call.state === 'running',
        'I5',
        `${label} is verified while it is ${call.state}`,
      );
      call.state = 'interrupted';
      call.isAbsolved = event.answer === 'not_happened';
      return;
    case 'tool.end':
      return checkEnd(found, event, { call, ...known });
    case 'tool.late':
      found.expect(call.state === 'ended', 'I1', `${label} is late, but still ${call.state}`);
  }
}

function checkStart(found: Findings, event: EventOf<'tool.start'>, { call, facts }: FollowedCall): void {
  const { name } = call.request;
  found.expect(
    call.state === 'requested' || call.state === 'interrupted',
    'I1',
    `${name} (${event.callId}) starts while it is ${call.state}`,
  );
  found.expect(
    event.attempt === call.attempt + 1,
    'I5',
    `${name} (${event.callId}) starts attempt ${event.attempt} after attempt ${call.attempt}`,
  );
  const isAllowed = event.attempt === 1 || facts.repeatable === undefined || facts.repeatable.has(name) || call.isAbsolved;
  found.expect(isAllowed, 'I5', `${name} (${event.callId}) runs a second time and must not`);
  call.attempt = event.attempt;
  call.isAbsolved = false;
  call.state = 'running';
}

function checkSuspend(found: Findings, event: EventOf<'tool.suspend'>, call: Call): void {
  const { name } = call.request;
  // A running call may turn out to be interrupted without a resumption: its worker is gone, and a person is asked what became of it.
  const isInterrupted = call.state === 'interrupted' || (call.state === 'running' && asksWhatHappened(event));
  found.expect(
    (call.state !== 'running' && call.state !== 'ended' && call.state !== 'interrupted') ||
      (isInterrupted && event.on.kind !== 'agents'),
    'I1',
    `${name} (${event.callId}) is suspended while it is ${call.state}`,
  );
  call.state = event.on.kind === 'approval' ? 'approval' : 'suspended';
}

/** True when a person is asked whether an interrupted call happened. */
function asksWhatHappened({ memo }: EventOf<'tool.suspend'>): boolean {
  return typeof memo === 'object' && memo !== null && 'about' in memo && memo['about'] === 'unknown_outcome';
}

function checkAnswer(found: Findings, event: EventOf<'tool.answer'>, call: Call): void {
  const { name } = call.request;
  found.expect(
    call.state === 'approval' ||
      call.state === 'suspended' ||
      ((call.state === 'requested' || call.state === 'interrupted') && event.standing !== undefined),
    'I1',
    `${name} (${event.callId}) is answered while it is ${call.state}`,
  );
  call.state = event.verdict === 'rejected' ? 'suspended' : 'requested';
  if (event.verdict === 'answered' && call.attempt > 0) call.isAbsolved = event.value === 'not_happened';
}

function checkEnd(found: Findings, event: EventOf<'tool.end'>, { call, next, isGone }: FollowedCall): void {
  const { name } = call.request;
  found.expect(call.state !== 'ended', 'I1', `${name} (${event.callId}) ends a second time`);
  found.expect(
    event.status === 'ok' || event.error !== undefined,
    'I12',
    `${name} (${event.callId}) ends ${event.status}, and no error is on record`,
  );
  call.state = 'ended';
  const isAnswered = next?.type === 'inbox.add' && next.item.source === 'TOOL_RESULT' && next.agentId === event.agentId;
  found.expect(isAnswered || isGone || next === undefined, 'I1', `${name} (${event.callId}) ends, and no result follows`);
}
