import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { FolderTrust } from '../../src/cli/trust/folder-trust.ts';
import { loadProfiles } from '../../src/index.ts';
import { startChatModel, writeSoloTeam } from './chat-model.ts';
import { startForTest, temporaryFolder } from './cli-process.ts';

const toolset = (settings: string): string => `type: toolset\nname: pages\nkind: web\nsettings: ${settings}\n`;
const agent = 'name: Solo\ntype: partner\ninstructions: You work.\ntool_access_policy: { allowed_toolsets: [pages] }\n';

it.each([
  ['opens private addresses', "{ allow_private: '${OPEN:-false}' }", { OPEN: true }, /addresses of this machine and its networks/],
  [
    'sends searches elsewhere',
    "{ providers: [{ type: searxng, url: '${SEARCH:-http://127.0.0.1:1}' }] }",
    { SEARCH: 'https://collects.example' },
    /https:\/\/collects\.example/,
  ],
])('a run on record whose request %s is asked about, though its profiles were agreed to', async (_, settings, request, words) => {
  const files = [
    { path: 'p/Solo.yaml', text: agent },
    { path: 'p/pages.yaml', text: toolset(settings) },
  ];
  const [set, folder] = [await loadProfiles({ files }, { env: {} }), await temporaryFolder()];
  const places = {
    place: path.join(folder, 'p'),
    store: path.join(folder, '.cadre', 'journal.db'),
    env: { XDG_CONFIG_HOME: folder },
  };
  await new FolderTrust({ ...places, isAgreed: true }).check(set);
  const later = new FolderTrust({ ...places, isAgreed: false });
  await later.checkLater(set, { runId: 'run_1', request: {} });
  await expect(later.checkLater(set, { runId: 'run_1', request })).rejects.toMatchObject({
    code: 'FOLDER_UNTRUSTED',
    message: expect.stringMatching(words),
  });
  await expect(later.check(set, { runId: 'run_1', request })).rejects.toThrow(words);
});

it('a run that a client of this journal launched resumes with its request, and so does a fork; in another place or with more it is asked about', async () => {
  const files = [
    { path: 'p/Solo.yaml', text: agent },
    {
      path: 'p/pages.yaml',
      text: toolset("{ allow_private: '${OPEN:-false}', providers: [{ type: searxng, url: '${SEARCH:-http://127.0.0.1:1}' }] }"),
    },
  ];
  const [set, folder] = [await loadProfiles({ files }, { env: {} }), await temporaryFolder()];
  const env = { XDG_CONFIG_HOME: folder };
  const places = { place: path.join(folder, 'p'), store: path.join(folder, '.cadre', 'journal.db'), env };
  const server = new FolderTrust({ ...places, isAgreed: true });
  await server.check(set);
  await new FolderTrust({ ...places, isAgreed: false }).checkLater(set, undefined, { request: { OPEN: true } });

  const again = new FolderTrust({ ...places, isAgreed: false });
  for (const runId of ['run_1', 'run_2']) await again.checkLater(set, { runId, request: { OPEN: true } });
  await again.check(set, { runId: 'run_1', request: { OPEN: true } });
  const more = { OPEN: true, SEARCH: 'https://collects.example' };
  await expect(again.checkLater(set, { runId: 'run_1', request: more })).rejects.toThrow('https://collects.example');
  const cloned = new FolderTrust({ ...places, store: path.join(folder, 'clone', '.cadre', 'journal.db'), isAgreed: false });
  await expect(cloned.checkLater(set, { runId: 'run_1', request: { OPEN: true } })).rejects.toThrow('addresses of this machine');
  // What a client agreed to for its runs is no agreement for a folder that names the same from the start.
  const open = [
    files[0],
    { path: 'p/pages.yaml', text: toolset('{ allow_private: true, providers: [{ type: searxng, url: "http://127.0.0.1:1" }] }') },
  ];
  const wide = await loadProfiles({ files: open.filter((file) => file !== undefined) }, { env: {} });
  await expect(again.check(wide)).rejects.toThrow('addresses of this machine');
});

it('the refusal names the run, what its request adds, and the command that agrees', async () => {
  const files = [
    { path: 'p/Solo.yaml', text: agent },
    {
      path: 'p/pages.yaml',
      text: toolset("{ allow_private: '${OPEN:-false}', providers: [{ type: searxng, url: 'http://127.0.0.1:1' }] }"),
    },
  ];
  const [set, folder] = [await loadProfiles({ files }, { env: {} }), await temporaryFolder()];
  const store = path.join(folder, '.cadre', 'journal.db');
  const trust = new FolderTrust({ place: folder, store, isAgreed: false, env: { XDG_CONFIG_HOME: folder } });
  const said = await trust.checkLater(set, { runId: 'run_1', request: { OPEN: true } }).catch((thrown: Error) => thrown.message);
  expect(said).toContain(`run run_1: ${store} is not trusted`);
  expect(said).toContain(
    '  of these, only with its request (OPEN):\n    addresses of this machine and its networks (toolset pages)\n',
  );
  expect(said).toMatch(/resume it once with `.*resume run_1 --trust --store .*journal\.db`, or name the folder in CADRE_TRUST\.$/);
});

it('serve resumes the runs that its clients launched with a wider request, and not those of a journal from elsewhere', async () => {
  const cwd = await temporaryFolder();
  const env = { XDG_CONFIG_HOME: await temporaryFolder() };
  const model = await startChatModel();
  await writeSoloTeam(cwd, model.baseUrl);
  const profile = path.join(cwd, 'agent_profiles/profiles/Solo.yaml');
  await writeFile(profile, (await readFile(profile, 'utf8')).replace('allowed_toolsets: []', 'allowed_toolsets: [pages]'));
  await mkdir(path.join(cwd, 'agent_profiles/toolsets'));
  await writeFile(path.join(cwd, 'agent_profiles/toolsets/pages.yaml'), toolset("{ allow_private: '${OPEN:-false}' }"));
  const first = startForTest(['serve', '--open', '--port', '0', '--trust'], { cwd, env });
  await first.until('(Ctrl-C');
  const url = first.said().match(/http:\/\/127\.0\.0\.1:\d+/)?.[0] ?? '';
  const launched = await fetch(`${url}/api/runs`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ input: 'One, please.', request: { OPEN: true } }),
  });
  expect(launched.status).toBe(201);
  while (model.requests < 1) await new Promise((resolve) => setTimeout(resolve, 10));
  first.child.kill('SIGKILL');
  await first.finished;
  const elsewhere = await temporaryFolder();
  await cp(cwd, elsewhere, { recursive: true });

  const second = startForTest(['serve', '--open', '--port', '0'], { cwd, env });
  await Promise.race([second.until('could not be resumed'), second.until('is resumed')]);
  expect(second.said()).toContain('was interrupted and is resumed.');
  second.child.kill('SIGKILL');
  await second.finished;

  // The copied folder is another one; its profiles are trusted here, its journal is not.
  const named = { ...env, CADRE_TRUST: path.join(elsewhere, 'agent_profiles') };
  const cloned = startForTest(['serve', '--open', '--port', '0'], { cwd: elsewhere, env: named });
  await Promise.race([cloned.until('could not be resumed'), cloned.until('is resumed')]);
  expect(cloned.said()).toContain('could not be resumed: Cadre on this machine did not record these runs of');
  cloned.child.kill('SIGKILL');
  await cloned.finished;
});
