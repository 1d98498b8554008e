import { describe, expect, it } from 'vitest';
import { defineObserver, defineTool } from '../../src/index.ts';
import { formatTurn } from '../../src/inspect/format/turn/format-turn.ts';
import { call, play, speaks, toolsOf, turnsOf } from './scenario.ts';

const flow = `
name: flow
type: toolset
kind: flow
`;

const look = defineTool({
  name: 'look',
  description: 'Looks.',
  parameters: { type: 'object', properties: {} },
  effect: 'pure',
  execute: () => 'a red kite',
});

/** An agent whose third turn can do nothing but answer. */
const looker = (observers: string, more = ''): string => `
name: Looker
type: associate
llm_config_ref: m
instructions: You look and answer.
tool_access_policy: { allowed_toolsets: [flow], allowed_individual_tools: [look] }
limits: { max_turns: 8 }
stagnation: off
pre_turn_observers:
${observers}
${more}
`;

const last = 'counters.turn_count >= 2';
const force = `  - { id: force, condition: ${last}, action: { type: set_tool_choice, tool_choice: submit_answer } }`;
const keep = `  - { id: keep, condition: ${last}, action: { type: filter_tools, only: [submit_answer] } }`;
const answer = call('submit_answer', { answer: 'A red kite.', confidence: 'high' });

const files = [looker(`${force}\n${keep}`), flow];

describe('the tools of a turn, as observers set them', () => {
  it('[A3.forced-answer] [B.24] the last step can do nothing but answer: it is offered one tool, and must call it', async () => {
    const model = speaks(call('look'), call('look'), answer);
    const run = await play({ yaml: files, models: { m: model }, tools: [look] });
    expect(model.requests.map(toolsOf)).toEqual([
      ['look', 'terminate', 'submit_answer'],
      ['look', 'terminate', 'submit_answer'],
      ['submit_answer'],
    ]);
    expect(model.requests.map(({ toolChoice }) => toolChoice?.type)).toEqual(['auto', 'auto', 'tool']);
    expect(run.state).toMatchObject({ outcome: 'success', output: 'A red kite.' });
  });

  it('[A3.forced-answer] a model that calls another tool all the same gets an error result, and the tool does not run', async () => {
    const model = speaks(call('look'), call('look'), call('look'), answer);
    const run = await play({ yaml: files, models: { m: model }, tools: [look] });
    const [, , third, fourth] = turnsOf(run, 'Looker');
    expect(third?.toolInteractions).toMatchObject([{ name: 'look', status: 'denied', error: { code: 'TOOL_DENIED' } }]);
    expect(third?.toolInteractions[0]?.content).toContain(
      "'look' cannot be called in this turn: the only tool it has is 'submit_answer'",
    );
    expect(fourth?.toolInteractions).toMatchObject([{ name: 'submit_answer', status: 'ok' }]);
  });

  it('the record says who set them, and the terminal shows it', async () => {
    const run = await play({ yaml: files, models: { m: speaks(call('look'), call('look'), answer) }, tools: [look] });
    const [first, , third] = turnsOf(run, 'Looker');
    expect(first?.observers.map(({ tools }) => tools)).toEqual([undefined, undefined]);
    expect(third?.observers).toMatchObject([
      { id: 'force', fired: true, value: true, tools: { choice: 'submit_answer' } },
      { id: 'keep', fired: true, tools: { only: ['submit_answer'] } },
    ]);
    if (third === undefined) throw new Error('no third turn');
    const text = formatTurn(third);
    expect(text).toContain('set_tool_choice, → tool choice submit_answer');
    expect(text).toContain('filter_tools, → only submit_answer');
  });

  it('a filter names tools and toolsets, several filters hold together, and a turn later everything is there again', async () => {
    const observers = [
      '  - { id: a, condition: counters.turn_count == 1, action: { type: filter_tools, except: [flow] } }',
      '  - { id: b, condition: counters.turn_count == 2, action: { type: filter_tools, only: [flow] } }',
      '  - { id: c, condition: counters.turn_count == 2, action: { type: filter_tools, except: [terminate] } }',
    ].join('\n');
    const model = speaks(call('look'), call('terminate', { status: 'success' }), call('terminate', { status: 'success' }), answer);
    const run = await play({ yaml: [looker(observers), flow], models: { m: model }, tools: [look] });
    expect(model.requests.map(toolsOf)).toEqual([
      ['look', 'terminate', 'submit_answer'],
      ['look'],
      ['submit_answer'],
      ['look', 'terminate', 'submit_answer'],
    ]);
    const told = turnsOf(run, 'Looker').map(({ toolInteractions }) => toolInteractions[0]?.content);
    expect(told[1]).toContain("'terminate' cannot be called in this turn: the tools it has are look.");
    expect(told[2]).toContain("'terminate' cannot be called in this turn: the tools it has are submit_answer.");
    expect(run.state.outcome).toBe('success');
  });

  it('a filter that leaves nothing leaves words, and a tool that does not exist is still called unknown', async () => {
    const observers = '  - { id: a, action: { type: filter_tools, only: [] } }';
    const model = speaks(call('look'), call('nonesuch'), 'Nothing to see.');
    const run = await play({ yaml: [looker(observers), flow], models: { m: model }, tools: [look] });
    expect(model.requests.map(toolsOf)).toEqual([[], [], []]);
    const codes = turnsOf(run, 'Looker').map(({ toolInteractions }) => toolInteractions[0]?.error?.code);
    expect(codes).toEqual(['TOOL_DENIED', 'TOOL_UNKNOWN', undefined]);
    expect(run.state.output).toBe('Nothing to see.');
  });

  it('an observer in code sets them too; after the reply it is too late, and it is told so', async () => {
    const holder = defineObserver({
      name: 'holder',
      observe: () => [
        { type: 'filter_tools', only: ['submit_answer'] },
        { type: 'set_tool_choice', toolChoice: 'submit_answer' },
      ],
    });
    const observers = '  - { id: code, action: { type: call, observer: holder } }';
    const late = 'post_turn_observers:\n  - { id: late, action: { type: call, observer: holder } }';
    const model = speaks(answer);
    const run = await play({ yaml: [looker(observers, late), flow], models: { m: model }, tools: [look], observers: [holder] });
    expect(toolsOf(model.requests[0])).toEqual(['submit_answer']);
    const [turn] = turnsOf(run, 'Looker');
    expect(turn?.observers).toMatchObject([
      { id: 'code', tools: { choice: 'submit_answer', only: ['submit_answer'] } },
      { id: 'late', fired: false, error: { code: 'OBSERVER_FAILED', message: expect.stringContaining('before a turn') } },
    ]);
  });
});
