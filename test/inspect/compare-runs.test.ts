import { describe, expect, it } from 'vitest';
import type { Run } from '../../src/index.ts';
import type { ContentHash } from '../../src/core/ids.ts';
import { storedText } from '../../src/core/events/journal.ts';
import { compareRuns } from '../../src/inspect/compare/compare-runs.ts';
import type { PairComparison, RunComparison } from '../../src/inspect/compare/run-comparison.ts';
import { formatComparison } from '../../src/inspect/format/format-comparison.ts';
import { createMemoryJournal, manualClock } from '../../src/testing/index.ts';
import { engineOver } from '../support/engine-over.ts';
import { type TestEngineOptions, waitsForUser } from '../support/test-engine.ts';

const profile = `
tool_access_policy: { allowed_individual_tools: [look] }
${waitsForUser}`;

const tool = (said: string) => ({ name: 'look', description: 'Looks.', parameters: { type: 'object' }, execute: () => said });

interface Way extends TestEngineOptions {
  readonly input?: string;
  readonly said?: string;
  readonly last?: string;
  readonly more?: string;
}

/** Runs teams that differ in one thing, over one journal, and compares them with the first. */
async function compared(...ways: readonly Way[]): Promise<RunComparison> {
  const store = createMemoryJournal();
  const runs: Run[] = [];
  for (const { input = 'What is a kite?', said = 'A toy.', last = 'A kite is a toy.', more, ...options } of ways) {
    const replies = [{ toolCalls: [{ name: 'look', args: {} }] }, { text: last }, { text: 'More.' }];
    const { launch } = await engineOver(store, { profile, replies, tools: [tool(said)], ...options });
    const run = await launch(input);
    await run.settled();
    if (more !== undefined) await run.send(more);
    await run.settled();
    runs.push(run);
  }
  return compareRuns(
    await Promise.all(runs.map(async ({ id }) => ({ events: await store.read(id), content: (hash) => storedText(store, hash) }))),
  );
}

async function pair(before: Way, after: Way): Promise<PairComparison> {
  const { pairs } = await compared(before, after);
  const [only] = pairs;
  if (only === undefined) throw new Error('no pair');
  return only;
}

describe('comparing runs', () => {
  it('finds the same run twice to be the same, whatever its id', async () => {
    const same = await pair({}, {});
    expect(same).toMatchObject({ same: 2, differ: 0 });
    expect(same.first).toBeUndefined();
  });

  it.each<[string, Way, Way, Partial<NonNullable<PairComparison['first']>>]>([
    ['the input', {}, { input: 'What is a dog?' }, { turnId: 'Root_1.t1', part: 'messages', cause: 'input' }],
    [
      'the profile text',
      {},
      { profile: `${profile}instructions: You play.\n` },
      { turnId: 'Root_1.t1', part: 'system prompt', cause: 'profile text' },
    ],
    ['the reply of the model', {}, { last: 'No idea.' }, { turnId: 'Root_1.t2', part: 'reply', cause: 'model reply' }],
    ['the result of a tool', {}, { said: 'A bird.' }, { turnId: 'Root_1.t1', part: 'results', cause: 'tool result' }],
    ['a message of a person', { more: 'Go on.' }, { more: 'Stop.' }, { turnId: 'Root_1.t3', part: 'messages', cause: 'person' }],
    ['how long it went on', {}, { more: 'Go on.' }, { turnId: 'Root_1.t3', part: 'start', cause: 'length' }],
    [
      'a rule',
      {},
      { profile: profile.replace('{ type: await_user_input }', '{ type: end_agent_turn, outcome: success }') },
      { turnId: 'Root_1.t2', part: 'decision', cause: 'profile text' },
    ],
  ])('names the first difference and its cause: %s', async (_, before, after, first) => {
    expect((await pair(before, after)).first).toMatchObject(first);
  });

  it('does not take dates and times for differences, and says when they are all there is', async () => {
    const timed = `${profile}pre_turn_observers: [{ id: now, action: { type: add_to_inbox, inbox_item: { source: CLOCK, payload: 'It is {{ meta.started_at }}' } } }]\n`;
    const found = await pair(
      { clock: manualClock(1_800_000_000_000), profile: timed },
      { clock: manualClock(1_800_000_999_000), profile: timed },
    );
    expect(found).toMatchObject({ same: 2, differ: 0, first: { cause: 'clock' } });
  });

  it('does not take times that are numbers for differences', async () => {
    const timed = `${profile}pre_turn_observers: [{ id: now, action: { type: add_to_inbox, inbox_item: { source: CLOCK, payload: { at: '{{ meta.started_at }}' } } } }]\n`;
    const found = await pair(
      { clock: manualClock(1_800_000_000_000), profile: timed },
      { clock: manualClock(1_800_000_999_000), profile: timed },
    );
    expect(found).toMatchObject({ same: 2, differ: 0, first: { cause: 'clock' } });
  });

  it('does not take ids of calls for differences: they count in the order in which agents happened to call', async () => {
    const store = createMemoryJournal();
    const { launch } = await engineOver(store, {
      profile,
      replies: [{ toolCalls: [{ name: 'look', args: {} }] }, { text: 'A kite is a toy.' }],
      tools: [tool('A toy.')],
    });
    const run = await launch('What is a kite?');
    await run.settled();
    const events = await store.read(run.id);
    const [id = ''] = events.flatMap((event) => (event.type === 'tool.request' ? [event.callId] : []));
    const later = (text: string) => text.replaceAll(id, 'c0000000z');
    const content = (hash: ContentHash) => storedText(store, hash);
    const renamed = {
      events: JSON.parse(later(JSON.stringify(events))) as typeof events,
      content: (hash: ContentHash) => {
        const text = content(hash);
        return text === undefined ? undefined : later(text);
      },
    };
    expect(JSON.stringify(events)).toContain(id);
    expect(compareRuns([{ events, content }, renamed]).pairs).toMatchObject([{ same: 2, differ: 0 }]);
  });

  it('puts more than two runs into a table, each compared with the first', async () => {
    const comparison = await compared({}, { last: 'No idea.' }, {});
    expect(comparison.pairs.map(({ same, differ }) => [same, differ])).toEqual([
      [1, 1],
      [2, 0],
    ]);
    const text = formatComparison(comparison);
    expect(text).toMatch(/^run +profile +status +turns +differ/);
    expect(text).toContain('cause: model reply, the same prompt got another reply');
    expect(text).toContain('2 turns, no difference');
  });

  it('refuses to compare one run', async () => {
    await expect(compared({})).rejects.toThrow('a comparison needs two runs or more');
  });
});
