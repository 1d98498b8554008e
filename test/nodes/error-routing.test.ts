import { describe, expect, it } from 'vitest';
import type { Run } from '../../src/index.ts';
import type { ScriptedReply } from '../../src/testing/index.ts';
import { breathe, testEngine, type TestEngine } from '../support/test-engine.ts';
import { allow, tool } from '../support/tools.ts';
import { verifyRun } from '../support/verify-run.ts';

const refused: ScriptedReply = { text: 'I would rather', finishReason: 'content-filter' };
const rejected: ScriptedReply = { error: { status: 400, message: 'no such parameter' } };

const after = `
  - { id: tools, condition: state.current_action, action: { type: continue_with_tool } }
  - { id: end, action: { type: end_agent_turn, outcome: success } }
`;

async function runWith(
  rules: string,
  replies: readonly ScriptedReply[],
  more = '',
): Promise<{ readonly team: TestEngine; readonly run: Run }> {
  const team = await testEngine({
    profile: `${allow('t')}flow_decider:\n${rules}${after}${more}`,
    tools: [tool('t', () => 'looked')],
    replies,
  });
  const run = await team.launch();
  await run.settled();
  return { team, run };
}

async function verify({ team, run }: { readonly team: TestEngine; readonly run: Run }): Promise<void> {
  await verifyRun(run, team.journal, { requests: team.model.requests });
}

describe('rules that name turn.error route a model call that failed (M12, M13)', () => {
  it('a rule without a word of turn.error is not asked: an unconditional success does not swallow an error', async () => {
    const seen = await runWith('', [{ toolCalls: [{ name: 't', args: {} }], text: 'first' }, rejected]);
    expect(await seen.run.result).toMatchObject({ status: 'failed', outcome: 'error', error: { code: 'MODEL_REJECTED' } });
    expect(seen.run.turns()[1]).toMatchObject({ status: 'error', error: { code: 'MODEL_REJECTED' } });
    await verify(seen);
  });

  it('no match: the rules that were asked are on record, and the error ends the agent', async () => {
    const rules = "  - { id: other, condition: turn.error == 'MODEL_TIMEOUT', action: { type: retry_turn } }\n";
    const seen = await runWith(rules, [rejected]);
    expect(await seen.run.result).toMatchObject({ outcome: 'error', error: { code: 'MODEL_REJECTED' } });
    expect(seen.run.turns()[0]?.decision?.rules).toMatchObject([
      { id: 'other', matched: false, values: { 'turn.error': 'MODEL_REJECTED' } },
    ]);
    await verify(seen);
  });

  it('M13: a refusal can be answered in the words of a rule, which then are a success', async () => {
    const rules =
      "  - { id: no, condition: turn.error == 'MODEL_REFUSED', action: { type: end_agent_turn, outcome: success, output: 'I cannot help with that.' } }\n";
    const seen = await runWith(rules, [refused]);
    expect(await seen.run.result).toMatchObject({ status: 'completed', outcome: 'success', output: 'I cannot help with that.' });
    expect(seen.run.turns()[0]).toMatchObject({
      status: 'error',
      error: { code: 'MODEL_REFUSED' },
      attempts: [{ partialText: 'I would rather' }],
    });
    await verify(seen);
  });

  it('a success without words of its own stays an error, whatever the turn before had said', async () => {
    const rules = '  - { id: fine, condition: turn.error != null, action: { type: end_agent_turn, outcome: success } }\n';
    const seen = await runWith(rules, [{ text: 'wait', toolCalls: [{ name: 't', args: {} }] }, refused]);
    expect(await seen.run.result).toMatchObject({ status: 'failed', outcome: 'error', error: { code: 'MODEL_REFUSED' } });
    await verify(seen);
  });

  it('an ending may have an outcome and an error message of its own; the code stays', async () => {
    const rules =
      "  - { id: own, condition: turn.error, action: { type: end_agent_turn, outcome: declined, error_message: 'declined: {{ turn.error }}' } }\n";
    const seen = await runWith(rules, [refused]);
    expect(await seen.run.result).toMatchObject({
      outcome: 'declined',
      error: { code: 'MODEL_REFUSED', message: 'declined: MODEL_REFUSED' },
    });
    await verify(seen);
  });

  it('retry_turn asks the same again, as often as counters.model_error_streak lets it', async () => {
    const rules = '  - { id: again, condition: turn.error && counters.model_error_streak < 3, action: { type: retry_turn } }\n';
    const healed = await runWith(rules, [rejected, rejected, { text: 'at last' }]);
    expect(await healed.run.result).toMatchObject({ outcome: 'success', output: 'at last' });
    expect(healed.run.turns().map(({ status }) => status)).toEqual(['error', 'error', 'completed']);
    expect(healed.team.model.requests.map(({ prompt }) => prompt)).toEqual(
      healed.team.model.requests.map(() => healed.team.model.requests[0]?.prompt),
    );
    await verify(healed);
    const hopeless = await runWith(rules, [rejected, rejected, rejected, { text: 'never asked' }]);
    expect(await hopeless.run.result).toMatchObject({ outcome: 'error', error: { code: 'MODEL_REJECTED' } });
    expect(hopeless.team.model.requests).toHaveLength(3);
    await verify(hopeless);
  });

  it('E6: an unbounded retry_turn ends at the limit of turns, and says in which error', async () => {
    const rules = '  - { id: again, condition: turn.error, action: { type: retry_turn } }\n';
    const seen = await runWith(
      rules,
      Array.from({ length: 20 }, () => rejected),
      'limits: { max_turns: 5 }\n',
    );
    expect(await seen.run.result).toMatchObject({
      status: 'failed',
      outcome: 'limit',
      error: { code: 'LIMIT_REACHED', message: expect.stringContaining('no such parameter') },
    });
    expect(seen.team.model.requests.length).toBeLessThanOrEqual(6);
    await verify(seen);
  });

  it('what the failed call was to read for this once is read again by the next: no model has seen it', async () => {
    const note = `
pre_turn_observers:
  - { id: note, action: { type: add_to_inbox, inbox_item: { source: NEWS, payload: said anew } } }
inbox_handling_strategies:
  - { source: HINT, ingestor: markdown_formatter, params: { is_persistent_in_memory: false } }
`;
    const rules = '  - { id: again, condition: turn.error, action: { type: retry_turn } }\n';
    const team = await testEngine({
      profile: `${note}flow_decider:\n${rules}  - { id: wait, action: { type: await_user_input } }\n`,
      replies: [{ text: 'ready' }, rejected, rejected, { text: 'seen' }],
    });
    const run = await team.launch();
    await run.settled();
    await run.send({ source: 'HINT', payload: 'behind the door' });
    await run.settled();
    const told = team.model.requests.map(({ prompt }) => JSON.stringify(prompt).split('behind the door').length - 1);
    expect(told).toEqual([0, 1, 1, 1]);
    const observed = team.model.requests.map(({ prompt }) => JSON.stringify(prompt).split('said anew').length - 1);
    expect(observed[3]).toBe((observed[0] ?? 0) + 3);
    await verify({ team, run });
  });

  it('loop_with_inbox_item tells the model what went wrong, set_tool_choice binds the next call', async () => {
    const loop =
      "  - { id: tell, condition: turn.error, action: { type: loop_with_inbox_item, payload: { content: 'That failed: {{ turn.error }}' } } }\n";
    const told = await runWith(loop, [refused, { text: 'something else' }]);
    expect(await told.run.result).toMatchObject({ outcome: 'success', output: 'something else' });
    expect(JSON.stringify(told.team.model.requests[1]?.prompt)).toContain('That failed: MODEL_REFUSED');
    await verify(told);
    const bind = '  - { id: bind, condition: turn.error, action: { type: set_tool_choice, tool_choice: none } }\n';
    const bound = await runWith(bind, [rejected, { text: 'without tools' }]);
    expect(bound.team.model.requests[1]?.toolChoice).toEqual({ type: 'none' });
    await verify(bound);
  });

  it('await_user_input and await keep the agent: what is sent next is answered', async () => {
    for (const action of ['{ type: await_user_input }', '{ type: await, on: [NEWS, USER_PROMPT] }']) {
      const seen = await runWith(`  - { id: wait, condition: turn.error, action: ${action} }\n`, [
        rejected,
        { text: 'works again' },
      ]);
      expect(seen.run.state.status).toBe('awaiting');
      await seen.run.send('Try now.');
      expect(await seen.run.result).toMatchObject({ outcome: 'success', output: 'works again' });
      await verify(seen);
    }
  });

  it('call_tool runs in the place of the model; the turn stays an error on record', async () => {
    const rules = '  - { id: look, condition: turn.error, action: { type: call_tool, tool: t, args: {} } }\n';
    const seen = await runWith(rules, [rejected, { text: 'so that is it' }]);
    expect(await seen.run.result).toMatchObject({ outcome: 'success', output: 'so that is it' });
    expect(seen.run.turns()[0]).toMatchObject({
      status: 'error',
      error: { code: 'MODEL_REJECTED' },
      toolInteractions: [{ status: 'ok' }],
    });
    await verify(seen);
  });

  it('continue_with_tool has no call to continue with: the error stands', async () => {
    const rules = '  - { id: on, condition: turn.error, action: { type: continue_with_tool } }\n';
    const seen = await runWith(rules, [rejected]);
    expect(await seen.run.result).toMatchObject({
      outcome: 'error',
      error: { code: 'MODEL_REJECTED', message: expect.stringContaining('400') },
    });
    await verify(seen);
  });
});

describe('observers that name turn.error are run when a model call failed', () => {
  it('they, and no others', async () => {
    const observers = `
post_turn_observers:
  - { id: always, action: { type: update_state, updates: [{ operation: increment, path: flags.replies, value: 1 }] } }
  - { id: failed, condition: turn.error, action: { type: update_state, updates: [{ operation: set, path: flags.failed, value: '{{ turn.error }}' }] } }
`;
    const rules = '  - { id: again, condition: flags.failed && turn.error, action: { type: retry_turn } }\n';
    const seen = await runWith(rules, [rejected, { text: 'fine' }], observers);
    expect(await seen.run.result).toMatchObject({ outcome: 'success', output: 'fine' });
    expect(seen.run.turns()[0]?.observers.map(({ id, fired }) => [id, fired])).toEqual([['failed', true]]);
    expect(seen.run.turns()[1]?.observers.map(({ id, fired }) => [id, fired])).toEqual([
      ['always', true],
      ['failed', false],
    ]);
    await verify(seen);
  });

  it('without a rule, what they did is on record and the error ends the agent', async () => {
    const observers = `
post_turn_observers:
  - { id: failed, condition: turn.error, action: { type: add_to_inbox, inbox_item: { source: NEWS, payload: 1 } } }
`;
    const seen = await runWith('', [rejected], observers);
    expect(await seen.run.result).toMatchObject({ outcome: 'error', error: { code: 'MODEL_REJECTED' } });
    expect(seen.run.turns()[0]?.observers).toMatchObject([{ id: 'failed', fired: true }]);
    await verify(seen);
  });
});

describe('a reply that was cut at its length, without rules (M7)', () => {
  it('is asked for again, shorter, and is the answer when it is whole', async () => {
    const team = await testEngine({ replies: [{ text: 'A very lo', finishReason: 'length' }, { text: 'Short.' }] });
    const run = await team.launch();
    expect(await run.result).toMatchObject({ outcome: 'success', output: 'Short.' });
    expect(run.turns()[0]?.reply?.finishReason).toBe('length');
    await verify({ team, run });
  });

  it('twice is an error that says what to do, with the last words as output; never a success', async () => {
    const cut: ScriptedReply = { text: 'A very lo', finishReason: 'length' };
    const team = await testEngine({ replies: [cut, cut, { text: 'never asked' }] });
    const run = await team.launch();
    expect(await run.result).toMatchObject({
      status: 'failed',
      outcome: 'error',
      output: 'A very lo',
      error: { message: expect.stringContaining('max_output_tokens') },
    });
    await breathe();
    await verify({ team, run });
  });
});
