import { rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createEngine, type Engine, type Run } from '../../src/index.ts';

// A team whose tools are in a file: the file changes, and the run goes on; in a process without a test runner, whose imports are its own.
const [folder = ''] = process.argv.slice(2);
const profiles = path.join(folder, 'team');
const store = path.join(folder, 'journal.db');

function said(run: Run): string {
  const messages = [...run.fullState().agents.values()].flatMap((agent) => agent.history.messages);
  return /(?:one|two)[!?]/.exec(JSON.stringify(messages.at(-1)))?.[0] ?? JSON.stringify(messages.at(-1));
}

async function ask(run: Run): Promise<string> {
  await run.settled();
  await run.send('Again.');
  await run.settled();
  return said(run);
}

const open = async (): Promise<Engine> => await createEngine({ profiles, store });
const report: Record<string, unknown> = {};
{
  await using engine = await open();
  const run = await engine.launch({ profile: 'Solo', input: 'Say.', runId: 'saying' });
  await run.settled();
  report['begun'] = said(run);
}
// What it imports has changed, and the file that is named.
await writeFile(path.join(profiles, 'tools', 'end.ts'), "export const end: string = '?';\n");
{
  await using engine = await open();
  report['resumed'] = await ask(await engine.resume('saying'));
  const other = await engine.launch({ profile: 'Solo', input: 'Say.', runId: 'other' });
  await other.settled();
  report['launched'] = said(other);
}
await rename(path.join(profiles, 'tools'), path.join(folder, 'gone'));
await rename(path.join(profiles, 'toolsets'), path.join(folder, 'gone-toolsets'));
await writeFile(
  path.join(profiles, 'profiles', 'Solo.yaml'),
  'name: Solo\ntype: partner\nllm_config_ref: default\ninstructions: You rest.\n',
);
{
  await using engine = await open();
  report['without its files'] = await ask(await engine.resume('saying'));
}
await rename(path.join(folder, 'gone'), path.join(profiles, 'tools'));
await rename(path.join(folder, 'gone-toolsets'), path.join(profiles, 'toolsets'));
await writeFile(path.join(profiles, 'profiles', 'Solo.yaml'), process.env['SOLO'] ?? '');
{
  await using engine = await open();
  const run = await engine.resume('saying', { profiles: 'current' });
  report['current'] = await ask(run);
}
console.log(JSON.stringify(report));
