import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { Engine, Journal, Run } from '../../../src/index.ts';
import { createMemoryJournal } from '../../../src/testing/index.ts';
import { engineOver } from '../../support/engine-over.ts';
import { waitsForUser, type TestEngine } from '../../support/test-engine.ts';
import { verifyRun } from '../../support/verify-run.ts';
import type { Script } from './scripted-server.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'cadre-shared-'));
const profile = `${waitsForUser}tool_access_policy: { allowed_toolsets: [srv] }\n`;
const engines: Engine[] = [];

afterEach(async () => {
  await Promise.all(engines.splice(0).map((engine) => engine.close()));
});

/** A server on disk: its script, the file that declares it as `srv`, and where it notes each start. */
function server(name: string, tools: readonly string[], later?: readonly string[]) {
  const named = (names: readonly string[]) => names.map((tool) => ({ name: tool, inputSchema: { type: 'object' } }));
  const ledger = path.join(folder, `${name}.ledger`);
  const file = path.join(folder, `${name}.json`);
  // One that notes its starts has its later tools after the first of them.
  const script: Script = later === undefined ? { ledger, tools: named(tools) } : { tools: named(tools), laterTools: named(later) };
  writeFileSync(file, JSON.stringify(script));
  const settings = {
    command: process.execPath,
    args: [path.join(import.meta.dirname, 'scripted-server.ts'), file],
    needs_approval: false,
  };
  const declared = {
    path: 'toolsets/srv.yaml',
    text: `type: toolset\nname: srv\nkind: mcp\nsettings: ${JSON.stringify(settings)}\n`,
  };
  return {
    file: declared,
    starts: () =>
      readFileSync(ledger, 'utf8')
        .split('\n')
        .filter((line) => line === 'start').length,
    isRunning: () => execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' }).includes(file),
  };
}

type Server = ReturnType<typeof server>;

async function engineWith(
  store: Journal,
  declared: Server,
  replies: Parameters<typeof engineOver>[1]['replies'] = () => ({ text: 'Hello.' }),
): Promise<TestEngine> {
  const made = await engineOver(store, { profile, files: [declared.file], replies });
  engines.push(made.engine);
  return made;
}

/** The id of a run that a program launched which had this server. */
async function launchedWith(store: Journal, declared: Server): Promise<string> {
  const { engine, launch } = await engineWith(store, declared);
  const run = await launch();
  await run.settled();
  await engine.close();
  return run.id;
}

async function spokenTo(run: Run): Promise<readonly string[]> {
  await run.send('Go on.');
  await run.settled();
  return run.turns().at(-1)?.tools ?? [];
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 20));
}

describe('servers of one name', () => {
  it('with different settings run side by side, each with the runs that declare it; one is closed when the last of them is over', async () => {
    const store = createMemoryJournal();
    const [old, current] = [server('old', ['ok', 'old']), server('current', ['ok', 'current'])];
    const ids = [await launchedWith(store, old), await launchedWith(store, old)];
    expect(old.isRunning()).toBe(false);
    const { engine, launch } = await engineWith(store, current);
    const fresh = await launch();
    const [first, second] = [await engine.resume(ids[0] ?? ''), await engine.resume(ids[1] ?? '')];
    expect([await spokenTo(fresh), await spokenTo(first), await spokenTo(second)]).toEqual([
      ['srv_ok', 'srv_current'],
      ['srv_ok', 'srv_old'],
      ['srv_ok', 'srv_old'],
    ]);
    // The two runs that declare it share one: it was started once by each program.
    expect([old.starts(), current.starts()]).toEqual([3, 1]);
    await first.cancel();
    expect(await spokenTo(second)).toEqual(['srv_ok', 'srv_old']);
    await second.cancel();
    await until(() => !old.isRunning());
    expect(await spokenTo(fresh)).toEqual(['srv_ok', 'srv_current']);
    await fresh.cancel();
    // What launches need stays connected for the next one.
    expect(current.isRunning()).toBe(true);
    await verifyRun(second, store);
    await engine.close();
    expect(current.isRunning()).toBe(false);
  });

  it('that changes its tools tells the runs that use it, and no run that uses another of its name', async () => {
    const store = createMemoryJournal();
    const [old, current] = [server('changing', ['change'], ['more']), server('steady', ['change', 'stays'])];
    const id = await launchedWith(store, old);
    const changes = { toolCalls: [{ name: 'srv_change', args: {} }] };
    const { engine, launch } = await engineWith(store, current, ({ prompt }) =>
      JSON.stringify(prompt.at(-1)).includes('Change!') ? changes : { text: 'Hello.' },
    );
    const fresh = await launch();
    await fresh.settled();
    const run = await engine.resume(id);
    await run.send('Change!');
    for await (const event of run.events()) if (event.type === 'note.add' && event.code === 'TOOLS_CHANGED') break;
    expect(await spokenTo(run)).toEqual(['srv_more']);
    expect(await spokenTo(fresh)).toEqual(['srv_change', 'srv_stays']);
    expect((await store.read(fresh.id)).filter(({ type }) => type === 'note.add')).toEqual([]);
    await verifyRun(run, store);
  });
});
