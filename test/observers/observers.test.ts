import { describe, expect, it } from 'vitest';
import type { AgentId } from '../../src/core/ids.ts';
import type { PromptMessage } from '../../src/core/prompt/message.ts';
import { defineObserver, type ObserverResult } from '../../src/index.ts';
import { promptText } from '../../src/inspect/turn/prompt-text.ts';
import { delegate } from '../support/delegate.ts';
import { breathe, gate, testEngine, waitsForUser } from '../support/test-engine.ts';
import { allow } from '../support/tools.ts';
import { verifyRun } from '../support/verify-run.ts';

const textOf = (request: { readonly prompt: unknown } | undefined): string =>
  promptText((request?.prompt ?? []) as readonly PromptMessage[]);
const rootOf = (run: { readonly state: { readonly agents: ReadonlyMap<AgentId, unknown> } }) =>
  [...run.state.agents.values()][0] as { readonly flags: unknown; readonly values: unknown; readonly deliverables: unknown };

describe('observers', () => {
  it('update_state sets, increments, appends and removes flags, values, deliverables and team values', async () => {
    const team = await testEngine({
      profile: `${waitsForUser}
pre_turn_observers:
  - id: each_turn
    action:
      type: update_state
      updates:
        - { operation: increment, path: flags.turns }
        - { operation: increment, path: flags.nested.by_five, value: 5 }
        - { operation: append, path: values.log, value: "turn {{ counters.turn_count }}" }
        - { operation: set, path: deliverables.last, value: { count: "{{ flags.turns }}" } }
        - { operation: set, path: team.shared.seen, value: "{{ state.inbox.size() }}" }
        - { operation: append, path: team.shared.agents, value: "{{ meta.agent_id }}" }
post_turn_observers:
  - id: clean
    condition: counters.turn_count == 2
    action: { type: update_state, updates: [{ operation: remove, path: flags.nested }, { operation: set, path: flags.said, value: "{{ turn.reply }}" }] }
`,
      replies: [{ text: 'one' }, { text: 'two' }],
    });
    const run = await team.launch();
    await run.settled();
    expect(rootOf(run)).toMatchObject({
      flags: { turns: 1, nested: { by_five: 5 } },
      values: { log: ['turn 0'] },
      deliverables: { last: { count: 1 } },
    });
    await run.send('more');
    await run.settled();
    expect(rootOf(run)).toMatchObject({ flags: { turns: 2, said: 'two' }, values: { log: ['turn 0', 'turn 1'] } });
    expect(rootOf(run).flags).not.toHaveProperty('nested');
    expect(run.state.team.shared).toEqual({ seen: 1, agents: ['Root_1', 'Root_1'] });
    expect(run.turns()[1]?.observers.map(({ id, fired, phase }) => [id, fired, phase])).toEqual([
      ['each_turn', true, 'pre'],
      ['clean', true, 'post'],
    ]);
    await verifyRun(run, team.journal, { requests: team.model.requests });
  });

  it('add_to_inbox honours its ingestor and parameters, and what it adds is read in the same turn before it, in the next turn after it', async () => {
    const team = await testEngine({
      profile: `${waitsForUser}
pre_turn_observers:
  - { id: before, condition: counters.turn_count == 0, action: { type: add_to_inbox, inbox_item: { source: NEWS, payload: { a: 1 }, ingestor_id: markdown_formatter, ingestor_params: { title: "## Before" } } } }
post_turn_observers:
  - { id: after, condition: counters.turn_count == 1, action: { type: add_to_inbox, target_agent_id: self, inbox_item: { source: SELF_REFLECTION_PROMPT, payload: { content: "after «e1» {{ turn.reply }}" } } } }
`,
      replies: [{ text: 'one' }, { text: 'two' }],
    });
    const run = await team.launch();
    await run.settled();
    expect(textOf(team.model.requests[0])).toContain('## Before');
    expect(textOf(team.model.requests[1])).toContain('after «e1» one');
    expect(run.turns()).toHaveLength(2);
    expect(run.turns()[0]?.inputs.find(({ source }) => source === 'NEWS')).toMatchObject({
      observerId: 'before',
      strategy: 'item',
    });
    await verifyRun(run, team.journal, { requests: team.model.requests });
  });

  it('I12, E3: an observer that fails is recorded, told to the model, and keeps no other from running', async () => {
    const coded = [
      defineObserver({
        name: 'throws',
        observe: () => {
          throw new Error('no');
        },
      }),
      defineObserver({ name: 'text', observe: () => 'done' as never }),
      defineObserver({ name: 'nobody', observe: () => [{ type: 'add_to_inbox', target: 'Nobody_5', source: 'NEWS', payload: 1 }] }),
    ];
    const team = await testEngine({
      profile: `${waitsForUser}
pre_turn_observers:
  - { id: condition, condition: 1 / counters.turn_count > 0, action: { type: update_state, updates: [{ operation: set, path: flags.never, value: 1 }] } }
  - { id: payload, action: { type: add_to_inbox, inbox_item: { source: NEWS, payload: "{{ 1 / counters.turn_count }}" } } }
  - { id: parent, action: { type: add_to_inbox, target_agent_id: parent, inbox_item: { source: NEWS, payload: x } } }
  - { id: throws, action: { type: call, observer: throws } }
  - { id: text, action: { type: call, observer: text } }
  - { id: nobody, action: { type: call, observer: nobody } }
  - { id: last, action: { type: update_state, updates: [{ operation: set, path: flags.ran, value: true }] } }
`,
      observers: coded,
      replies: [{ text: 'one' }],
    });
    const run = await team.launch();
    await run.settled();
    const failed = ['condition', 'payload', 'parent', 'throws', 'text', 'nobody'];
    expect(
      run
        .turns()[0]
        ?.observers.filter(({ error }) => error !== undefined)
        .map(({ id }) => id),
    ).toEqual(failed);
    expect(run.turns()[0]?.inputs.filter(({ source }) => source === 'OBSERVER_FAILURE')).toHaveLength(failed.length);
    expect(rootOf(run).flags).toEqual({ ran: true });
    await verifyRun(run, team.journal, { requests: team.model.requests });
  });

  it('I12: a post-turn observer that always fails does not keep a waiting agent awake', async () => {
    const team = await testEngine({
      profile: `${waitsForUser}\npost_turn_observers: [{ id: bad, condition: 1 / (counters.turn_count - counters.turn_count) > 0, action: { type: update_state, updates: [{ operation: set, path: flags.x, value: 1 }] } }]`,
      replies: [{ text: 'one' }, { text: 'two' }],
    });
    const run = await team.launch();
    await run.settled();
    expect(run.turns()).toHaveLength(1);
    await run.send('more');
    await run.settled();
    expect(run.turns()[1]?.inputs.map(({ source }) => source)).toEqual(['OBSERVER_FAILURE', 'USER_PROMPT']);
    await verifyRun(run, team.journal, { requests: team.model.requests });
  });

  it('E4: a storm is cut off, whoever makes it', async () => {
    const many = (count: number): readonly ObserverResult[] =>
      Array.from({ length: count }, (_, n) => ({ type: 'add_to_inbox', source: 'NEWS', payload: n }));
    const team = await testEngine({
      profile: `${waitsForUser}
pre_turn_observers:
  - { id: flood, action: { type: call, observer: flood } }
${Array.from({ length: 20 }, (_, n) => `  - { id: o${n}, action: { type: add_to_inbox, inbox_item: { source: NEWS, payload: ${n} } } }`).join('\n')}
`,
      observers: [defineObserver({ name: 'flood', observe: () => many(10_000) })],
      replies: [{ text: 'one' }],
    });
    const run = await team.launch();
    await run.settled();
    const { inputs = [], observers = [] } = run.turns()[0] ?? {};
    expect(inputs.filter(({ source }) => source === 'NEWS').length).toBeLessThanOrEqual(16);
    expect(observers.filter(({ error }) => error !== undefined).length).toBeGreaterThan(3);
    await verifyRun(run, team.journal, { requests: team.model.requests });
  });

  it('what a coded observer wants kept is kept as JSON, whatever it gave', async () => {
    const circular: Record<string, unknown> = { n: 1n };
    circular['self'] = circular;
    const team = await testEngine({
      profile: `${waitsForUser}\npre_turn_observers: [{ id: odd, condition: counters.turn_count == 0, action: { type: call, observer: odd } }]`,
      observers: [
        defineObserver({
          name: 'odd',
          observe: () => [
            { type: 'add_to_inbox', source: 'NEWS', payload: circular as never },
            { type: 'update_state', operation: 'set', path: 'flags.at', value: new Date(0) as never },
          ],
        }),
      ],
      replies: [{ text: 'one' }],
    });
    const run = await team.launch();
    await run.settled();
    expect(rootOf(run).flags).toEqual({ at: '1970-01-01T00:00:00.000Z' });
    await verifyRun(run, team.journal, { requests: team.model.requests });
  });

  it('targets: parent, partner, principal, an agent by its id; ended ones are an error of the observer', async () => {
    const hold = gate();
    const team = await testEngine({
      profile: {
        Lead: `type: partner\n${waitsForUser}${allow('delegate')}`,
        Worker: `
post_turn_observers:
  - { id: to_parent, action: { type: add_to_inbox, target_agent_id: parent, inbox_item: { source: FROM_BELOW, payload: to parent } } }
  - { id: to_partner, action: { type: add_to_inbox, target_agent_id: partner, inbox_item: { source: FROM_BELOW, payload: to partner } } }
  - { id: to_id, action: { type: add_to_inbox, target_agent_id: Lead_1, inbox_item: { source: FROM_BELOW, payload: to id } } }
  - { id: to_principal, action: { type: add_to_inbox, target_agent_id: principal, inbox_item: { source: FROM_BELOW, payload: to principal } } }
`,
        Done: 'type: principal',
      },
      tools: [delegate],
      replies: async ({ prompt }, index) => {
        const text = JSON.stringify(prompt);
        if (index === 0) return { toolCalls: [{ name: 'delegate', args: { to: 'Done' } }] };
        if (text.includes('You work for Done')) return { text: 'done' };
        if (index === 2) return { toolCalls: [{ name: 'delegate', args: { to: 'Worker' } }] };
        if (index === 3) await hold.promise;
        return { text: `reply ${index}` };
      },
    });
    const run = await team.launch();
    await breathe();
    hold.open();
    await run.settled();
    const worker = run.turns({ agentId: 'Worker_3' });
    expect(worker[0]?.observers.map(({ id, error }) => [id, error?.code])).toEqual([
      ['to_parent', undefined],
      ['to_partner', undefined],
      ['to_id', undefined],
      ['to_principal', 'AGENT_ENDED'],
    ]);
    const read = run.turns({ agentId: 'Lead_1' }).flatMap(({ inputs }) => inputs.filter(({ source }) => source === 'FROM_BELOW'));
    expect(read.map(({ from }) => from)).toEqual(['Worker_3', 'Worker_3', 'Worker_3']);
    await verifyRun(run, team.journal, { requests: team.model.requests });
  });
});
