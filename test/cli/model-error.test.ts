import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import path from 'node:path';
import { expect, it } from 'vitest';
import { writeSoloTeam } from './chat-model.ts';
import { runCli, temporaryFolder } from './cli-process.ts';

/** Returns a port with no listener. */
async function closedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/** Creates a folder whose only agent waits for the user when its model fails; the model is never reachable. */
async function unreachable(): Promise<string> {
  const cwd = await temporaryFolder();
  await writeSoloTeam(cwd, `http://127.0.0.1:${await closedPort()}/v1`);
  const profile = path.join(cwd, 'agent_profiles/profiles/Solo.yaml');
  const rule = 'flow_decider:\n  - { id: down, condition: turn.error, action: { type: await_user_input } }';
  await writeFile(profile, (await readFile(profile, 'utf8')).replace('flow_decider:', rule));
  return cwd;
}

it('M2: a run that waits because its model failed is no success: exit code 1, the error, and nothing on stdout', async () => {
  const cwd = await unreachable();
  const { code, out, err } = await runCli(['run', '--docs', 'docs', 'Hello?'], { cwd });
  expect([code, out]).toEqual([1, '']);
  expect(err).toContain('The provider cannot be reached');
  expect(err).toContain('another message asks again');
  const json = await runCli(['run', '--docs', 'docs', '--json', 'Hello?'], { cwd });
  expect(json.code).toBe(1);
  expect(JSON.parse(json.out.trim().split('\n').at(-1) ?? '')).toMatchObject({
    type: 'result',
    status: 'awaiting',
    output: '',
    problem: expect.stringContaining('The provider cannot be reached'),
  });
});

it('a conversation goes on after a model that failed: each message asks again, and the error is told, quiet or not', async () => {
  const cwd = await unreachable();
  for (const flags of [[], ['--quiet']]) {
    const { code, out, err } = await runCli(['chat', ...flags, '--docs', 'docs'], { cwd, input: 'one\ntwo\n' });
    expect([code, out.trim()]).toEqual([1, '']);
    expect(err.split('The provider cannot be reached').length - 1).toBeGreaterThanOrEqual(2);
  }
});
