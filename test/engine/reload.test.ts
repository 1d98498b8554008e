import { expect, it } from 'vitest';
import { createEngine, type Run } from '../../src/index.ts';
import { scriptedModel } from '../../src/testing/index.ts';

const profiles = (instructions: string, rest = '') => ({
  files: [
    {
      path: 'profiles/host.yaml',
      text: `name: Host\ntype: partner\ninstructions: ${instructions}\nflow_decider: [{ id: answered, action: { type: await_user_input } }]\n${rest}`,
    },
  ],
});

const systemText = (run: Run): string | undefined =>
  run
    .turns()
    .at(-1)
    ?.systemPrompt.segments.map(({ text }) => text)
    .join('');

it('engine.reload gives new runs other profiles; a run in progress keeps its own', async () => {
  await using engine = await createEngine({
    profiles: profiles('Greet warmly.'),
    models: { default: scriptedModel(['One.', 'Two.', 'Three.']) },
    store: 'memory',
  });
  const first = await engine.launch({ profile: 'Host', input: 'Hello.' });
  await first.settled();
  const { profiles: loaded } = await engine.reload(profiles('Greet briefly.'));
  expect([...loaded.keys()]).toEqual(['Host']);
  const second = await engine.launch({ profile: 'Host', input: 'Hello.' });
  await second.settled();
  await first.send('Again.');
  await first.settled();
  expect([systemText(first), systemText(second)]).toEqual(['Greet warmly.', 'Greet briefly.']);
});

it('engine.reload of profiles with a problem names it, and changes nothing', async () => {
  await using engine = await createEngine({
    profiles: profiles('Greet warmly.'),
    models: { default: scriptedModel(['One.']) },
    store: 'memory',
  });
  await expect(engine.reload(profiles('Greet briefly.', 'limts: {}\n'))).rejects.toMatchObject({
    code: 'PROFILE_INVALID',
    message: expect.stringContaining('profiles/host.yaml:5:1'),
  });
  await expect(engine.reload(7 as never)).rejects.toMatchObject({ code: 'OPTION_INVALID' });
  const run = await engine.launch({ profile: 'Host', input: 'Hello.' });
  await run.settled();
  expect(systemText(run)).toBe('Greet warmly.');
  await engine.close();
  await expect(engine.reload(profiles('x'))).rejects.toMatchObject({ code: 'ENGINE_CLOSED' });
});
