import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { createSqliteJournal } from '../../src/journal/sqlite/sqlite-journal.ts';
import { assertJournal } from '../../src/testing/index.ts';
import { startChatModel, writeSoloTeam } from './chat-model.ts';
import { startForTest, temporaryFolder, type Running } from './cli-process.ts';

const program = path.join(import.meta.dirname, 'slow-tool-process.ts');

/** Starts a run with a slow tool and waits until the tool runs. */
async function paying(cwd: string, ms: number): Promise<Running> {
  await writeFile(path.join(cwd, 'ledger'), '');
  const running = startForTest([String(ms)], { cwd }, program);
  await running.until('calls pay');
  while ((await ledger(cwd)) === '') await new Promise((resolve) => setTimeout(resolve, 10));
  return running;
}

const ledger = (cwd: string): Promise<string> => readFile(path.join(cwd, 'ledger'), 'utf8');

/** Resumes the abandoned run of a process and returns the end of its call. */
async function resumed(cwd: string, err: string): Promise<string> {
  const runId = /resume (run_\w+)/.exec(err)?.[1] ?? '';
  const { code, err: words } = await startForTest(['0', runId], { cwd }, program).finished;
  expect(code, words).toBe(0);
  const journal = createSqliteJournal(path.join(cwd, 'journal.db'));
  const events = await journal.read(runId as never);
  await journal.close();
  assertJournal(events);
  return events.flatMap((event) => (event.type === 'tool.end' ? [event.status] : [])).join();
}

describe('[A5.interrupt] Ctrl-C while a tool runs', () => {
  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    'once (%s): the tool ends, its result is kept, 130, and resume goes on behind it',
    async (signal) => {
      const cwd = await temporaryFolder();
      const running = await paying(cwd, 600);
      running.child.kill(signal);
      const { code, err } = await running.finished;
      expect(code, err).toBe(130);
      expect(err).toMatch(/Stopping: 1 tool may still finish, for at most 10 s.*Interrupted; .* resume run_\w+/s);
      expect(await ledger(cwd)).toBe('begun\npaid\n');
      expect(await resumed(cwd, err)).toBe('ok');
      expect(await ledger(cwd)).toBe('begun\npaid\n');
    },
  );

  it('twice: the process ends at once with 130, and the run can be resumed', async () => {
    const cwd = await temporaryFolder();
    const running = await paying(cwd, 60_000);
    running.child.kill('SIGINT');
    await running.until('Stopping');
    // Signals in quick succession count as one.
    await new Promise((resolve) => setTimeout(resolve, 400));
    running.child.kill('SIGINT');
    const { code, err } = await running.finished;
    expect(code, err).toBe(130);
    expect(await resumed(cwd, err)).toBe('unknown');
    expect(await ledger(cwd)).toBe('begun\n');
  });
});

describe('Ctrl-C while a run waits for a tool server to connect', () => {
  it('ends with 130, and nothing has begun', async () => {
    const cwd = await temporaryFolder();
    await writeSoloTeam(cwd, 'http://127.0.0.1:9/v1');
    const server = path.join(import.meta.dirname, '../toolsets/mcp/scripted-server.ts');
    await writeFile(path.join(cwd, 'mute.json'), JSON.stringify({ mute: true, ledger: 'ledger' }));
    const settings = {
      command: process.execPath,
      args: [server, 'mute.json'],
      cwd,
      timeouts: { connect: '10m', probe: '10m', close: '400ms' },
    };
    await mkdir(path.join(cwd, 'agent_profiles/toolsets'), { recursive: true });
    await writeFile(
      path.join(cwd, 'agent_profiles/toolsets/mute.yaml'),
      `name: mute\ntype: toolset\nkind: mcp\nsettings: ${JSON.stringify(settings)}\n`,
    );
    const profile = path.join(cwd, 'agent_profiles/profiles/Solo.yaml');
    await writeFile(profile, (await readFile(profile, 'utf8')).replace('allowed_toolsets: []', 'allowed_toolsets: [mute]'));
    const running = startForTest(['run', '--trust', '--profile', 'Solo', 'Hello'], { cwd });
    await expect.poll(async () => await ledger(cwd).catch(() => '')).toContain('start');
    running.child.kill('SIGINT');
    const { code, err } = await running.finished;
    expect([code, err]).toEqual([130, expect.stringContaining('Interrupted before the run started.')]);
  });
});

describe('Ctrl-C in a conversation', () => {
  it('aborts the model call and keeps the run', async () => {
    const cwd = await temporaryFolder();
    const model = await startChatModel();
    await writeSoloTeam(cwd, model.baseUrl);
    const running = startForTest(['chat', '--docs', 'docs'], { cwd, input: 'Hello?\n' });
    while (model.requests === 0) await new Promise((resolve) => setTimeout(resolve, 10));
    running.child.kill('SIGINT');
    const { code, err } = await running.finished;
    expect(code, err).toBe(130);
    expect(err).toMatch(/Interrupted; everything up to here is kept\. Continue with: node .* chat run_\w+\n$/);
    expect(err).not.toMatch(/error|stalled/);
  });
});
