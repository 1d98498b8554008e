import path from 'node:path';
import { expect, it } from 'vitest';
import { createEngine, defineTool, type Run } from '../../src/index.ts';
import { receiveMail } from '../../src/server/index.ts';
import { scriptedModel } from '../../src/testing/index.ts';
import { startForTest, temporaryFolder } from './cli-process.ts';

const profile = `name: Clerk
type: associate
llm_config_ref: default
tool_access_policy: { allowed_individual_tools: [pay] }
system_prompt_construction: { system_prompt_segments: [{ id: rules, order: 1, content: Pay. }] }
`;

const pay = defineTool({ name: 'pay', description: 'Pays.', needs_approval: true, trust: 'trusted', execute: () => 'paid' });

async function waitingRun(): Promise<{ readonly store: string; readonly cwd: string; readonly run: Run; close(): Promise<void> }> {
  const cwd = await temporaryFolder();
  const store = path.join(cwd, 'journal.db');
  const model = scriptedModel([{ toolCalls: [{ name: 'pay', args: {} }] }, { text: 'Paid it.' }]);
  const engine = await createEngine({
    profiles: { files: [{ path: 'profiles/Clerk.yaml', text: profile }] },
    models: { default: model },
    tools: [pay],
    store,
  });
  const mail = receiveMail(engine);
  const run = await engine.launch({ profile: 'Clerk', input: 'Pay.' });
  await run.settled();
  return {
    store,
    cwd,
    run,
    close: async () => {
      mail[Symbol.dispose]();
      await engine.close();
    },
  };
}

it('a program that listens has its calls decided from the command line, with tools that it alone has', async () => {
  const { store, cwd, run, close } = await waitingRun();
  const [asked] = run.pending;
  const { code, err } = await startForTest(['approve', run.id, asked?.id ?? '', '--store', store], { cwd }).finished;
  expect([code, err]).toEqual([0, expect.stringContaining('continues in the process that owns it')]);
  await run.settled();
  expect(JSON.stringify(run.turns().flatMap(({ toolInteractions }) => toolInteractions))).toContain('paid');
  await close();
});

it('a run of a program that is gone is not taken up without its tools: the error says where it goes on', async () => {
  const { store, cwd, run, close } = await waitingRun();
  const [asked] = run.pending;
  await close();
  const { code, err } = await startForTest(['approve', run.id, asked?.id ?? '', '--store', store], { cwd }).finished;
  expect(code).toBe(2);
  expect(err).toContain(`engine.resume('${run.id}')`);
  expect(err).toContain('receiveMail(engine)');
  expect(err).toContain('there is no tool `pay`');
});
