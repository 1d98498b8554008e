import { describe, expect, it } from 'vitest';
import { testEngine, waitsForUser } from '../support/test-engine.ts';

const huge = 'x'.repeat(100_000_000);
const file = { type: 'file', mediaType: 'image/png', data: 'A'.repeat(12_000_000) };

describe('F69: an input that no model could read', () => {
  it.each([
    ['a text', huge],
    ['content parts', [{ type: 'text', text: huge }]],
    ['a payload', { prompt: 'look', more: { deep: [huge] } }],
  ])('%s is refused before there is a run, with its size and the limit', async (_, input) => {
    const team = await testEngine({ profile: waitsForUser, replies: [{ text: 'a' }] });
    await expect(team.engine.launch({ profile: 'Root', input })).rejects.toMatchObject({
      code: 'OPTION_INVALID',
      message: expect.stringMatching(/^launch: input is too large: 1000000\d\d characters, at most 10000000 are taken/),
    });
    expect(await team.engine.runs()).toEqual([]);
  });

  it('is refused as files, too; words and files have limits of their own', async () => {
    const team = await testEngine({ profile: waitsForUser, replies: [{ text: 'a' }] });
    const four = { parts: [file, file, file, file] };
    await expect(team.engine.launch({ profile: 'Root', input: four })).rejects.toThrow('48000000 characters of files');
    expect(await team.engine.runs()).toEqual([]);
    const run = await team.engine.launch({ profile: 'Root', input: { prompt: 'look', parts: [file] } });
    await run.settled();
    expect(await team.engine.runs()).toHaveLength(1);
  });

  it('is refused as a message, whatever its source, and the run stays as it is', async () => {
    const team = await testEngine({ profile: waitsForUser, replies: [{ text: 'a' }] });
    const run = await team.launch();
    await run.settled();
    const { seq } = run.state;
    for (const message of [huge, { source: 'NEWS', payload: { deep: { data: huge } } }])
      await expect(run.send(message)).rejects.toThrow('send: message is too large');
    await expect(team.engine.fork(run.id, { message: huge })).rejects.toThrow('is too large');
    expect(run.state.seq).toBe(seq);
    expect(await team.engine.runs()).toHaveLength(1);
  });
});
