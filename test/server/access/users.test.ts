import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { hashToken } from '../../../src/server/access/users.ts';
import { parseUsers, usersOfFile } from '../../../src/server/access/users-file.ts';
import { serve } from '../../../src/server/index.ts';
import { sandboxFiles } from '../../../src/toolsets/sandbox/sandbox-files.ts';
import { workspaceToolset } from '../../../src/toolsets/workspace/workspace-toolset.ts';
import { testEngine } from '../../support/test-engine.ts';
import { toolsetUnderTest } from '../../tools/toolset-under-test.ts';
import { ask, closeAfter, servedTeam } from '../http/served-team.ts';

const alice = 'the-token-of-alice';
const bob = 'the-token-of-bob';

/** A file of users that can be rewritten as a whole, as editors do. */
function usersFile(...entries: readonly string[]): { readonly file: string; write(...entries: readonly string[]): void } {
  const folder = mkdtempSync(path.join(tmpdir(), 'cadre-users-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = path.join(folder, 'users.yaml');
  const write = (...written: readonly string[]): void => {
    writeFileSync(`${file}.new`, `users:${written.length === 0 ? ' []' : ''}\n${written.join('')}`);
    renameSync(`${file}.new`, file);
  };
  write(...entries);
  return { file, write };
}

const entry = (name: string, token: string, role = 'approve'): string =>
  `  - name: ${name}\n    role: ${role}\n    token_hash: ${hashToken(token)}\n`;

const bearer = (token: string): { readonly authorization: string } => ({ authorization: `Bearer ${token}` });

describe('F85: users of a server', () => {
  it('cannot be changed by tools, wherever the file is', async () => {
    const tools = toolsetUnderTest(workspaceToolset);
    onTestFinished(() => rmSync(tools.workspace, { recursive: true, force: true }));
    const file = path.join(tools.workspace, 'people.yaml');
    writeFileSync(file, `users:\n${entry('alice', alice)}`);
    usersOfFile(file);
    const write = tools.run('write_file', { path: 'people.yaml', content: `users:\n${entry('mallory', bob, 'operate')}` });
    await expect(write).rejects.toMatchObject({ code: 'PATH_REFUSED' });
    const policy = { network: 'none', read: [], write: [] } as const;
    expect(sandboxFiles({ argv: ['true'], policy, workspace: tools.workspace }, []).denyWrite).toContain(file);
  });

  it('each has their own token; a wrong one, a hash and none open nothing', async () => {
    const { file } = usersFile(entry('alice', alice), entry('bob', bob, 'read'));
    const { served } = await servedTeam({}, { users: file });
    const status = async (headers: Record<string, string>): Promise<number> => (await ask(served.port, { headers })).status;
    expect(await status(bearer(alice))).toBe(200);
    expect(await status(bearer(bob))).toBe(200);
    expect(await status(bearer(`${alice}x`))).toBe(401);
    expect(await status(bearer(hashToken(alice)))).toBe(401);
    expect(await status(bearer(hashToken(alice).slice('sha256:'.length)))).toBe(401);
    expect(await status({})).toBe(401);
  });

  it('a link signs a browser in, and another link signs another person in', async () => {
    const { file, write } = usersFile(entry('alice', alice), entry('bob', bob, 'read'));
    const { served } = await servedTeam({}, { users: file });
    const open = async (token: string, cookie = ''): Promise<string> => {
      const { headers } = await ask(served.port, { path: `/?token=${token}`, headers: { cookie } });
      return String(headers['set-cookie']).split(';')[0] ?? '';
    };
    const you = async (cookie: string): Promise<unknown> =>
      (JSON.parse((await ask(served.port, { headers: { cookie } })).body) as { readonly you?: unknown }).you;
    const first = await open(alice);
    expect(await you(first)).toEqual({ name: 'alice', role: 'approve' });
    expect(await you(await open(bob, first))).toEqual({ name: 'bob', role: 'read' });
    write(entry('bob', bob, 'talk'));
    expect(await you(first)).toBeUndefined();
    expect(await you(await open(bob))).toEqual({ name: 'bob', role: 'talk' });
  });

  it('the session of a user cannot be made from the file', async () => {
    const { file } = usersFile(entry('alice', alice));
    const [first, second] = [await servedTeam({}, { users: file }), await servedTeam({}, { users: file })];
    const { headers } = await ask(first.served.port, { path: `/?token=${alice}` });
    const [, session = ''] = /=([^;]+);/.exec(String(headers['set-cookie'])) ?? [];
    const asked = await ask(second.served.port, { headers: { cookie: `cadre_${second.served.port}=${session}` } });
    expect(asked.status).toBe(401);
  });

  it('a user who is removed, or gets another role, loses what they have open; the others keep it', async () => {
    const { file, write } = usersFile(entry('alice', alice), entry('bob', bob), entry('carol', 'the-token-of-carol'));
    const { served } = await servedTeam({}, { users: file });
    const listen = async (token: string): Promise<{ ended: Promise<void>; isOver: () => boolean }> => {
      const { body } = await fetch(`${served.url}/api/events`, { headers: bearer(token) });
      let isOver = false;
      const ended = (async () => {
        for await (const _ of body ?? []);
        isOver = true;
      })();
      ended.catch(() => undefined);
      return { ended, isOver: () => isOver };
    };
    const streams = [await listen(alice), await listen(bob), await listen('the-token-of-carol')] as const;
    write(entry('bob', bob, 'read'), entry('carol', 'the-token-of-carol'));
    expect((await ask(served.port, { headers: bearer(alice) })).status).toBe(401);
    await Promise.all([streams[0].ended, streams[1].ended]);
    expect(streams[2].isOver()).toBe(false);
    expect((await ask(served.port, { headers: bearer(bob) })).status).toBe(200);
  });

  it('a file that cannot be read any more opens nothing until it can, and the server says why', async () => {
    const { file, write } = usersFile(entry('alice', alice));
    const problems: string[] = [];
    const { served } = await servedTeam({}, { users: file, onUsersProblem: (message) => problems.push(message) });
    const get = () => ask(served.port, { headers: bearer(alice) });
    writeFileSync(file, 'users:\n  - name: alice\n    rol: read\n');
    const refused = await get();
    expect(refused).toMatchObject({ status: 403, body: expect.stringContaining('nobody is answered') });
    expect(refused.body).not.toContain(path.dirname(file));
    await get();
    expect(problems).toEqual([expect.stringContaining(`${file}:3:5: a user has no key 'rol'`)]);
    rmSync(file);
    expect((await get()).status).toBe(403);
    write(entry('alice', alice));
    expect((await get()).status).toBe(200);
  });

  it('names every faulty place of a file, and what is allowed there', () => {
    const hash = hashToken(alice);
    const problemsOf = (text: string): string => {
      try {
        parseUsers('users.yaml', text);
        return '';
      } catch (thrown) {
        return thrown instanceof Error ? thrown.message : '';
      }
    };
    expect(parseUsers('users.yaml', `users:\n  - { name: Ana Ñandú, role: operate, token_hash: '${hash}' }\n`)).toEqual([
      { name: 'Ana Ñandú', role: 'operate', tokenHash: hash },
    ]);
    expect(parseUsers('users.yaml', 'users: []\n')).toEqual([]);
    expect(problemsOf('alice: read\n')).toContain('users.yaml:1:1: the file is a map with the key users');
    expect(problemsOf(`users:\n  - { name: a, role: admin, token_hash: '${hash}' }\n`)).toContain(
      'users.yaml:2:22: the role is one of read, talk, approve, operate; not "admin"',
    );
    const secret = problemsOf(`users:\n  - { name: a, role: read, token_hash: ${alice} }\n`);
    expect(secret).toContain('users.yaml:2:40: a token hash is sha256: and 64 hexadecimal digits');
    expect(secret).not.toContain(alice);
    expect(problemsOf('users:\n  - { name: a, role: read }\n')).toContain('users.yaml:2:5: this user has no token_hash');
    for (const name of ['owner', 'Anyone', 'code', 'replay', 'root@terminal', 'x@mcp', '" a"', '"a\\u202eb"', '""', '7'])
      expect(problemsOf(`users:\n  - { name: ${name}, role: read, token_hash: '${hash}' }\n`)).toContain('users.yaml:2:13: ');
    expect(problemsOf(`users:\n${entry('Alice', alice)}${entry('ALICE', bob)}`)).toContain(
      "users.yaml:5:11: the user 'Alice' on line 2 has the same name",
    );
    expect(problemsOf(`users:\n${entry('alice', alice)}${entry('bob', alice)}`)).toContain('has the same token_hash');
    expect(problemsOf('users: [\n')).toMatch(/users\.yaml:\d+:\d+: /);
  });

  it('options that contradict each other are refused', async () => {
    const { engine } = await testEngine();
    closeAfter(engine);
    const users = [{ name: 'alice', role: 'read', tokenHash: hashToken(alice) }] as const;
    for (const options of [
      { users, token: 'a-token-nobody-guesses' },
      { users, open: true },
      { token: 'a-token-nobody-guesses', open: true },
      { open: false },
      { users: [{ ...users[0], role: 'admin' as 'read' }] },
      { users: [users[0], { ...users[0], name: 'bob' }] },
      { users: 'none.yaml' },
      { host: '0.0.0.0', open: true },
    ])
      await expect(serve(engine, options)).rejects.toMatchObject({ code: 'OPTION_INVALID' });
  });
});
