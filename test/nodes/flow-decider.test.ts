import { describe, expect, it } from 'vitest';
import type { PromptMessage } from '../../src/core/prompt/message.ts';
import { promptText } from '../../src/inspect/turn/prompt-text.ts';
import { testEngine } from '../support/test-engine.ts';
import { allow, tool } from '../support/tools.ts';
import { verifyRun } from '../support/verify-run.ts';

const textOf = (request: { readonly prompt: unknown } | undefined): string =>
  promptText((request?.prompt ?? []) as readonly PromptMessage[]);
const decider = (...rules: readonly string[]): string => `flow_decider:\n${rules.map((rule) => `  - ${rule}\n`).join('')}`;
const end = '{ id: end, action: { type: end_agent_turn, outcome: success } }';

describe('[B.18] flow decider', () => {
  it('E5: the first true rule wins; a failing condition counts as false and is on record, with what it read', async () => {
    const team = await testEngine({
      profile: decider(
        '{ id: never, condition: counters.turn_count > 5, action: { type: await_user_input } }',
        '{ id: fails, condition: 1 / (counters.turn_count - 1) > 0, action: { type: await_user_input } }',
        '{ id: second, condition: "turn.reply == \'hello\'", action: { type: end_agent_turn, outcome: greeted, output: "said {{ turn.reply }}" } }',
        end,
      ),
      replies: [{ text: 'hello' }],
    });
    const run = await team.launch();
    expect(await run.result).toMatchObject({ status: 'completed', outcome: 'greeted', output: 'said hello' });
    expect(run.turns()[0]?.decision.rules).toMatchObject([
      { id: 'never', matched: false, values: { 'counters.turn_count': 1 } },
      { id: 'fails', matched: false, error: { code: 'CONDITION_FAILED' } },
      { id: 'second', matched: true },
    ]);
    await verifyRun(run, team.journal, { requests: team.model.requests });
  });

  it('[A2.1.react-step] [A5.text-response] without a rule that holds, words are the answer, calls run, and silence is an error', async () => {
    const never = decider('{ id: never, condition: "false", action: { type: await_user_input } }');
    const team = await testEngine({
      profile: never + allow('t'),
      tools: [tool('t', () => 'x')],
      replies: [{ toolCalls: [{ name: 't', args: {} }] }, { text: 'answer' }],
    });
    const run = await team.launch();
    expect(await run.result).toMatchObject({ status: 'completed', output: 'answer' });
    await verifyRun(run, team.journal, { requests: team.model.requests });
    const silent = await testEngine({ profile: never, replies: [{ text: '' }, { text: '  ' }] });
    const failed = await silent.launch();
    expect(await failed.result).toMatchObject({ status: 'failed', outcome: 'error' });
    await verifyRun(failed, silent.journal, { requests: silent.model.requests });
  });

  it('I12: a rule whose texts cannot be put together does not hold, and the next one decides', async () => {
    const team = await testEngine({
      profile:
        decider(
          '{ id: loop, action: { type: loop_with_inbox_item, source: NEWS, payload: { content: "{{ 1 / (counters.turn_count - 1) }}" } } }',
          '{ id: call, action: { type: call_tool, tool: t, args: { x: "{{ 1 / (counters.turn_count - 1) }}" } } }',
          '{ id: out, action: { type: end_agent_turn, outcome: success, output: "{{ 1 / (counters.turn_count - 1) }}" } }',
          '{ id: why, action: { type: end_agent_turn, outcome: error, error_message: "{{ 1 / (counters.turn_count - 1) }}" } }',
          end,
        ) + allow('t'),
      tools: [tool('t', () => 'x')],
      replies: [{ text: 'answer' }],
    });
    const run = await team.launch();
    expect(await run.result).toMatchObject({ status: 'completed', output: 'answer' });
    expect(run.turns()[0]?.decision.rules.map(({ matched, error }) => [matched, error?.code])).toEqual([
      ...Array.from({ length: 4 }, () => [false, 'CONDITION_FAILED']),
      [true, undefined],
    ]);
    await verifyRun(run, team.journal, { requests: team.model.requests });
  });

  it('loop_with_inbox_item takes its item into the next turn; one that stays is read as often as it may', async () => {
    const team = await testEngine({
      profile: decider(
        '{ id: loop, condition: counters.turn_count == 1, action: { type: loop_with_inbox_item, source: STANDING, payload: "turn {{ counters.turn_count }} said {{ turn.reply }}", consumption_policy: persistent_until_consumed, max_turns: 2 } }',
        '{ id: more, condition: counters.turn_count < 4, action: { type: loop_with_inbox_item, payload: { content: more } } }',
        end,
      ),
      replies: ['a', 'b', 'c', 'd'].map((text) => ({ text })),
    });
    const run = await team.launch();
    await run.result;
    expect(team.model.requests.map((request) => textOf(request).includes('turn 1 said a'))).toEqual([false, true, true, false]);
    expect(run.turns()[1]?.inputs[0]).toMatchObject({ source: 'STANDING', ruleId: 'loop' });
    await verifyRun(run, team.journal, { requests: team.model.requests });
  });

  it('retry_turn asks the same again, without the reply it is not content with', async () => {
    const team = await testEngine({
      profile: decider('{ id: again, condition: "turn.reply == \'bad\'", action: { type: retry_turn } }', end),
      replies: [{ text: 'bad' }, { text: 'good' }],
    });
    const run = await team.launch();
    expect(await run.result).toMatchObject({ output: 'good' });
    expect(team.model.requests[1]?.prompt).toEqual(team.model.requests[0]?.prompt);
    expect(run.turns().map((turn) => turn.reply.text)).toEqual(['bad', 'good']);
    await verifyRun(run, team.journal, { requests: team.model.requests });
  });

  it('retry_turn, await and ends answer the calls they pass over', async () => {
    for (const action of [
      '{ type: retry_turn }',
      '{ type: await_user_input }',
      '{ type: await, on: [NEWS] }',
      '{ type: end_agent_turn, outcome: success }',
      '{ type: set_tool_choice, tool_choice: none }',
      '{ type: loop_with_inbox_item, payload: { content: x } }',
    ]) {
      let ran = 0;
      const team = await testEngine({
        profile: decider(`{ id: first, condition: counters.turn_count == 1, action: ${action} }`, end) + allow('t'),
        tools: [tool('t', () => ++ran)],
        replies: [
          {
            text: 'calling',
            toolCalls: [
              { name: 't', args: {} },
              { name: 'unknown', args: {} },
            ],
          },
          { text: 'done' },
        ],
      });
      const run = await team.launch();
      await run.settled();
      if (run.state.status === 'awaiting') {
        await run.send({ source: 'NEWS', payload: 'go' });
        await run.settled();
      }
      expect(ran).toBe(0);
      expect(await run.result).toMatchObject({ status: 'completed' });
      expect(run.turns()[0]?.toolInteractions.map(({ status }) => status)).toEqual(['cancelled', 'cancelled']);
      await verifyRun(run, team.journal, { requests: team.model.requests });
    }
  });

  it('set_tool_choice binds the next model call, and that one only', async () => {
    const team = await testEngine({
      profile:
        decider(
          '{ id: tools, condition: state.current_action, action: { type: continue_with_tool } }',
          '{ id: must, condition: counters.turn_count == 1, action: { type: set_tool_choice, tool_choice: fs.read } }',
          end,
        ) + allow('fs.read'),
      tools: [tool('fs.read', () => 'x')],
      replies: [{ text: 'hm' }, ({ tools }) => ({ toolCalls: [{ name: tools?.[0]?.name ?? '', args: {} }] }), { text: 'done' }],
    });
    const run = await team.launch();
    expect(await run.result).toMatchObject({ status: 'completed' });
    expect(team.model.requests.map(({ toolChoice }) => toolChoice?.type)).toEqual(['auto', 'tool', 'auto']);
    await verifyRun(run, team.journal, { requests: team.model.requests });
  });

  it('call_tool makes a call in the place of the model, beside the calls and words of its reply', async () => {
    for (const reply of [
      { text: 'words' },
      { text: 'words', toolCalls: [{ name: 'other', args: {} }] },
      { toolCalls: [{ name: 'other', args: {} }] },
      { text: '' },
    ]) {
      const ran: unknown[] = [];
      const team = await testEngine({
        profile:
          decider(
            '{ id: call, condition: counters.turn_count == 1, action: { type: call_tool, tool: fs.check, args: { turn: "{{ counters.turn_count }}" } } }',
            end,
          ) + allow('fs.check', 'other'),
        tools: [
          tool('fs.check', (args) => {
            ran.push(args);
            return 'checked';
          }),
          tool('other', () => ran.push('other')),
        ],
        replies: reply.text === '' ? [reply, reply, { text: 'done' }] : [reply, { text: 'done' }],
      });
      const run = await team.launch();
      expect(await run.result).toMatchObject({ status: 'completed', output: 'done' });
      expect(ran).toEqual([{ turn: 1 }]);
      await verifyRun(run, team.journal, { requests: team.model.requests });
    }
  });

  it('continue_with_tool without a call is an error, not a silent end', async () => {
    const team = await testEngine({
      profile: decider('{ id: tools, action: { type: continue_with_tool } }'),
      replies: [{ text: 'no call' }],
    });
    const run = await team.launch();
    expect(await run.result).toMatchObject({ status: 'failed', outcome: 'error' });
    await verifyRun(run, team.journal, { requests: team.model.requests });
  });
});

describe('[A4.1.run] limits', () => {
  it('[A2.1.run] [A3.forced-last-step] [A4.3.termination] [A5.exhausted] [B.8] E6: an endless loop is told to wrap up, gets one last turn without tools, and ends as limit', async () => {
    const team = await testEngine({
      profile: `limits: { max_turns: 5 }\n${allow('t')}`,
      tools: [tool('t', () => 'again')],
      replies: () => ({ text: 'once more', toolCalls: [{ name: 't', args: {} }] }),
    });
    const run = await team.launch();
    expect(await run.result).toMatchObject({ status: 'failed', outcome: 'limit', error: { code: 'LIMIT_REACHED' } });
    expect(run.turns()).toHaveLength(6);
    expect(run.turns().map(({ limit }) => limit?.stage)).toEqual([undefined, undefined, undefined, undefined, 1, 2]);
    expect(team.model.requests.map((request) => /wrap up|last turn/.exec(textOf(request))?.[0])).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
      'wrap up',
      'last turn',
    ]);
    expect(team.model.requests.at(-1)?.toolChoice?.type).toBe('none');
    await verifyRun(run, team.journal, { requests: team.model.requests });
  });

  it.each([
    [{ turns: 3 }, 4],
    [{ toolCalls: 2 }, 3],
  ])('limits of the run hold for all its agents: %j', async (limits, turns) => {
    const team = await testEngine({
      profile: allow('t'),
      tools: [tool('t', () => 'again')],
      replies: () => ({ toolCalls: [{ name: 't', args: {} }], usage: { inputTokens: 5, outputTokens: 5 } }),
    });
    const run = await team.launch('Go.', { limits });
    expect(await run.result).toMatchObject({ status: 'failed', outcome: 'limit' });
    expect(run.turns()).toHaveLength(turns);
    await verifyRun(run, team.journal, { requests: team.model.requests });
  });

  it('wall time is a limit as well, by the clock of the run', async () => {
    const team = await testEngine({
      profile: `limits: { max_wall_seconds: 60 }\n${allow('t')}`,
      tools: [
        tool('t', async () => {
          await team.clock.advance(40_000);
          return 'x';
        }),
      ],
      replies: () => ({ toolCalls: [{ name: 't', args: {} }] }),
    });
    const run = await team.launch();
    expect(await run.result).toMatchObject({ outcome: 'limit' });
    expect(run.turns()).toHaveLength(3);
    await verifyRun(run, team.journal, { requests: team.model.requests });
  });

  it('limits that are no positive numbers, or have no such name, are refused', async () => {
    const team = await testEngine();
    await expect(team.launch('x', { limits: { turns: 0 } })).rejects.toMatchObject({ code: 'OPTION_INVALID' });
    await expect(team.launch('x', { limits: { turnz: 3 } as never })).rejects.toMatchObject({ code: 'OPTION_INVALID' });
  });
});
