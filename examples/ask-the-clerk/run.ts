/**
 * Ask the clerk: an Editor calls another profile as a tool, twice in parallel, and then continues with one of the two agents by its id.
 * The replies are scripted; the files are real. Run it from the project's folder:
 *
 *     npx node examples/ask-the-clerk/run.ts
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createEngine } from '../../src/index.ts';
import { conclude } from '../checked.ts';

const workspace = mkdtempSync(path.join(tmpdir(), 'ask-the-clerk-'));
writeFileSync(path.join(workspace, 'tea.txt'), 'Boil the water.\nWait three minutes.\nDrink.\n');
writeFileSync(path.join(workspace, 'coffee.txt'), 'Grind.\nBrew.\n');

await using engine = await createEngine({ profiles: import.meta.dirname, store: 'memory', workspace });

const run = await engine.launch({ profile: 'Editor', input: 'Which file is longer, and how does it begin?' });
await run.result;

for (const { agentId, toolInteractions } of run.turns())
  for (const { name, args, content } of toolInteractions)
    if (agentId === 'Editor_1') console.log(`${name} ${JSON.stringify(args)}\n  → ${String(content)}`);
await conclude(run);
rmSync(workspace, { recursive: true });
