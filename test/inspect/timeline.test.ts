import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyEvent, startRun } from '../../src/core/fold/apply-event.ts';
import { timeline } from '../../src/inspect/timeline/timeline.ts';
import { noTurns } from '../../src/inspect/timeline/timeline-turns.ts';
import { tree } from '../../src/inspect/tree.ts';
import { richJournal } from '../support/rich-journal.ts';
import { agentId, input, JournalBuilder, turnId } from './journal-builder.ts';

/** What happens next in a random run: who of three does it, what, and how long it takes. */
const step = fc.record({
  who: fc.integer({ min: 0, max: 2 }),
  what: fc.constantFrom('turn', 'reply', 'call', 'end', 'item'),
  ms: fc.constantFrom(0, 1, 40, 1_500, -300),
});

describe('the timeline of a run', () => {
  it('says how long judging the reply took: from the last word of the model to the decision', () => {
    const journal = new JournalBuilder();
    journal.agent('A', 'Partner');
    journal.wait(10).turn('A', 't1', []);
    const base = { agentId: agentId('A'), turnId: turnId('t1') };
    const startedAt = journal.run.at + 5;
    journal.wait(40).add({
      type: 'model.end',
      ...base,
      reply: { text: 'Yes.', reasoning: '', toolCalls: [], finishReason: 'stop' },
      usage: {},
      attempts: [{ config: 'default', model: 'm', startedAt, ms: 20, firstTokenMs: 2 }],
    });
    journal.add({ type: 'turn.decide', ...base, observers: [], rules: [], action: { type: 'await_user_input' } });
    const [bar] = timeline(journal.run).lanes[0]?.bars ?? [];
    expect(bar?.parts).toEqual([
      { kind: 'prep', from: startedAt - 5, to: startedAt },
      { kind: 'exec', from: startedAt, to: startedAt + 20 },
      { kind: 'post', from: startedAt + 20, to: startedAt + 35 },
    ]);
  });

  it('puts every agent below the one that started it', () => {
    const journal = new JournalBuilder();
    journal.agent('A', 'Partner');
    journal.agent('B', 'Principal', { parent: 'A' });
    journal.agent('C', 'Partner');
    journal.agent('D', 'Associate', { parent: 'B' });
    expect(timeline(journal.run).lanes.map(({ agentId: id, depth }) => [id, depth])).toEqual([
      ['A', 0],
      ['B', 1],
      ['D', 2],
      ['C', 0],
    ]);
    expect(tree(journal.run).map(({ agentId: id }) => id)).toEqual(['A', 'C']);
  });

  it('names the call a turn came from', async () => {
    const view = timeline(await folded());
    expect(view.links).toContainEqual({
      kind: 'call',
      callId: expect.any(String),
      from: expect.stringMatching(/^Lead/),
      to: expect.stringMatching(/^Worker/),
    });
  });

  it('is the same when it goes on from what it knew, at every event of a real run', async () => {
    const events = await richJournal();
    const known = noTurns();
    const [first] = events;
    if (first?.type !== 'run.start') throw new Error('a journal begins with its run');
    const run = startRun(first, 'everything');
    const eventAt = (seq: number) => events[seq - 1];
    for (const event of events.slice(1)) {
      applyEvent(run, event);
      expect(timeline(run, { eventAt, known })).toEqual(timeline(run, { eventAt }));
    }
  });

  it('is the same when it goes on from what it knew, in any run', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const journal = new JournalBuilder();
        const known = noTurns();
        journal.agent('A', 'Partner');
        journal.agent('B', 'Principal', { parent: 'A' });
        journal.agent('C', 'Associate', { parent: 'B' });
        for (const [index, next] of steps.entries()) {
          happen(journal, next, index);
          expect(timeline(journal.run, { eventAt: journal.eventAt, known })).toEqual(
            timeline(journal.run, { eventAt: journal.eventAt }),
          );
        }
      }),
      { numRuns: 150 },
    );
  });
});

async function folded(): Promise<JournalBuilder['run']> {
  const [first, ...rest] = await richJournal();
  if (first?.type !== 'run.start') throw new Error('a journal begins with its run');
  const run = startRun(first, 'everything');
  for (const event of rest) applyEvent(run, event);
  return run;
}

/** Does the step, where it can be done. */
function happen(
  journal: JournalBuilder,
  { who, what, ms }: typeof step extends fc.Arbitrary<infer T> ? T : never,
  index: number,
): void {
  const id = ['A', 'B', 'C'][who] ?? 'A';
  const agent = journal.run.agents.get(agentId(id));
  const turn = agent?.turn.currentId === undefined ? undefined : journal.run.turns.get(agent.turn.currentId);
  journal.wait(ms);
  if (what === 'item') journal.item(id, `i${index}`, 'USER_PROMPT', { prompt: 'Go.' });
  if (what === 'turn' && turn === undefined) {
    const inputs = (agent?.inbox.items ?? []).map(({ item }) => input(item.itemId, item.source, 'Go.'));
    journal.turn(id, `${id}.t${index}`, inputs, agent?.turn.lastId === undefined ? {} : { sources: [agent.turn.lastId] });
  }
  if (turn === undefined) return;
  if (what === 'reply' && turn.modelEnd === undefined) journal.reply(id, turn.turnId, 'Well.');
  if (what === 'call' && turn.modelEnd !== undefined)
    journal.call(id, turn.turnId, { id: `c${index}`, name: 't', args: {} }, 'done');
  if (what === 'end') journal.end(id, turn.turnId);
}
