import { expect, it, onTestFinished } from 'vitest';
import { createEngine } from '../../src/index.ts';
import { createMemoryJournal, scriptedModel } from '../../src/testing/index.ts';
import { tool } from '../support/tools.ts';
import { verifyRun } from '../support/verify-run.ts';
import { act, systemOf } from './anges-team.ts';
import { turnsOf } from './scenario.ts';
import { readTeam } from './shipped-team.ts';

const brewer = `name: brewer
type: associate
base_profile: anges_base
tool_access_policy: { allowed_individual_tools: [boil, finish_terminate] }
system_prompt_construction: { system_prompt_segments: [{ id: role, content: You brew. }] }
`;
const head = `name: head
base_profile: orchestrator
callable_profiles: [task_executor, brewer]
`;

it('[A5.factory] [B.34] an agent and an action of one’s own stand beside those that ship, and are called like them', async () => {
  const boil = tool('boil', ({ minutes }) => `boiled for ${String(minutes)} minutes`);
  const lines = {
    head: [
      act('call_agent', { profile: 'brewer', input: 'Make tea.' }),
      act('finish_terminate', { status: 'success', message: 'Tea.' }),
    ],
    brewer: [act('boil', { minutes: 3 }), act('finish_terminate', { status: 'success', message: 'It is hot.' })],
  };
  const model = scriptedModel(
    (request) => lines[systemOf(request).includes('You brew.') ? 'brewer' : 'head'].shift() ?? { text: '' },
  );
  const own = [brewer, head].map((text, index) => ({ path: `profiles/own-${index}.yaml`, text }));
  const store = createMemoryJournal();
  const engine = await createEngine({
    profiles: { files: [...(await readTeam('agent_profiles/anges')), ...own] },
    models: { m: model },
    env: { CADRE_MODEL: 'm' },
    tools: [boil],
    store,
  });
  onTestFinished(async () => await engine.close());
  const run = await engine.launch({ profile: 'head', input: 'I want tea.' });
  await run.settled();
  expect(run.state).toMatchObject({ outcome: 'success', output: 'Tea.' });
  expect(turnsOf(run, 'brewer')[0]?.toolInteractions).toMatchObject([{ name: 'boil', content: 'boiled for 3 minutes' }]);
  expect(systemOf(model.requests[1] ?? ({ prompt: [] } as never))).toContain('Does boil.');
  await verifyRun(run, store, { requests: model.requests });
});
