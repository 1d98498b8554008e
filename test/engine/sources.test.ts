import { describe, expect, it } from 'vitest';
import { testEngine, waitsForUser } from '../support/test-engine.ts';
import { allow, tool } from '../support/tools.ts';
import { verifyRun } from '../support/verify-run.ts';

const strategies = (...rows: readonly string[]): string =>
  `${waitsForUser}inbox_handling_strategies:\n${rows.map((row) => `  - { ${row} }\n`).join('')}`;

describe('F5: what a profile says of its sources', () => {
  it('one that does not wake is read with the next turn; others wake, and a source that Cadre knows may be told to', async () => {
    const team = await testEngine({
      profile: strategies('source: NEWS, wakes: false', 'source: TOOLS_CHANGED, wakes: true'),
      replies: [{ text: 'One.' }, { text: 'Two.' }, { text: 'Three.' }],
    });
    const run = await team.launch();
    await run.settled();
    await run.send({ source: 'NEWS', payload: 'It rains.' });
    await run.settled();
    expect(run.turns()).toHaveLength(1);
    await run.send({ source: 'WEATHER', payload: 'It is cold.' });
    await run.settled();
    expect(run.turns()[1]?.inputs.map(({ source }) => source)).toEqual(['NEWS', 'WEATHER']);
    await run.send({ source: 'TOOLS_CHANGED', payload: 'There are others.' });
    await run.settled();
    expect(run.turns()).toHaveLength(3);
    await verifyRun(run, team.journal, { requests: team.model.requests });
  });

  it('one that is restored from its journal does not wake either', async () => {
    const team = await testEngine({
      profile: strategies('source: NEWS, wakes: false'),
      replies: [{ text: 'One.' }, { text: 'Two.' }],
    });
    const run = await team.launch();
    await run.settled();
    await run.send({ source: 'NEWS', payload: 'It rains.' });
    await team.engine.close();
    const again = await testEngine({ profile: waitsForUser, replies: [{ text: 'Two.' }], store: team.journal });
    const resumed = await again.engine.resume(run.id);
    await resumed.settled();
    expect(resumed.turns()).toHaveLength(1);
    await resumed.send('And?');
    await resumed.settled();
    expect(resumed.turns()[1]?.inputs.map(({ source }) => source)).toEqual(['NEWS', 'USER_PROMPT']);
  });

  it('its priority orders the inbox', async () => {
    const team = await testEngine({
      profile: strategies('source: NEWS, priority: 150', 'source: ALARM, priority: -1'),
      replies: [{ text: 'One.' }, { text: 'Two.' }],
    });
    const run = await team.launch();
    await run.settled();
    await Promise.all(['NEWS', 'ALARM', 'OTHER'].map((source) => run.send({ source, payload: source }, { priority: 'next' })));
    await run.settled();
    const read = run
      .turns()
      .slice(1)
      .flatMap(({ inputs }) => inputs.map(({ source }) => source));
    expect(read.toSorted()).toEqual(['ALARM', 'NEWS', 'OTHER']);
    const [first] = run.turns().slice(1);
    const order = first?.inputs.map(({ source }) => source) ?? [];
    expect(order).toEqual(['ALARM', 'OTHER', 'NEWS'].filter((source) => order.includes(source)));
  });
});

it('F6: every turn that a result caused names its call', async () => {
  const team = await testEngine({
    profile: `${waitsForUser}${allow('look')}`,
    tools: [tool('look', () => 'nothing')],
    replies: [
      {
        toolCalls: [
          { name: 'look', args: {} },
          { name: 'look', args: {} },
        ],
      },
      { toolCalls: [{ name: 'look', args: {} }] },
      { text: 'Done.' },
      { text: 'Yes.' },
    ],
  });
  const run = await team.launch();
  await run.settled();
  await run.send('Sure?');
  await run.settled();
  const calls = run.turns().map(({ toolInteractions }) => toolInteractions.map(({ callId }) => callId));
  expect(run.turns().map(({ sourceToolCallId }) => sourceToolCallId)).toEqual([undefined, calls[0]?.[0], calls[1]?.[0], undefined]);
});
