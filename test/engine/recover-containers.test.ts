import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createEngine, type Engine } from '../../src/index.ts';
import { scriptedModel } from '../../src/testing/index.ts';
import { ContainedProcess, whyNoNamespaces } from '../support/namespaces.ts';
import { profileFiles } from '../support/test-engine.ts';
import { rivalProfile, rivalTools } from './rival-team.ts';

let folder = '';
let store = '';
const children: ContainedProcess[] = [];
const engines: Engine[] = [];
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'cadre-containers-'));
  store = path.join(folder, 'journal.db');
  writeFileSync(path.join(folder, 'ledger'), '');
});
afterEach(async () => {
  for (const child of children.splice(0)) await child.kill();
  for (const engine of engines.splice(0)) await engine.close();
  rmSync(folder, { recursive: true });
});

/** An engine in a container of its own, in the middle of a run. */
async function startWorking(): Promise<{ readonly child: ContainedProcess; readonly runId: string }> {
  const script = path.join(import.meta.dirname, 'rival-child.ts');
  const leases = JSON.stringify({ heartbeatMs: 150, expiryMs: 3_000 });
  const child = new ContainedProcess({ pid: true }, script, ['hang', store, '-', path.join(folder, 'ledger'), leases]);
  children.push(child);
  const { launched } = JSON.parse(await child.line()) as { readonly launched: string };
  return { child, runId: launched };
}

async function open(): Promise<Engine> {
  const engine = await createEngine({
    profiles: { files: profileFiles(rivalProfile) },
    models: { m: scriptedModel(() => ({ text: 'I go on.' })) },
    tools: rivalTools(() => undefined),
    store,
    team: false,
    graceMs: 50,
  });
  engines.push(engine);
  return engine;
}

describe.skipIf(whyNoNamespaces !== undefined)(`F46: recover, among containers (${whyNoNamespaces ?? 'real ones'})`, () => {
  it('waits until it is known that the engine of another container is gone, and resumes its run without a person', async () => {
    const { child, runId } = await startWorking();
    await child.kill();
    const engine = await open();
    await expect(engine.resume(runId)).rejects.toMatchObject({
      code: 'RUN_LOCKED',
      message: expect.stringContaining('sign of life'),
    });
    const [recovered] = await engine.recover();
    expect(recovered?.error).toBeUndefined();
    await recovered?.run?.settled();
    expect(recovered?.run?.turns()[0]?.reply.text).toBe('I go on.');
  }, 60_000);

  it('leaves the run of a live one alone, and says who has it', async () => {
    const { runId } = await startWorking();
    const engine = await open();
    const [held] = await engine.recover();
    expect(held).toMatchObject({ runId, error: { code: 'RUN_LOCKED', message: expect.stringContaining('1@') as string } });
    expect(held?.error?.details).not.toHaveProperty('knownInMs');
  }, 60_000);

  it('closing does not wait for a holder that may be gone', async () => {
    const { child } = await startWorking();
    await child.kill();
    const engine = await open();
    const recovering = engine.recover();
    await new Promise((resolve) => setTimeout(resolve, 50));
    await engine.close();
    expect((await recovering).map(({ error }) => error?.code)).toEqual([expect.stringMatching(/RUN_LOCKED|ENGINE_CLOSED/)]);
  }, 60_000);
});
