import { pbkdf2 } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createMemoryJournal } from '../../src/testing/index.ts';
import { breathe, type TestEngine, testEngine, waitsForUser } from '../support/test-engine.ts';
import { allow, tool } from '../support/tools.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'cadre-close-'));
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

const desk = { path: 'toolsets/desk.yaml', text: 'name: desk\ntype: toolset\nkind: workspace\n' };

/** Keeps every thread that reads and writes files busy; resolves when they are free again. */
async function blockDisk(): Promise<void> {
  const threads = Number(process.env['UV_THREADPOOL_SIZE'] ?? 4);
  const busy = (): Promise<unknown> => new Promise((resolve) => pbkdf2('a', 'b', 400_000, 64, 'sha512', resolve));
  await Promise.all(Array.from({ length: threads }, busy));
}

async function writing(options: { readonly wallMs?: number } = {}) {
  const workspace = path.join(folder, 'work');
  const team = await testEngine({
    profile: allow('desk_write_file') + waitsForUser,
    files: [desk],
    workspace,
    replies: [{ toolCalls: [{ name: 'desk_write_file', args: { path: 'deep/down/a.txt', content: 'text' } }] }, { text: 'done' }],
  });
  const run = await team.launch('Go.', options.wallMs === undefined ? {} : { limits: { wallMs: options.wallMs } });
  return { team, run, workspace };
}

/** Closes, while the engine's clock runs ahead of the disk. */
async function close({ engine, clock }: TestEngine): Promise<void> {
  let isClosed = false;
  const closed = engine.close({ graceMs: 0 }).then(() => {
    isClosed = true;
  });
  while (!isClosed) {
    await breathe();
    await clock.advance(1_000);
  }
  await closed;
}

const filesIn = async (root: string): Promise<readonly string[]> =>
  await readdir(root, { recursive: true }).catch((): string[] => []);

describe('F92: once an engine has closed, nothing of it writes', () => {
  it.each(['running', 'cancelled', 'timed out'])('a file tool that is %s', async (how) => {
    const { team, run, workspace } = await writing();
    const free = blockDisk();
    await breathe();
    expect(run.state.activity).toBe(1);
    if (how === 'cancelled') {
      const cancelled = run.cancel('enough');
      await breathe();
      await team.clock.advance(1_000);
      await cancelled;
    } else if (how === 'timed out') {
      await team.clock.advance(600_000);
      await breathe();
    }
    await close(team);
    const before = await filesIn(workspace);
    await free;
    for (let round = 0; round < 200; round += 1) await filesIn(workspace);
    expect([await filesIn(workspace), before.filter((name) => name.endsWith('.tmp'))]).toEqual([before, []]);
  });

  it('a change of a file that has not begun when its tool is told to stop is not made', async () => {
    const workspace = path.join(folder, 'work');
    const call = (content: string) => ({ name: 'desk_write_file', args: { path: 'a.txt', content } });
    const team = await testEngine({
      profile: { Lead: allow('desk_write_file') },
      files: [desk],
      workspace,
      replies: [{ toolCalls: [call('one')] }],
    });
    const free = blockDisk();
    const run = await team.launch();
    await breathe();
    const cancelled = run.cancel('enough');
    await breathe();
    await team.clock.advance(1_000);
    await cancelled;
    await close(team);
    await free;
    for (let round = 0; round < 200; round += 1) await filesIn(workspace);
    expect(await filesIn(workspace)).toEqual([]);
  });

  it('a snapshot that is being written', async () => {
    const inner = createMemoryJournal();
    let isClosed = false;
    const late: string[] = [];
    const store = Object.create(inner, {
      keepSnapshot: {
        value: async () => {
          for (let round = 0; round < 50; round += 1) await new Promise((resolve) => setImmediate(resolve));
          if (isClosed) late.push('snapshot');
        },
      },
      ...Object.fromEntries(
        (['acquire', 'holds', 'release', 'append', 'read', 'content', 'runs'] as const).map((name) => [
          name,
          { value: (...args: unknown[]) => (inner[name] as (...given: unknown[]) => unknown).apply(inner, args) },
        ]),
      ),
    }) as typeof inner;
    const team = await testEngine({ store, snapshotEvery: 4, profile: waitsForUser, replies: () => ({ text: 'yes' }) });
    const run = await team.launch();
    await breathe();
    await run.send('more');
    await breathe(2);
    await close(team);
    isClosed = true;
    for (let round = 0; round < 100; round += 1) await new Promise((resolve) => setImmediate(resolve));
    expect(late).toEqual([]);
  });

  it('a tool of code that never ends is left after the grace period', async () => {
    const team = await testEngine({
      profile: allow('deaf'),
      tools: [tool('deaf', () => new Promise(() => undefined))],
      replies: [{ toolCalls: [{ name: 'deaf', args: {} }] }],
    });
    await team.launch();
    await breathe();
    await close(team);
  });
});
