import { expect, it } from 'vitest';
import { ConversationLoop } from '../../src/cli/chat/conversation-loop.ts';
import { Interruption } from '../../src/cli/terminal/interruption.ts';
import { openTerminal } from '../../src/cli/terminal/terminal.ts';
import { testEngine, waitsForUser } from '../support/test-engine.ts';
import { allow, heldTool, tool } from '../support/tools.ts';

/** Lines that a person types, one by one. */
function typing() {
  const lines: string[] = [];
  let waiting: ((line: string) => void) | undefined;
  return {
    next: () => new Promise<string>((resolve) => (lines.length > 0 ? resolve(lines.shift() ?? '') : (waiting = resolve))),
    prompt: () => undefined,
    type: (line: string) => {
      const take = waiting;
      waiting = undefined;
      if (take === undefined) lines.push(line);
      else take(line);
    },
  };
}

it('F94: a line typed while the team works decides no request that was not shown yet', async () => {
  const held = heldTool('slow');
  let paid = 0;
  const { launch, engine } = await testEngine({
    profile: `${waitsForUser}${allow('pay', 'slow')}tool_gates: [{ id: money, tools: [pay], verdict: ask }]\n`,
    tools: [held.tool, tool('pay', () => `paid ${++paid}`)],
    replies: [{ toolCalls: ['pay', 'slow'].map((name) => ({ name, args: {} })) }, { text: 'Done.' }, { text: 'Heard.' }],
  });
  const input = typing();
  let said = '';
  using interruption = new Interruption();
  const terminal = { ...openTerminal(), isInteractive: true, tell: (text: string) => void (said += text), print: () => undefined };
  const run = await launch();
  const loop = new ConversationLoop({ terminal, input, interruption, quiet: true, raw: true, run, launch: () => launch() });
  const over = loop.converse();
  await expect.poll(() => [held.gates.size, run.pending.length]).toEqual([1, 1]);
  input.type('y');
  await expect
    .poll(() => JSON.stringify(run.state.agents.get(run.state.rootAgentId ?? ('' as never))?.inbox.items))
    .toContain('"y"');
  expect([paid, run.pending.length]).toEqual([0, 1]);
  held.gates.get('slow')?.open('slowly');
  await expect.poll(() => said).toContain(run.pending[0]?.id ?? '?');
  input.type('y');
  await expect.poll(() => paid).toBe(1);
  await run.settled();
  input.type('/quit');
  expect(await over).toBe('left');
  await engine.close();
});

it('a line that arrives while the card of a request is being made does not decide it', async () => {
  let paid = 0;
  const { launch, engine } = await testEngine({
    profile: `${waitsForUser}${allow('pay')}tool_gates: [{ id: money, tools: [pay], verdict: ask }]\n`,
    tools: [tool('pay', () => `paid ${++paid}`)],
    replies: [{ toolCalls: [{ name: 'pay', args: {} }] }, { text: 'Done.' }],
  });
  const input = typing();
  let said = '';
  using interruption = new Interruption();
  const terminal = { ...openTerminal(), isInteractive: true, tell: (text: string) => void (said += text), print: () => undefined };
  const run = await launch();
  const makeCards = run.cards.bind(run);
  let made = 0;
  run.cards = async () => {
    if (++made === 1) input.type('y');
    return await makeCards();
  };
  const loop = new ConversationLoop({ terminal, input, interruption, quiet: true, raw: true, run, launch: () => launch() });
  const over = loop.converse();
  await expect.poll(() => said).toContain('typed before this request was shown');
  expect([paid, run.pending.length]).toEqual([0, 1]);
  await expect.poll(() => made).toBe(2);
  input.type('y');
  await expect.poll(() => paid).toBe(1);
  await run.settled();
  input.type('/quit');
  expect(await over).toBe('left');
  await engine.close();
});
