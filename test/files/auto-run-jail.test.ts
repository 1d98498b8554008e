import { chmodSync, existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { chartsToolset } from '../../src/toolsets/charts/charts-toolset.ts';
import { autoRunFiles } from '../../src/files/guard/auto-run-files.ts';
import { writeInside } from '../../src/files/write-inside.ts';
import { CadreError } from '../../src/core/error.ts';
import { openWorkspace, type WorkspaceTools } from '../toolsets/workspace/call-workspace.ts';
import { git, makeRepository, put, trapConfig, useGitLikeAUser } from './git-traps.ts';
import { makeFolder } from './temp-folder.ts';

interface Attack {
  readonly tools: WorkspaceTools;
  readonly folder: string;
  readonly marker: string;
  /** Tries a call, and takes whatever comes of it. */
  readonly attempt: (tool: string, args: Record<string, string | number>) => Promise<unknown>;
  /** Tries to write a file. */
  readonly write: (path: string, content: string) => Promise<unknown>;
}

async function attackOn(folder: string, outside: string): Promise<Attack> {
  const tools = openWorkspace(folder);
  const attempt = async (tool: string, args: Record<string, string | number>): Promise<unknown> =>
    await tools.call(tool, args).catch((error: unknown) => error);
  const write = async (path: string, content: string): Promise<unknown> => await attempt('write_file', { path, content });
  return { tools, folder, marker: join(outside, 'pwned'), attempt, write };
}

/** Writes a whole repository with traps, a file each, in an order of one's own. */
async function bareRepository({ write, marker, folder }: Attack, place: string, order: readonly string[]): Promise<void> {
  const files: Readonly<Record<string, string>> = {
    HEAD: 'ref: refs/heads/main\n',
    config: trapConfig(marker, folder),
    'objects/info/x': '',
    'refs/heads/x': '',
    'hooks/post-index-change': `#!/bin/sh\ntouch ${marker}\n`,
  };
  for (const name of order) await write(`${place}/${name}`, files[name] ?? '');
}

const parts = ['config', 'hooks/post-index-change', 'objects/info/x', 'refs/heads/x', 'HEAD'];

const attacks: readonly (readonly [string, (attack: Attack) => Promise<void>])[] = [
  [
    'F36: a common folder in pieces, and commondir',
    async ({ write, marker, folder }) => {
      await write('docs/meta/config', trapConfig(marker, folder));
      await write('docs/meta/objects/x', '');
      await write('docs/meta/refs/heads/x', '');
      await write('.git/commondir', '../docs/meta\n');
    },
  ],
  ['the config itself', async ({ write, marker }) => void (await write('.git/config', trapConfig(marker)))],
  ['the config of a worktree', async ({ write, marker }) => void (await write('.git/config.worktree', trapConfig(marker)))],
  ['a hook', async ({ write, marker }) => void (await write('.git/hooks/post-index-change', `#!/bin/sh\ntouch ${marker}\n`))],
  [
    'attributes within git',
    async ({ write, marker }) => {
      await write('.git/info/attributes', '* filter=trap\n');
      await write('.git/config', trapConfig(marker));
    },
  ],
  [
    'a nested repository',
    async (attack) => {
      for (const order of [parts, parts.toReversed()]) await bareRepository(attack, 'docs/.git', order);
    },
  ],
  [
    'a nested repository under names that file systems take for the same',
    async ({ write, marker }) => {
      for (const name of ['.GIT', '.Git', '.git.', '.git ', '.g\u200cit', '\uff0egit', 'git~1', '.git::$INDEX_ALLOCATION'])
        for (const [file, text] of [
          ['HEAD', 'ref: refs/heads/main\n'],
          ['config', trapConfig(marker)],
          ['objects/x', ''],
          ['refs/x', ''],
        ] as const)
          await write(`docs/${name}/${file}`, text);
    },
  ],
  ...[parts, parts.toReversed(), ['HEAD', 'refs/heads/x', 'config', 'objects/info/x']].map(
    (order) =>
      [
        `a bare repository: ${order.join(', ')}`,
        async (attack: Attack) => await bareRepository(attack, 'docs/meta', order),
      ] as const,
  ),
  [
    'a bare repository by moving',
    async ({ write, attempt, marker, folder }) => {
      await write('m/h', 'ref: refs/heads/main\n');
      await write('m/config', trapConfig(marker, folder));
      await write('m/o/x', '');
      await write('m/r/x', '');
      await attempt('move_file', { from: 'm/o', to: 'm/objects' });
      await attempt('move_file', { from: 'm/r', to: 'm/refs' });
      await attempt('move_file', { from: 'm/h', to: 'm/HEAD' });
    },
  ],
  [
    'the pieces of a repository moved into its name',
    async ({ write, attempt, marker }) => {
      await write('m/H', 'ref: refs/heads/main\n');
      await write('m/config', trapConfig(marker));
      await write('m/objects/x', '');
      await write('m/refs/x', '');
      await attempt('move_file', { from: 'm', to: 'docs/.git' });
      await attempt('move_file', { from: 'docs/.git/H', to: 'docs/.git/HEAD' });
      await attempt('move_file', { from: '.git', to: 'old' });
      await attempt('move_file', { from: 'm', to: '.git' });
      await attempt('delete_file', { path: '.git/HEAD' });
    },
  ],
  [
    'a bare repository whose pieces are written at once',
    async (attack) => {
      const { write, marker, folder } = attack;
      await write('race/config', trapConfig(marker, folder));
      await Promise.all([write('race/HEAD', 'ref: refs/heads/main\n'), write('race/refs/x', ''), write('race/objects/x', '')]);
    },
  ],
  [
    'a worktree',
    async ({ write, marker, folder }) => {
      await write('wt/HEAD', 'ref: refs/heads/main\n');
      await write('wt/commondir', '../common\n');
      await write('wt/gitdir', `${folder}/docs/.git\n`);
      await write('common/config', trapConfig(marker, folder));
      await write('common/objects/x', '');
      await write('common/refs/x', '');
      await write('docs/.git', 'gitdir: ../wt\n');
    },
  ],
  [
    'a gitdir file',
    async (attack) => {
      await bareRepository(attack, 'meta', ['config', 'objects/info/x', 'refs/heads/x', 'HEAD']);
      await attack.write('docs/.git', 'gitdir: ../meta\n');
      await attack.write('src/.git', 'gitdir: ../.git/../meta\n');
    },
  ],
  [
    'what the configuration names: hooks, included files, drivers',
    async ({ write, attempt, marker, folder }) => {
      const hook = `#!/bin/sh\ntouch ${marker}\n`;
      put(folder, 'tools/show.sh', '#!/bin/sh\ncat "$1"\n');
      git(folder, 'config', 'core.hooksPath', 'tools/hooks');
      git(folder, 'config', 'include.path', '../tools/more.config');
      git(folder, 'config', 'core.fsmonitor', 'sh tools/watch.sh');
      git(folder, 'config', 'diff.external', 'sh tools/show.sh');
      for (const name of ['pre-commit', 'post-checkout', 'post-index-change', 'reference-transaction'])
        await write(`tools/hooks/${name}`, hook);
      await write('tools/more.config', trapConfig(marker));
      await write('tools/watch.sh', hook);
      await write('tools/show.sh', hook);
      await write('t/more.config', trapConfig(marker));
      await attempt('move_file', { from: 't', to: 'tools/hooks' });
      await attempt('move_file', { from: 't/more.config', to: 'tools/more.config' });
    },
  ],
  [
    'the worktree itself as the folder of hooks',
    async ({ write, attempt, marker, folder }) => {
      git(folder, 'config', 'core.hooksPath', folder);
      for (const name of ['pre-commit', 'post-checkout', 'post-index-change', 'reference-transaction']) {
        // A file of the user's that can be run stays one that can, under another name and with other words.
        put(folder, `bin/${name}.sh`, '#!/bin/sh\n');
        chmodSync(join(folder, 'bin', `${name}.sh`), 0o755);
        await write(`bin/${name}.sh`, `#!/bin/sh\ntouch ${marker}\n`);
        await attempt('move_file', { from: `bin/${name}.sh`, to: name });
      }
    },
  ],
  [
    'a folder moved to where the configuration names something in it, or away from there and back',
    async ({ write, attempt, marker, folder }) => {
      const script = `#!/bin/sh\ntouch ${marker}\n`;
      put(folder, 'helpers/show.sh', '#!/bin/sh\ncat "$1"\n');
      git(folder, 'config', 'core.fsmonitor', 'sh scripts/git/watch.sh');
      git(folder, 'config', 'diff.external', 'sh helpers/show.sh');
      await write('s/git/watch.sh', script);
      await attempt('move_file', { from: 's', to: 'scripts' });
      await attempt('move_file', { from: 'helpers', to: 'h' });
      await write('h/show.sh', script);
      await attempt('move_file', { from: 'h', to: 'helpers' });
    },
  ],
  [
    'submodules',
    async ({ write, marker }) => {
      await write(
        '.gitmodules',
        `[submodule "x"]\n\tpath = docs\n\turl = ext::sh -c "touch ${marker}"\n\tupdate = !touch ${marker}\n`,
      );
      await write('.git/modules/x/config', trapConfig(marker));
      await write('.git/modules/x/HEAD', 'ref: refs/heads/main\n');
    },
  ],
];

describe('F36: file tools plant nothing that git runs', () => {
  it.each(attacks)('%s', async (_what, attack) => {
    const outside = await makeFolder();
    const folder = join(outside, 'project');
    mkdirSync(folder);
    makeRepository(folder);
    const attacking = await attackOn(folder, outside);
    await attack(attacking);
    useGitLikeAUser(folder, foldersIn(folder));
    expect(existsSync(attacking.marker)).toBe(false);
  });

  it('the traps are real: laid past the tools, git runs what they say', async () => {
    const outside = await makeFolder();
    const marker = join(outside, 'pwned');
    const folder = join(outside, 'project');
    mkdirSync(folder);
    makeRepository(folder);
    put(folder, 'docs/meta/config', trapConfig(marker, folder));
    put(folder, 'docs/meta/objects/x', '');
    put(folder, 'docs/meta/refs/heads/x', '');
    put(folder, '.git/commondir', '../docs/meta\n');
    useGitLikeAUser(folder, []);
    expect(existsSync(marker)).toBe(true);
    const other = join(outside, 'other');
    mkdirSync(other);
    put(other, 'deep/meta/HEAD', 'ref: refs/heads/main\n');
    put(other, 'deep/meta/config', trapConfig(join(outside, 'bare'), other));
    put(other, 'deep/meta/objects/x', '');
    put(other, 'deep/meta/refs/x', '');
    useGitLikeAUser(other, ['deep/meta']);
    expect(existsSync(join(outside, 'bare'))).toBe(true);
  });

  it('charts are drawn into no folder of git either', async () => {
    const folder = await makeFolder();
    const charts = openWorkspace(folder, {}, 'r1', chartsToolset);
    const error = await charts.fails('draw_chart', { spec: { mark: 'bar' }, file: '.git/hooks/chart' });
    expect(error.code).toBe('PATH_REFUSED');
  });

  it('each way of writing refuses by itself, whoever calls it', async () => {
    const folder = await makeFolder();
    const write = writeInside({ root: folder, file: 'x/.vscode/tasks.json', what: 'it', bytes: new Uint8Array() });
    await expect(write).rejects.toMatchObject({ code: 'PATH_REFUSED' });
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe('F36: files that make other programs run something', () => {
  it.each([
    'sub/.git',
    '.gitconfig',
    '.gitattributes',
    'a/.githooks/pre-commit',
    '.zshenv',
    '.profile',
    '.bash_aliases',
    '.config/git/config',
    '.config/fish/config.fish',
    '.ssh/authorized_keys',
    'a/.vscode/tasks.json',
    'team.code-workspace',
    '.idea/workspace.xml',
    '.vimrc',
    '.exrc',
    '.nvim.lua',
    '.dir-locals.el',
    '.npmrc',
    '.yarnrc.yml',
    '.pnpmfile.cjs',
    '.envrc',
    '.tool-versions',
    'mise.toml',
    'venv/pip.conf',
    '.cargo/config.toml',
    '.husky/_/pre-commit',
    '.pre-commit-config.yaml',
    'lefthook.yml',
    'sitecustomize.py',
    '.gdbinit',
    '.claude/settings.json',
    '.codex/config.toml',
    '.gemini/settings.json',
    '.cursor/mcp.json',
    '.devcontainer/devcontainer.json',
    'sub/.mcp.json',
    'opencode.json',
    '.venv/bin/python',
    'venv/bin/activate',
    'env/bin/python',
    'tools/x/pyvenv.cfg',
    'lib/python3.12/site-packages/a.pth',
    'node_modules/.bin/git',
    'node_modules/eslint/lib/api.js',
    'eslint.config.mjs',
    'packages/a/eslint.config.ts',
    '.eslintrc.cjs',
    '.prettierrc.js',
    'prettier.config.mjs',
    'stylelint.config.js',
    'pylintrc',
    '.pylintrc',
    '.rubocop.yml',
    'flake.nix',
    'shell.nix',
    'default.nix',
    '.pnp.cjs',
    '.pnp.loader.mjs',
    'bunfig.toml',
    '.bundle/config',
    '.RData',
    'CLAUDE.md',
    'docs/CLAUDE.local.md',
    'AGENTS.md',
    'AGENT.md',
    'GEMINI.md',
    'QWEN.md',
    '.github/copilot-instructions.md',
    '.github/instructions/a.instructions.md',
    '.github/prompts/a.prompt.md',
    '.cursorrules',
    '.windsurfrules',
    '.clinerules',
    '.clinerules/a.md',
    '.github/workflows/ci.yml',
    '.gitlab-ci.yml',
    '.circleci/config.yml',
    'azure-pipelines.yml',
    'Jenkinsfile',
    '.travis.yml',
    'claude.MD',
    'AGENTS.md.',
    'AGENTS.md ',
    '\uff21GENTS.md',
    'Node_Modules/.BIN/git',
    '.ve\u00adnv/bin/python',
    '.GitHub/Workflows./ci.yml',
    '.cadre/journal.db',
    'agent_profiles/profiles/a.yaml',
    'Agent_Profiles/x',
    '.VSCODE/tasks.json',
    '.vscode./tasks.json',
    '.vs\u00adcode/tasks.json',
  ])('%s is refused, with how a person allows it', async (path) => {
    const error = await openWorkspace(await makeFolder()).fails('write_file', { path, content: 'x' });
    expect(error).toBeInstanceOf(CadreError);
    expect([error.code, error.message]).toEqual(['PATH_REFUSED', expect.stringMatching(/protected/)]);
    if (!/\.npmrc|\.ssh|\.cadre/.test(path)) expect(error.message).toMatch(/allow_writes: \[".+"\] in the settings/);
  });

  it.each([
    'src/main.ts',
    '.gitignore',
    '.editorconfig',
    'package.json',
    'Makefile',
    'setup.cfg',
    'tests/conftest.py',
    'jest.config.js',
    'vite.config.ts',
    'tsconfig.json',
    'pyproject.toml',
    'tox.ini',
    'CONVENTIONS.md',
    '.github/CODEOWNERS',
    'src/env/index.ts',
    'bin/tool',
    'src/venv.py',
    'models/weights.pth',
    'docs/agents.html',
    'docs/HEAD',
    'refs/a.md',
    'objects/b.md',
    'config',
    'commondir',
    'a.git/readme',
    'git/hooks/x',
    'rc',
    'bashrc',
  ])('%s is ordinary work', async (path) => {
    expect(autoRunFiles.placeIn(path)).toBeUndefined();
    expect(await openWorkspace(await makeFolder()).text('write_file', { path, content: 'x' })).toContain('Created');
  });

  it('allow_writes says which of them may be written, and nothing else is opened by it', async () => {
    const folder = await makeFolder();
    const { text, fails } = openWorkspace(folder, { allow_writes: ['.vscode', '.git/info', 'meta'] });
    expect(await text('write_file', { path: '.vscode/tasks.json', content: '{}' })).toContain('Created');
    expect(await text('write_file', { path: '.git/info/exclude', content: 'x' })).toContain('Created');
    for (const file of ['objects/x', 'refs/x', 'HEAD'])
      expect(await text('write_file', { path: `meta/${file}`, content: 'x' })).toContain('Created');
    for (const path of ['.git/config', '.idea/x', '.cadre/x', '.env', 'other/.npmrc'])
      expect((await fails('write_file', { path, content: 'x' })).code).toBe('PATH_REFUSED');
    expect((await openWorkspace(folder, { protected: [] }).fails('write_file', { path: '.git/config', content: '' })).code).toBe(
      'PATH_REFUSED',
    );
    expect(await text('move_file', { from: '.vscode/tasks.json', to: '.vscode/t.json' })).toContain('Moved');
    expect((await fails('move_file', { from: '.vscode', to: '.idea' })).code).toBe('PATH_REFUSED');
  });

  it('a bare repository that is there already is as closed as any', async () => {
    const folder = await makeFolder();
    git(folder, 'init', '-q', '--bare', 'store');
    const { fails } = openWorkspace(folder);
    for (const path of ['store/config', 'store/hooks/post-receive', 'store/new/file'])
      expect((await fails('write_file', { path, content: 'x' })).message).toContain('allow_writes: ["store"]');
    expect((await fails('delete_file', { path: 'store/HEAD' })).code).toBe('PATH_REFUSED');
  });
});

/** All folders below one, without git's own. */
function foldersIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .filter((name) => !name.startsWith('.git/') && !name.startsWith('.cadre'));
}
