import { chmod, readFile, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { runCli, type Running, starterFolder, startForTest, temporaryFolder } from './cli-process.ts';

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
    const running = startForTest(['serve', '--open', '--port', '0'], { cwd });
    const url = await addressOf(running);
    const { runId } = await json(`${url}/api/runs`, post({ input: 'What is here?' }));
    const events = await fetch(`${url}/api/runs/${String(runId)}/events`);
    const text = new TextDecoder();
    let heard = '';
    for await (const chunk of events.body ?? []) if ((heard += text.decode(chunk)).includes('"status":"awaiting"')) break;
    expect(await json(`${url}/api/runs/${String(runId)}`)).toMatchObject({ status: 'idle', isLive: true });
    // A second server reads the same journal and picks another port.
    const reading = startForTest(['serve', '--open', '--read-only'], { cwd });
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

describe('F85: who a server on this machine answers', () => {
  /** The address of a server and the token of its link. */
  async function linkOf(running: Running): Promise<{ readonly url: string; readonly token: string }> {
    const [url = '', token = ''] = (await addressOf(running)).split('/?token=');
    return { url, token };
  }
  const bearing = (token: string): RequestInit => ({ headers: { authorization: `Bearer ${token}` } });
  const end = async (running: Running): Promise<void> => {
    running.child.kill('SIGINT');
    await running.finished;
  };

  it('asks for a token by default, which is kept for its user alone and opens the next server, too', async () => {
    const cwd = await starterFolder();
    const config = path.join(await temporaryFolder(), 'config');
    const env = { XDG_CONFIG_HOME: config };
    const first = startForTest(['serve', '--port', '0'], { cwd, env });
    const { url, token } = await linkOf(first);
    expect(token).toMatch(/^[\w-]{32}$/);
    expect(await json(`${url}/api/info`)).toMatchObject({ answered: 401 });
    expect(await json(`${url}/api/info`, bearing(token))).toMatchObject({
      answered: 200,
      you: { name: 'owner', role: 'operate' },
    });
    await end(first);
    const file = path.join(config, 'cadre', 'server-tokens.json');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await stat(path.dirname(file))).mode & 0o777).toBe(0o700);
    expect(await readFile(file, 'utf8')).not.toContain(cwd);

    // A run's page, and MCP, over the same journal have the same token; another journal has another one.
    const other = await starterFolder();
    const [again, elsewhere, mcp] = [
      startForTest(['run', '--serve', 'What is here?'], { cwd, env }),
      startForTest(['serve', '--port', '0'], { cwd: other, env }),
      startForTest(['mcp', '--http'], { cwd, env }),
    ];
    await again.until('The page stays open');
    const page = /Page: (\S+)\/\?token=([\w-]+)#\/runs\/run_/.exec(again.said());
    expect(page?.[2]).toBe(token);
    expect(await json(`${page?.[1]}/api/info`)).toMatchObject({ answered: 401 });
    expect((await linkOf(elsewhere)).token).not.toBe(token);
    await mcp.until('Bearer');
    expect(mcp.said()).toContain(`Authorization: Bearer ${token}`);
    await Promise.all([again, elsewhere, mcp].map(end));

    // A file that others can read is no secret any more.
    await chmod(file, 0o644);
    const renewed = startForTest(['serve', '--port', '0'], { cwd, env });
    expect((await linkOf(renewed)).token).not.toBe(token);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    await end(renewed);
  }, 120_000);

  it('answers everyone with --open, the users of a file with --users, and no two of these', async () => {
    const cwd = await starterFolder();
    const open = startForTest(['serve', '--open', '--port', '0'], { cwd });
    const url = await addressOf(open);
    expect(url).not.toContain('token');
    expect(await json(`${url}/api/info`)).toMatchObject({ answered: 200, you: { name: 'anyone' } });
    await end(open);

    const added = await runCli(['users', 'add', 'Ana Ñandú', '--role', 'approve'], { cwd });
    expect(added.code, added.err).toBe(0);
    expect(added.err).not.toContain(added.out.trim());
    const token = added.out.trim();
    const more = await runCli(['users', 'add', 'bob', '--role', 'read'], { cwd });
    const text = await readFile(path.join(cwd, 'users.yaml'), 'utf8');
    expect(text).toMatch(/name: "Ana Ñandú"\n {4}role: approve\n {4}token_hash: sha256:[0-9a-f]{64}\n/);
    for (const secret of [token, more.out.trim()]) expect(text).not.toContain(secret);
    const refused = await Promise.all([
      runCli(['users', 'add', 'ANA ÑANDÚ', '--role', 'read'], { cwd }),
      runCli(['users', 'add', 'eve', '--role', 'admin'], { cwd }),
      runCli(['users', 'add', 'owner', '--role', 'read'], { cwd }),
      runCli(['serve', '--users', 'none.yaml'], { cwd }),
      runCli(['serve', '--users', 'users.yaml', '--open'], { cwd }),
      runCli(['serve', '--token', '--open'], { cwd }),
      runCli(['serve', '--host', '0.0.0.0'], { cwd }),
      runCli(['serve', '--host', '0.0.0.0', '--open'], { cwd }),
      runCli(['serve', '--users', 'users.yaml', '--workspace', '.'], { cwd }),
    ]);
    for (const { code, err } of refused) expect([code, err]).toEqual([2, expect.stringMatching(/^error: /)]);
    expect(await readFile(path.join(cwd, 'users.yaml'), 'utf8')).toBe(text);

    const served = startForTest(['serve', '--users', 'users.yaml', '--port', '0'], { cwd });
    const of = (await addressOf(served)).replace(/\/\?.*/, '');
    expect(await json(`${of}/api/info`)).toMatchObject({ answered: 401 });
    expect(await json(`${of}/api/info`, bearing(token))).toMatchObject({ you: { name: 'Ana Ñandú', role: 'approve' } });
    await writeFile(path.join(cwd, 'users.yaml'), text.replace(/ {2}- name: "Ana[^]*?(?= {2}- )/, ''));
    expect(await json(`${of}/api/info`, bearing(token))).toMatchObject({ answered: 401 });
    expect(await json(`${of}/api/info`, bearing(more.out.trim()))).toMatchObject({ you: { name: 'bob' } });
    await end(served);
  }, 120_000);
});

it('run --serve has the page beside the run, where it goes on, until Ctrl-C', async () => {
  const cwd = await starterFolder();
  // Another process has the default port.
  const other = createServer()
    .listen(4111, '127.0.0.1')
    .on('error', () => undefined);
  const running = startForTest(['run', '--serve', '--open', 'What is here?'], { cwd });
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
  const running = startForTest(['run', '--serve', '--open', 'What is here?'], { cwd });
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
