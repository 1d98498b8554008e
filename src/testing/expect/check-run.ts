import type { RunExpectations, TestCase } from '../cases/test-case.ts';
import type { RunContext } from '../../core/state/run-context.ts';
import type { PlayedRun } from '../play/played.ts';
import { callsOf, checkSomeCalls } from './check-calls.ts';
import { checkNotes, checkObservers, checkState } from './check-turn.ts';
import { type Failure, Failures } from './failure.ts';

/** Checks a played run; returns every expectation that does not hold. */
export function checkRun({ body, placeOf }: Pick<TestCase, 'body' | 'placeOf'>, played: PlayedRun): readonly Failure[] {
  const failures = new Failures(placeOf);
  const { expect } = body;
  const { state, turns } = played;
  if (expect.status !== undefined)
    failures.equal(['status'], `the run has another status${whyOf(played)}`, expect.status, state.status);
  if (expect.outcome !== undefined)
    failures.equal(['outcome'], `the run has another outcome${whyOf(played)}`, expect.outcome, state.outcome ?? '(not ended)');
  failures.contains(['output'], 'the output', expect.output, outputOf(state));
  failures.contains(['error'], 'the error', expect.error, state.error?.message ?? '');
  checkAgents(failures, expect.agents, played);
  checkTurnCounts(failures, expect.turns, played);
  checkSomeCalls(failures, expect.calls, callsOf(turns));
  checkRules(failures, expect.rules, played);
  checkObservers(
    failures,
    expect.observers,
    turns.flatMap(({ observers }) => observers),
  );
  if (state.rootAgentId !== undefined) checkState(failures, expect.state, { state, record: { agentId: state.rootAgentId } });
  checkNotes(failures, expect.notes, played.events);
  if (expect.people !== undefined)
    failures.equal(['people'], 'not all steps of run.people were needed, or all were', expect.people, played.unusedSteps === 0);
  return failures.all;
}

function whyOf({ state }: PlayedRun): string {
  return state.error === undefined ? '' : `: ${state.error.message}`;
}

/** Returns the output of a run that ended; else the last reply of its root agent. */
export function outputOf(state: RunContext): string {
  const root = state.rootAgentId === undefined ? undefined : state.agents.get(state.rootAgentId);
  return state.outcome === undefined ? (root?.turn.lastReply ?? '') : state.output;
}

function checkAgents(failures: Failures, expected: RunExpectations['agents'], { state }: PlayedRun): void {
  for (const [index, { profile, count, outcome, status }] of (expected ?? []).entries()) {
    const agents = [...state.agents.values()].filter(({ meta }) => meta.profile === profile);
    const path = ['agents', index];
    if (count !== undefined) failures.equal([...path, 'count'], `other number of agents of ${profile}`, count, agents.length);
    else if (agents.length === 0) failures.add(path, { message: `no agent of ${profile} was started` });
    for (const { meta, result, status: actual } of agents) {
      if (outcome !== undefined)
        failures.equal([...path, 'outcome'], `${meta.agentId} has another outcome`, outcome, result.outcome ?? '(not ended)');
      if (status !== undefined) failures.equal([...path, 'status'], `${meta.agentId} has another status`, status, actual);
    }
  }
}

function checkTurnCounts(failures: Failures, expected: RunExpectations['turns'], { turns }: PlayedRun): void {
  if (typeof expected === 'number') failures.equal(['turns'], 'other number of turns', expected, turns.length);
  else
    for (const [profile, count] of Object.entries(expected ?? {}))
      failures.equal(
        ['turns', profile],
        `other number of turns of ${profile}`,
        count,
        turns.filter((turn) => turn.profile === profile).length,
      );
}

function checkRules(failures: Failures, expected: RunExpectations['rules'], { turns }: PlayedRun): void {
  const matched = [...new Set(turns.flatMap(({ decision }) => decision.action?.ruleId ?? []))];
  for (const [index, rule] of (expected ?? []).entries())
    if (!matched.includes(rule))
      failures.add(['rules', index], {
        message: `rule '${rule}' never matched`,
        expected: rule,
        actual: matched.join('\n') || '(no rule)',
      });
}
