import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { runCli, starterFolder } from './cli-process.ts';

it('cadre why names the files that have changed since the run, and the version that its lines are from', async () => {
  const cwd = await starterFolder();
  expect((await runCli(['run', '--docs', 'docs', '--quiet', 'How do I water tomatoes?'], { cwd })).code).toBe(0);
  const words = ['why', 'last', 'Lead_1.t1', 'small research team'];
  expect((await runCli(words, { cwd })).out).not.toContain('has changed since');
  const lead = path.join(cwd, 'agent_profiles/profiles/Lead.yaml');
  await writeFile(lead, `# First line.\n${await readFile(lead, 'utf8')}`);
  expect((await runCli(words, { cwd })).out).toMatch(
    /agent_profiles\/profiles\/Lead\.yaml has changed since; lines are those of the run's profiles \(version [\w-]{8}\)\.\n$/,
  );
});
