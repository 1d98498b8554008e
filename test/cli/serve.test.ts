import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { runCli, type Running, starterFolder, startForTest } from './cli-process.ts';

/** Returns the address that a command prints, once printed. */
async function addressOf(running: Running, words = '(Ctrl-C'): Promise<string> {
  await running.until(words);
  return running.said().match(/http:\/\/127\.0\.0\.1:\d+[^\s]*/)?.[0] ?? '';
}

async function json(url: string, init: RequestInit = {}): Promise<Record<string, unknown>> {
  const response = await fetch(url, init);
  return { answered: response.status, ...((await response.json()) as object) };
}

const post = (body: unknown): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});

describe('cadre serve', () => {
  it('launches and shows runs until it is told to stop, and leaves them to go on', async () => {
    const cwd = await starterFolder();
    const running = startForTest(['serve', '--port', '0'], { cwd });
    const url = await addressOf(running);
    const { runId } = await json(`${url}/api/runs`, post({ input: 'What is here?' }));
    const events = await fetch(`${url}/api/runs/${String(runId)}/events`);
    const text = new TextDecoder();
    let heard = '';
    for await (const chunk of events.body ?? []) if ((heard += text.decode(chunk)).includes('"status":"awaiting"')) break;
    expect(await json(`${url}/api/runs/${String(runId)}`)).toMatchObject({ status: 'idle', isLive: true });
    // A second server reads the same journal and picks another port.
    const reading = startForTest(['serve', '--read-only'], { cwd });
    const readingUrl = await addressOf(reading);
    expect(await json(`${readingUrl}/api/runs/${String(runId)}`)).toMatchObject({ isLive: false, isAbandoned: false });
    expect(await json(`${readingUrl}/api/info`)).toMatchObject({ canControl: false });
    expect(await json(`${readingUrl}/api/runs/${String(runId)}/cancel`, post({}))).toMatchObject({ answered: 403 });
    // An open stream keeps neither from stopping.
    const open = await fetch(`${url}/api/events`);
    const openToo = await fetch(`${readingUrl}/api/runs/${String(runId)}/events`);
    running.child.kill('SIGINT');
    reading.child.kill('SIGTERM');
    expect([(await running.finished).code, (await reading.finished).code]).toEqual([0, 0]);
    for (const { body } of [open, openToo]) await body?.cancel().catch(() => undefined);
    const again = await runCli(['resume', String(runId), 'And now?', '--quiet'], { cwd });
    expect(again.code, again.err).toBe(0);
  });

  it('with --token only who bears it; a port that is taken and no journal to read are errors', async () => {
    const cwd = await starterFolder();
    const token = 'of-the-users-own-choice';
    const running = startForTest(['serve', '--port', '0', '--token'], { cwd, env: { CADRE_TOKEN: token } });
    const url = (await addressOf(running)).replace(/\/\?.*/, '');
    expect(running.said()).not.toContain(token);
    expect(await json(`${url}/api/info`)).toMatchObject({ answered: 401 });
    expect(await json(`${url}/api/info`, { headers: { authorization: `Bearer ${token}` } })).toMatchObject({ answered: 200 });
    const port = new URL(url).port;
    const [taken, empty] = await Promise.all([
      runCli(['serve', '--port', port], { cwd }),
      runCli(['serve', '--read-only', '--store', 'none.db'], { cwd }),
    ]);
    expect([taken.code, taken.err]).toEqual([2, expect.stringContaining(`port ${port}`)]);
    expect([empty.code, empty.err]).toEqual([expect.toSatisfy((code) => code !== 0), expect.stringContaining('none.db')]);
    running.child.kill('SIGINT');
    await running.finished;
  });
});

it('run --serve has the page beside the run, where it goes on, until Ctrl-C', async () => {
  const cwd = await starterFolder();
  // Another process has the default port.
  const other = createServer()
    .listen(4111, '127.0.0.1')
    .on('error', () => undefined);
  const running = startForTest(['run', '--serve', 'What is here?'], { cwd });
  await running.until('The page stays open');
  const [, url = '', runId = ''] = /Page: (http:\/\/127\.0\.0\.1:\d+)\/#\/runs\/(run_\w+)/.exec(running.said()) ?? [];
  const before = await json(`${url}/api/runs/${runId}`);
  expect(before).toMatchObject({ isLive: true, status: 'idle' });
  expect(await json(`${url}/api/runs/${runId}/messages`, post({ text: 'And more?' }))).toMatchObject({ answered: 202 });
  expect(await json(`${url}/api/runs`, post({ input: 'Another one.' }))).toMatchObject({ answered: 201 });
  running.child.kill('SIGINT');
  const { code, err } = await running.finished;
  expect(code, err).toBe(0);
  other.close();
});

it('run --serve prints the report when what it waited for was decided elsewhere', async () => {
  const cwd = await starterFolder();
  const profile = path.join(cwd, 'agent_profiles', 'profiles', 'Lead.yaml');
  const gate = '\ntool_gates: [{ id: plan, tools: [manage_work_modules], verdict: ask }]\n';
  await writeFile(profile, (await readFile(profile, 'utf8')) + gate);
  const running = startForTest(['run', '--serve', 'What is here?'], { cwd });
  await running.until('Decide with');
  const [, url = '', runId = ''] = /Page: (http:\/\/127\.0\.0\.1:\d+)\/#\/runs\/(run_\w+)/.exec(running.said()) ?? [];
  for (;;) {
    const { pending } = (await json(`${url}/api/runs/${runId}`)) as { readonly pending?: readonly { readonly id: string }[] };
    const ids = (pending ?? []).map(({ id }) => id);
    if (ids.length > 0) await json(`${url}/api/runs/${runId}/approve`, post({ ids, always: true }));
    else break;
  }
  await running.until('The page stays open');
  running.child.kill('SIGINT');
  const { code, out, err } = await running.finished;
  expect(code, err).toBe(0);
  expect(out.trim()).not.toBe('');
});
