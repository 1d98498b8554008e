import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { forkNewest } from '../../src/cli/dev/fork-key.ts';
import { createEngine } from '../../src/index.ts';
import { scriptedModel } from '../../src/testing/index.ts';
import { plainEnv, runCli, starterFolder } from './cli-process.ts';

const profiles = (instructions: string) => ({
  files: [
    {
      path: 'profiles/host.yaml',
      text: `name: Host\ntype: partner\ninstructions: ${instructions}\nflow_decider: [{ id: answered, action: { type: await_user_input } }]\n`,
    },
  ],
});

it('forks the newest run: its last turn is taken again with the profiles that were loaded since', async () => {
  await using engine = await createEngine({
    profiles: profiles('Greet warmly.'),
    models: { default: scriptedModel(['One.', 'Two.']) },
    store: 'memory',
  });
  await expect(forkNewest(engine)).rejects.toMatchObject({ code: 'RUN_UNKNOWN' });
  const run = await engine.launch({ profile: 'Host', input: 'Hello.' });
  await run.settled();
  await engine.reload(profiles('Greet briefly.'));
  const fork = engine.live(await forkNewest(engine));
  await fork?.settled();
  const [turn] = fork?.turns() ?? [];
  expect(turn?.systemPrompt.segments.map(({ text }) => text)).toEqual(['Greet briefly.']);
  expect(turn?.reply.text).toBe('Two.');
});

const main = path.join(import.meta.dirname, '../../bin/cadre.mjs');

// `script` gives the command a terminal, with what it is sent as its keys.
it.skipIf(!existsSync('/usr/bin/script'))(
  'in a terminal, cadre dev forks on the key f and ends on Ctrl-C',
  async () => {
    const cwd = await starterFolder();
    expect((await runCli(['run', '--docs', 'docs', '--quiet', 'How do I water tomatoes?'], { cwd })).code).toBe(0);
    const child = spawn('/usr/bin/script', ['-qec', `${process.execPath} ${main} dev --port 0`, '/dev/null'], {
      cwd,
      env: plainEnv(),
    });
    onTestFinished(() => void child.kill());
    let shown = '';
    child.stdout.on('data', (bytes: Buffer) => (shown += bytes.toString()));
    const ended = new Promise((resolve) => child.once('exit', resolve));
    await expect.poll(() => shown, { timeout: 60_000 }).toContain('Press f to fork the newest run onto them.');
    child.stdin.write('f');
    await expect.poll(() => shown, { timeout: 60_000 }).toMatch(/Forked: http:\/\/127\.0\.0\.1:\d+\/#\/runs\/run_\w+/);
    child.stdin.write('\u0003');
    await ended;
    expect(JSON.parse((await runCli(['runs', '--json'], { cwd })).out)).toHaveLength(2);
  },
  150_000,
);
