import { chmodSync, chownSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/core/json.ts';
import { mcpToolsetKind } from '../../../src/toolsets/mcp/mcp-toolset.ts';
import { rememberAgentPlace, rememberProject } from '../../../src/files/programs/agent-places.ts';
import { assertFound, findProgram, searchProgram } from '../../../src/files/programs/find-program.ts';
import { safePath } from '../../../src/files/programs/outside-environment.ts';
import { isOwnPlace, ownPlaces, ownPlacesIn } from '../../../src/files/programs/own-places.ts';
import { sandboxFiles } from '../../../src/toolsets/sandbox/sandbox-files.ts';
import { writablePath } from '../../../src/toolsets/workspace/workspace-files.ts';
import { readWorkspaceSettings } from '../../../src/toolsets/workspace/workspace-settings.ts';
import { connectMcp } from '../mcp/mcp-host.ts';
import { scratchHome } from './scratch-home.ts';

/** Makes a program in a folder; returns the folder. */
function folderWith(name: string, ...parts: readonly string[]): string {
  const folder = path.join(...parts);
  mkdirSync(folder, { recursive: true, mode: 0o755 });
  writeFileSync(path.join(folder, name), '#!/bin/sh\nexit 0\n', { mode: 0o755 });
  return folder;
}

const search = (name: string, searchPath: string) => searchProgram(name, { in: 'path', path: searchPath });

describe('the user’s own programs', () => {
  it.each([['.local/bin'], ['.nvm/versions/node/v24.15.0/bin'], ['.pyenv/shims'], ['bin']])('are found in ~/%s', (folder) => {
    const bin = folderWith('tool', scratchHome(), folder);
    expect(search('tool', bin).found?.path).toBe(path.join(bin, 'tool'));
  });

  it('are found when Node’s own packages hold them, such as npx, and by the name they are called by', () => {
    const prefix = scratchHome();
    folderWith('node', prefix, 'bin');
    folderWith('npx-cli.js', prefix, 'lib/node_modules/npm/bin');
    symlinkSync('../lib/node_modules/npm/bin/npx-cli.js', path.join(prefix, 'bin/npx'));
    expect(search('npx', path.join(prefix, 'bin')).found).toMatchObject({
      path: path.join(prefix, 'bin/npx'),
      real: path.join(prefix, 'lib/node_modules/npm/bin/npx-cli.js'),
    });
  });
});

describe('F70: a candidate is refused, and the next one serves', () => {
  const cases: readonly (readonly [string, RegExp, (base: string) => string])[] = [
    ['below node_modules', /lies in .*node_modules/, (base) => folderWith('tool', base, 'other/node_modules/.bin')],
    ['in a .venv', /lies in .*\.venv/, (base) => folderWith('tool', base, 'other/.venv/bin')],
    [
      'that everybody can write',
      /can be written by every user/,
      (base) => {
        const folder = folderWith('tool', base, 'open');
        chmodSync(path.join(folder, 'tool'), 0o757);
        return folder;
      },
    ],
    [
      'in a folder open to everybody',
      /can be written by every user/,
      (base) => {
        const folder = folderWith('tool', base, 'open/bin');
        chmodSync(path.dirname(folder), 0o777);
        return folder;
      },
    ],
    [
      'in a project with profiles',
      /lies in the project/,
      (base) => {
        mkdirSync(path.join(base, 'team/agent_profiles'), { recursive: true });
        mkdirSync(path.join(base, 'team/.git'));
        rememberProject(path.join(base, 'team/agent_profiles'));
        return folderWith('tool', base, 'team/scripts');
      },
    ],
    [
      'behind a link to a refused folder',
      /lies in .*node_modules/,
      (base) => {
        symlinkSync(folderWith('tool', base, 'x/node_modules/y'), path.join(base, 'innocent'));
        return path.join(base, 'innocent');
      },
    ],
    [
      'that may not be run',
      /may not be run/,
      (base) => {
        const folder = folderWith('tool', base, 'plain');
        chmodSync(path.join(folder, 'tool'), 0o644);
        return folder;
      },
    ],
    ['among temporary files', /folder for temporary files/, () => folderWith('tool', '/tmp', `cadre-test-${process.pid}`)],
  ];
  it.each(cases)('%s', (title, why, make) => {
    const base = scratchHome();
    const good = folderWith('tool', base, 'good');
    const bad = make(base);
    const result = search('tool', `${bad}:${good}`);
    expect(result.found?.path).toBe(path.join(good, 'tool'));
    expect(result.refused).toEqual([{ path: expect.any(String) as unknown, why: expect.stringMatching(why) as unknown }]);
    // What scripts find by name: folders count as wholes.
    if (!/everybody can write$|may not be run/.test(title)) expect(safePath(`${bad}:${good}`).split(':')[0]).toBe(good);
  });

  it.skipIf(process.getuid?.() !== 0)('in a folder of a group with other members', () => {
    const base = scratchHome();
    const folder = folderWith('tool', base, 'shared');
    chownSync(folder, 0, 50);
    chmodSync(folder, 0o775);
    expect(search('tool', folder).refused).toMatchObject([{ why: expect.stringContaining('the group 50') as unknown }]);
  });

  it('once an agent can write its folder, too, though it was found before', () => {
    const base = scratchHome();
    const [early, late] = [folderWith('tool', base, 'early'), folderWith('tool', base, 'late')];
    const found = search('tool', `${early}:${late}`).found;
    rememberAgentPlace(early, 'the workspace of a run');
    expect(search('tool', `${early}:${late}`).found?.path).toBe(path.join(late, 'tool'));
    expect(() => assertFound(found?.path ?? '')).toThrow(/lies in the workspace of a run/);
  });

  it('those of the system serve for Python and servers, but do not stand in for a program that PATH does not have', () => {
    const bin = folderWith('python3', scratchHome(), 'node_modules/.bin');
    expect(searchProgram('env', { in: 'both', path: folderWith('env', bin) })).toMatchObject({
      found: { path: '/usr/bin/env' },
      refused: [{ path: path.join(bin, 'env') }],
    });
    expect(searchProgram('env', { in: 'both', path: path.join(bin, 'none') }).found).toBeUndefined();
    expect(searchProgram('env', { in: 'both', path: '' }).found?.path).toBe('/usr/bin/env');
  });

  it('and without another one, the refusal says what, where, why and what to do', () => {
    const bin = folderWith('tool', scratchHome(), 'node_modules/.bin');
    expect(() => findProgram('tool', { in: 'path', path: `${bin}:relative` })).toThrow(
      new RegExp(
        `tool was not found where no agent and no project can write: ${bin}/tool is not started, since .*searched ${bin}, relative.*Install it for the system, or remove that folder from PATH`,
      ),
    );
  });
});

describe('a program that a person agreed to by its path', () => {
  const server = (folder: string, more: JsonObject = {}): JsonObject => ({ command: './server.sh', cwd: folder, ...more });
  const words = (settings: JsonObject): string =>
    (mcpToolsetKind.reaches?.(settings, 's') ?? []).map(({ text }) => text).join('\n');

  it('is named with its real path and content, and so are files of code among its arguments', () => {
    const base = scratchHome();
    const folder = folderWith('server.sh', base, 'node_modules/x');
    writeFileSync(path.join(folder, 'main.py'), 'print(1)');
    const before = words(server(folder, { args: ['main.py', '--port', '1'] }));
    expect(before).toMatch(
      new RegExp(`\\./server\\.sh main\\.py --port 1 \\[${folder}/server\\.sh SHA-256 [0-9a-f]{64}, ${folder}/main\\.py SHA-256`),
    );
  });

  it('is not started once it was changed', async () => {
    const folder = folderWith('server.sh', scratchHome(), 'node_modules/x');
    expect(words(server(folder))).toContain('SHA-256');
    writeFileSync(path.join(folder, 'server.sh'), `#!/bin/sh\ntouch ${folder}/ran\n`);
    const connected = connectMcp('s', server(folder));
    await connected.until(() => connected.health.at(-1)?.status === 'failed');
    expect(connected.health.at(-1)?.message).toMatch(/server\.sh is not started, since it was replaced since Cadre first found it/);
    await connected.toolset.close?.();
  });
});

describe('what Cadre itself runs from', () => {
  it('is its code, its packages and its Node, wherever they lie', () => {
    const root = path.join(import.meta.dirname, '..', '..', '..');
    expect(ownPlaces()).toEqual(
      expect.arrayContaining([path.join(root, 'src'), path.join(root, 'bin'), path.join(root, 'node_modules')]),
    );
    expect(ownPlacesIn(['/']).length).toBe(ownPlaces().length);
    expect([process.execPath, root, path.join(root, 'node_modules/.bin/x')].map(isOwnPlace)).toEqual([true, true, true]);
    expect([path.join(root, 'docs/x.md'), '/etc/passwd'].map(isOwnPlace)).toEqual([false, false]);
  });

  it('can be written neither by a command in a sandbox nor by file tools', async () => {
    const root = path.join(import.meta.dirname, '..', '..', '..');
    const policy = { network: 'none', read: [], write: [] } as const;
    const { denyWrite } = sandboxFiles({ argv: ['true'], workspace: root, policy }, []);
    expect(denyWrite).toEqual(expect.arrayContaining([path.join(root, 'src'), path.join(root, 'node_modules')]));
    const settings = readWorkspaceSettings({ settings: {} });
    await expect(writablePath(root, 'node_modules/.bin/bwrap', settings)).rejects.toThrow(/Cadre itself runs from there/);
    await expect(writablePath(root, 'docs/new.md', settings)).resolves.toBeDefined();
  });
});
