import { describe, expect, it } from 'vitest';
import { applyEvent, foldEvents } from '../../../src/core/fold/apply-event.ts';
import { countersView } from '../../../src/core/state/counters-view.ts';
import type { SubContext } from '../../../src/core/state/sub-context.ts';
import type { CadreEvent } from '../../../src/index.ts';
import { richJournal } from '../../support/rich-journal.ts';

/** What an agent keeps when it begins another task, by its place in the state; the rest is that of a new agent. */
const kept = [
  'meta.parentAgentId',
  'meta.profile',
  'meta.type',
  'meta.roleName',
  'meta.moduleId',
  'meta.depth',
  'meta.startedAt',
  'meta.seq',
  'meta.notify',
  'meta.allowedToolsets',
  'children',
  'work.moduleScope',
  'work.moduleLead',
  'inbox.items',
  'inbox.deadLetters',
  'turn.lastId',
  'turn.count',
  'turn.flowId',
  'turn.changesBefore',
  'turn.escalationsBefore',
  'calls.total',
  'context.compactions',
  'limits.usage',
  'limits.budget.reservedTokens',
  'limits.budget.reservedCost',
  'limits.budget.reserving',
  'limits.budget.agents',
  'limits.budget.live',
  'flags',
  'values',
  'stateTaint',
];
/** What the restart itself says. */
const told = ['meta.callId', 'work.iteration', 'work.beginnings', 'initialParams', 'limits.workingSince', 'status'];
const keptWithHistory = [
  'history',
  'context.tokenTotals',
  'context.tokensReleased',
  'context.counted',
  'context.view',
  'context.fixedTokens',
];
/** Of a history that is archived, the untrusted sources stay known. */
const archivedHistory = ['history.archived', 'history.sources', 'deliverables'];

/** Groups of the state; each of their fields is compared by itself. */
const groups = new Set(['meta', 'work', 'inbox', 'context', 'turn', 'calls', 'streaks', 'limits', 'result', 'counters']);

describe('an agent that is restarted', () => {
  it.each([
    { history: 'kept', keepsHistory: true as const, others: keptWithHistory },
    { history: 'archived', keepsHistory: undefined, others: archivedHistory },
  ])('is a new agent except for what is listed here, with its history $history', async ({ keepsHistory, others }) => {
    const { fresh, used, restart } = await twoAgents();
    const [before, view] = [{ ...used }, countersView({ at: 0 } as never, used)];
    restart(keepsHistory);
    // Views of an agent hold the groups of its state.
    for (const group of groups) if (group !== 'meta') expect(used[group as 'turn']).toBe(before[group as 'turn']);
    expect([used.history === before.history, view['turn_count']]).toEqual([true, 0]);
    const differing = placesOf(fresh).filter((place) => show(at(used, place)) !== show(at(fresh, place)));
    expect(differing.filter((place) => !isListed(place, [...kept, ...told, ...others]))).toEqual([]);
    // Each place in the list is really kept: what was put there is still there.
    for (const place of [...kept, ...(keepsHistory === true ? keptWithHistory : ['deliverables'])])
      expect([place, show(at(used, place)) !== show(at(fresh, place))]).toEqual([place, true]);
  });
});

/** Returns a new agent, and one like it in which every field has another value. */
async function twoAgents() {
  const events = JSON.parse(JSON.stringify(await richJournal())) as readonly CadreEvent[];
  const beginning = events.slice(0, events.findIndex(({ type }) => type === 'agent.start') + 1);
  const [fresh, run] = [stateOf(beginning), stateOf(beginning)];
  const [usedId = 'none'] = run.agents.keys();
  const used = run.agents.get(usedId as never) as SubContext;
  spoil(used as unknown as Record<string, unknown>);
  const restart = (keepsHistory: true | undefined): void =>
    applyEvent(run, {
      type: 'agent.restart',
      runId: run.meta.runId,
      agentId: usedId as never,
      seq: run.seq + 1,
      at: run.at,
      iteration: 2,
      initialParams: {},
      ...(keepsHistory === undefined ? {} : { keepsHistory }),
    });
  return { fresh: fresh.agents.get(usedId as never) as SubContext, used, restart };
}

function stateOf(events: readonly CadreEvent[]) {
  const run = foldEvents(events);
  if (run === undefined) throw new Error('no state');
  return run;
}

/** Gives every field below another value of its kind, except the agent's id and status. */
function spoil(target: Record<string, unknown>): void {
  for (const [key, value] of Object.entries(target)) {
    if (key === 'agentId' || key === 'status') continue;
    target[key] = spoilt(value);
  }
}

function spoilt(value: unknown): unknown {
  if (typeof value === 'number') return value + 7;
  if (typeof value === 'boolean') return !value;
  if (typeof value === 'string' || value === undefined || value === null) return 'spoilt';
  if (Array.isArray(value)) return [...(value as readonly unknown[]), 'spoilt'];
  if (value instanceof Set) return new Set(['spoilt']);
  if (value instanceof Map) return new Map([['spoilt', {}]]);
  const copy = { ...value } as Record<string, unknown>;
  spoil(copy);
  return Object.keys(copy).length === 0 ? { spoilt: true } : copy;
}

function placesOf(agent: SubContext): readonly string[] {
  return Object.entries(agent)
    .flatMap(([key, value]) => (groups.has(key) ? Object.keys(value as object).map((field) => `${key}.${field}`) : [key]))
    .flatMap((place) => (place === 'limits.budget' || place === 'history' ? below(agent, place) : [place]));
}

function below(agent: SubContext, place: string): readonly string[] {
  return Object.keys(at(agent, place) as object).map((field) => `${place}.${field}`);
}

function at(agent: SubContext, place: string): unknown {
  return place.split('.').reduce<unknown>((value, key) => (value as Record<string, unknown>)[key], agent);
}

function isListed(place: string, list: readonly string[]): boolean {
  return list.some((listed) => place === listed || place.startsWith(`${listed}.`));
}

function show(value: unknown): string {
  return JSON.stringify(value, (_, each: unknown) =>
    each instanceof Map ? ['Map', ...each] : each instanceof Set ? ['Set', ...each] : each === undefined ? 'undefined' : each,
  );
}
