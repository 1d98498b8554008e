import path from 'node:path';
import { expect, it } from 'vitest';
import { FolderTrust } from '../../src/cli/trust/folder-trust.ts';
import { loadProfiles } from '../../src/index.ts';
import { temporaryFolder } from './cli-process.ts';

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
