import { expect, it } from 'vitest';
import { runCli, temporaryFolder } from './cli-process.ts';

it('cadre note keeps a note for agents of a run that no process has, and takes it away', async () => {
  const options = { cwd: await temporaryFolder() };
  await runCli(['run', '--profiles', 'anges', 'Say hi.'], options);
  const noted = await runCli(['note', 'last', 'How we test', 'Run npm test first.', '--agent', 'default_agent'], options);
  expect(noted.err).toContain('run resumed after');
  const refused = await runCli(['note', 'last', 'x', 'y', '--agent', 'Nobody'], options);
  expect(refused).toMatchObject({ code: 2, err: expect.stringContaining("neither an agent nor a profile 'Nobody'") });
  const { out } = await runCli(['events', 'last'], options);
  expect(out).toContain('"value":[{"title":"How we test","content":"Run npm test first.","agent":"default_agent"}]');
  expect(out).toContain('"by":"person"');
});
