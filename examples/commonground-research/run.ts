/**
 * CommonGround research: a Partner takes a question, a Principal plans work modules and dispatches them to five kinds of Associates, which
 * produce a report and a page. The replies are scripted, so it needs no key or network; documents, index, table, page and links are real.
 * Run it from the project's folder:
 *
 *     npx node examples/commonground-research/run.ts
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { researchTeam } from './team.ts';
import { conclude } from '../checked.ts';

const question = 'How does a person approve a tool call?';
const workspace = mkdtempSync(path.join(tmpdir(), 'commonground-research-'));
const documents = path.join(import.meta.dirname, '../../docs');
const { engine, close } = await researchTeam({ documents, workspace, question, word: /approv/gi });

const run = await engine.launch({ profile: 'Partner', input: question });
await run.settled();

for (const { agentId, toolInteractions } of run.turns())
  for (const { name, status, content } of toolInteractions)
    if (!agentId.startsWith('P')) console.log(`${agentId} ${name} (${status}): ${String(content).split('\n')[0]?.slice(0, 90)}`);
const turns = run.turns({ type: 'all' });
for (const { turnId, sourceTurnIds } of turns.filter(({ turnType }) => turnType === 'aggregation'))
  console.log(`${turnId} joins ${sourceTurnIds.join(', ')}`);
const answer = run.turns({ agentId: 'Partner_1' }).at(-1)?.reply.text ?? '';
console.log(`\n${answer}`);
await conclude(run, { holds: { 'there is a report': answer.startsWith('# ') } });

await close();
rmSync(workspace, { recursive: true });
