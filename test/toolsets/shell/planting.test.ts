import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/core/json.ts';
import { pythonToolset } from '../../../src/toolsets/python/python-toolset.ts';
import { shellToolset } from '../../../src/toolsets/shell/shell-toolset.ts';
import { workspaceToolset } from '../../../src/toolsets/workspace/workspace-toolset.ts';
import { git, makeRepository, put, trapConfig, useGitLikeAUser } from '../../files/git-traps.ts';
import { repeats } from '../../support/repeats.ts';
import { isInstalled, toolsetUnderTest, whyNoSandbox, type ToolsetUnderTest } from '../../tools/toolset-under-test.ts';

const reason = whyNoSandbox();
if (reason !== undefined) console.warn(`tests in a sandbox are skipped: ${reason}`);

let open: ToolsetUnderTest[] = [];
afterEach(async () => {
  for (const shell of open) {
    await shell.close();
    rmSync(shell.workspace, { recursive: true, force: true });
  }
  open = [];
});

function openShell(settings: JsonObject = {}): ToolsetUnderTest {
  const shell = toolsetUnderTest(shellToolset, { grace: '300ms', ...settings });
  open.push(shell);
  return shell;
}

/** Where a trap that was sprung leaves its mark: outside of the workspace and of the sandbox. */
function markerOf({ workspace }: ToolsetUnderTest): string {
  return `${workspace}.pwned`;
}

/** Bash functions for hostile commands: `conf` prints a configuration with traps, `bare` makes a repository of any name with it. */
function weapons(shell: ToolsetUnderTest): string {
  const { workspace } = shell;
  const marker = markerOf(shell);
  return `conf() { cat <<'END'
${trapConfig(marker, workspace)}END
}
confhere() { conf | grep -v worktree; }
bare() { mkdir -p "$1/objects" "$1/refs/heads" "$1/hooks"; echo 'ref: refs/heads/main' >"$1/HEAD"; conf >"$1/config"; hook "$1/hooks/post-index-change"; }
hook() { printf '#!/bin/sh\\ntouch ${marker}\\n' >"$1"; chmod +x "$1"; }
`;
}

/** Runs a hostile command in a subshell, so that the next one begins in the workspace again. */
async function attempt(shell: ToolsetUnderTest, command: string): Promise<void> {
  await shell.call('run_command', { command: `${weapons(shell)}(${command}\n)`, timeout: 60 });
}

/** Runs a hostile command, then works in the folder with git. */
async function attack(shell: ToolsetUnderTest, command: string): Promise<string> {
  const { content } = await shell.call('run_command', { command: weapons(shell) + command, timeout: 60 });
  useGitLikeAUser(shell.workspace, foldersIn(shell.workspace));
  return String(content);
}

const attacks: readonly (readonly [string, string])[] = [
  [
    'its own hooks and configuration',
    'for h in pre-commit post-checkout post-index-change reference-transaction; do hook .git/hooks/$h; done; confhere >.git/config; git config core.fsmonitor "touch x"',
  ],
  ['F36: a common folder, and commondir', 'bare docs/meta; rm docs/meta/HEAD; echo ../docs/meta >.git/commondir'],
  [
    'the configuration of a worktree, of attributes and of modules',
    'confhere >.git/config.worktree; mkdir -p .git/info .git/modules/x; echo "* filter=trap" >.git/info/attributes; confhere >.git/modules/x/config',
  ],
  [
    'git by its own commands',
    'git config core.hooksPath docs; git config --worktree core.fsmonitor "touch x"; git config include.path ../docs/c; git submodule add ./ sub; git worktree add ../wt; git worktree add wt',
  ],
  [
    'another repository in the place of its own',
    'mv .git old; rm -rf .git; mkdir .git; git init .; bare .git; mv docs .git; ln -sfn docs .git; ln -s docs/.git .git',
  ],
  ['a repository in a folder', 'git init -q docs; confhere >docs/.git/config; bare src/.git'],
  ['a repository in a new folder, deep down', 'mkdir -p a/b/c/d/e/f; cd a/b/c/d/e/f; git init -q .; confhere >.git/config'],
  [
    'bare repositories, under any name',
    'bare docs/meta; bare new/folder; git init -q --bare third; confhere >>third/config; bare .',
  ],
  [
    'a file that leads to a git folder',
    'bare meta; rm meta/hooks/*; for d in docs src new; do mkdir -p $d; echo "gitdir: ../meta" >$d/.git; done',
  ],
  [
    'a link that leads to a git folder',
    'bare meta; ln -s ../meta docs/.git; ln -s ../meta/HEAD src/HEAD; ln -s ../meta/objects ../meta/refs ../meta/config src/',
  ],
  [
    'links to folders that make a repository',
    'mkdir -p p/q; bare p/q; ln -s p/q/objects p/q/refs p/q/HEAD p/q/config .; ln -s p/q deep; ln -s ../p/q docs/q',
  ],
  [
    'a worktree',
    'bare common; mkdir wt; cp common/HEAD wt/; echo ../common >wt/commondir; echo "$PWD/docs/.git" >wt/gitdir; echo "gitdir: ../wt" >docs/.git',
  ],
  ['a folder that is renamed with its repository in it', 'mkdir -p m/g; bare m/g; mv m/g m/.git; mv m docs/m'],
  [
    'an archive',
    'mkdir -p t/x; bare t/x; (cd t && mv x .git && tar cf ../t.tar .git); rm -rf t; mkdir docs/out; tar xf t.tar -C docs/out; cp -r docs/out src/copy',
  ],
  [
    'a folder whose rights hide what is in it',
    'mkdir hidden; bare hidden/.git; chmod 000 hidden/.git; bare hidden2; chmod 311 hidden2',
  ],
  ['something new for each that is moved away', '(for i in $(seq 40); do bare again/.git; bare again$i/.git; sleep 0.1; done)'],
  [
    'hard links',
    'ln .git/config docs/config; ln .git/hooks/pre-commit.sample docs/hook; confhere >docs/config; mkdir docs/.git; ln a.txt docs/.git/HEAD',
  ],
  [
    'names that hold line breaks and odd characters',
    "mkdir -p $'a\\nb/c d'; bare $'a\\nb/c d/.git'; mkdir \"-n\"; bare ./-n/.git; bare $'\\xff\\xfe/.git'",
  ],
  [
    'what the configuration names',
    'mkdir -p tools/hooks; hook tools/hooks/pre-commit; hook tools/hooks/post-index-change; hook tools/watch.sh; confhere >tools/more; mv tools tools2; mkdir tools; hook tools/watch.sh',
  ],
];

describe.skipIf(reason !== undefined)('F36: a command in the sandbox plants nothing that git runs', () => {
  // All of them are tried without a repository, below, and the first four on one; sweeps try all on one.
  const fours = inFours(attacks);
  it.each(fours.slice(0, repeats(fours.length)))(
    '%s',
    async (_what, commands) => {
      const shell = openShell();
      makeRepository(shell.workspace);
      put(shell.workspace, 'tools/watch.sh', '#!/bin/sh\nexit 1\n');
      put(shell.workspace, 'tools/more', '');
      git(shell.workspace, 'config', 'core.hooksPath', 'tools/hooks');
      git(shell.workspace, 'config', 'core.fsmonitor', 'sh tools/watch.sh');
      git(shell.workspace, 'config', 'include.path', '../tools/more');
      for (const command of commands.slice(0, -1)) {
        await attempt(shell, command);
        put(shell.workspace, 'docs/a.md', 'text');
        put(shell.workspace, 'src/b.txt', 'text');
      }
      await attack(shell, commands.at(-1) ?? '');
      expect(existsSync(markerOf(shell))).toBe(false);
      expect(git(shell.workspace, 'log', '--oneline', 'main').trim()).not.toBe('');
    },
    120_000,
  );

  it('nor where the worktree itself is the folder of hooks, and work there goes on', async () => {
    const shell = openShell();
    makeRepository(shell.workspace);
    git(shell.workspace, 'config', 'core.hooksPath', shell.workspace);
    const answer = await attack(
      shell,
      'for h in pre-commit post-checkout post-index-change reference-transaction; do hook $h; done; echo done >new.txt; cat new.txt',
    );
    expect(existsSync(markerOf(shell))).toBe(false);
    expect(answer).toContain('done');
    expect(readdirSync(shell.workspace)).toContain('new.txt');
  }, 120_000);

  it('nor where there is no repository yet, by all of these ways', async () => {
    const shell = openShell();
    for (const [index, [, command]] of attacks.entries()) {
      put(shell.workspace, 'docs/a.md', 'text');
      put(shell.workspace, 'src/b.txt', 'text');
      const last = index === attacks.length - 1;
      if (last) await attack(shell, command);
      else await attempt(shell, command);
    }
    expect(existsSync(markerOf(shell))).toBe(false);
    expect(existsSync(path.join(shell.workspace, '.git'))).toBe(false);
  }, 300_000);

  it('says what was moved where, and how a person allows it; the call is an error', async () => {
    const shell = openShell();
    const answer = await shell.call('run_command', {
      command: 'git init -q sub; mkdir .zed; echo x >.zed/tasks.json; echo x >.bashrc',
    });
    expect(answer.isError).toBe(true);
    expect(answer.content).toMatch(/"sub\/\.git" \(read by git\): now "\.cadre\/quarantine\//);
    expect(answer.content).toMatch(/"\.zed" \(read by editors\)/);
    expect(answer.content).toMatch(/"\.bashrc" \(read by shells\)/);
    expect(answer.content).toContain('allow_writes: [');
    expect(readdirSync(shell.workspace).toSorted()).toEqual(['.cadre', 'sub']);
    expect((await shell.call('run_command', { command: 'ls -A; touch fine' })).isError).toBeUndefined();
  });

  it('a link on the way to what would be read there is moved itself; what it leads to, and other links, stay', async () => {
    const shell = openShell();
    const answer = await shell.call('run_command', {
      command: `mkdir c sub .config; echo x >c/config.toml; ln -s c .cargo; ln -s ../c sub/.cargo; ln -s ../c .config/fish; ln -s c library; ln -s c link`,
    });
    expect(answer.isError).toBe(true);
    for (const place of ['.cargo', 'sub/.cargo', '.config/fish'])
      expect(answer.content).toMatch(new RegExp(`"${place}" \\(read by [^)]+\\): now "`));
    expect(existsSync(path.join(shell.workspace, '.cargo/config.toml'))).toBe(false);
    expect(readdirSync(shell.workspace).toSorted()).toEqual(['.cadre', '.config', 'c', 'library', 'link', 'sub']);
    expect(readdirSync(path.join(shell.workspace, 'c'))).toEqual(['config.toml']);
    expect(readdirSync(path.join(shell.workspace, 'sub'))).toEqual([]);
  });

  it('ordinary work goes on: sources, packages, and looking at the repository', async () => {
    const shell = openShell();
    makeRepository(shell.workspace);
    const answer = await shell.call('run_command', {
      command: `echo more >>a.txt; mkdir -p node_modules/p/.vscode lib; echo x >node_modules/p/.eslintrc; echo x >lib/HEAD; echo x >config
git status --porcelain && git diff --stat && git log --oneline && git show HEAD --stat`,
    });
    expect(answer).toMatchObject({
      content: expect.stringMatching(/exit code 0[^]*M a\.txt[^]*a\.txt \| 1 \+[^]*first/) as unknown,
    });
    expect(answer.isError).toBeUndefined();
    expect(git(shell.workspace, 'status', '--porcelain')).toContain(' M a.txt');
  });

  it('allow_writes opens what it names: commits are made, and a repository of a new name', async () => {
    const shell = openShell({ allow_writes: ['.git', 'sub/.vscode'] });
    makeRepository(shell.workspace);
    const answer = await shell.call('run_command', {
      command: `git config user.name a; git config user.email a@b; echo more >>a.txt; git commit -qam second; git init -q sub; mkdir sub/.vscode other; mkdir other/.vscode; git log --oneline`,
    });
    expect(answer.content).toMatch(/second[^]*"other\/\.vscode"/);
    expect(git(shell.workspace, 'log', '--oneline')).toContain('second');
    expect(readdirSync(path.join(shell.workspace, 'sub')).toSorted()).toEqual(['.git', '.vscode']);
  });

  it('a command in the background is watched, and ended when it plants the same again', async () => {
    const shell = openShell();
    const command = `${weapons(shell)} while :; do bare sub/.git 2>/dev/null; sleep 0.05; done`;
    const started = await shell.run('run_command', { command, background: true });
    const id = /^(c\d+)/.exec(started)?.[1] ?? '';
    let said = '';
    for (let round = 0; round < 10 && !said.includes('stopped'); round += 1)
      said = await shell.run('read_command_output', { id, wait: 5 });
    expect(said).toMatch(/went on writing files that make other programs run something[^]*"sub\/\.git"/);
    useGitLikeAUser(shell.workspace, ['sub']);
    expect(existsSync(markerOf(shell))).toBe(false);
  });

  it('what file tools write with a person’s agreement stays, also while a command runs', async () => {
    const shell = openShell();
    const files = toolsetUnderTest(workspaceToolset, { allow_writes: ['deep/.vscode'] });
    open.push(files);
    const context = { ...files.context, workspace: shell.workspace };
    await shell.run('run_command', { command: 'sleep 100', background: true });
    await files.run('write_file', { path: 'deep/.vscode/tasks.json', content: '{}' }, context);
    await shell.run('run_command', { command: 'sleep 2.5' });
    expect(readFileSync(path.join(shell.workspace, 'deep/.vscode/tasks.json'), 'utf8')).toBe('{}');
  });

  it('a link in the way leads the move nowhere', async () => {
    const shell = openShell();
    const outside = openShell();
    put(outside.workspace, 'sub/.git/HEAD', 'mine');
    const answer = await shell.call('run_command', {
      command: `mkdir -p a/sub; ln -s ${outside.workspace} b; (for i in $(seq 300); do mkdir -p a/sub/.git; mv a c; ln -s ${outside.workspace} a; rm a; mv c a; done)`,
    });
    expect(String(answer.content)).toMatch(/"[ac]\/sub\/\.git"/);
    expect(readFileSync(path.join(outside.workspace, 'sub/.git/HEAD'), 'utf8')).toBe('mine');
  });

  it('no shell of a user who works there runs anything of it', async () => {
    const shell = openShell();
    await attack(
      shell,
      'for f in .bashrc .bash_profile .profile .zshenv .zshrc .envrc .inputrc; do hook $f; hook docs/$f; done; mkdir -p .config/fish; hook .config/fish/config.fish',
    );
    for (const [program, ...args] of [
      ['bash', '-lic', 'exit'],
      ['bash', '-ic', 'exit'],
      ['sh', '-lc', 'exit'],
      ['zsh', '-ic', 'exit'],
    ])
      spawnSync(program ?? '', args, {
        cwd: shell.workspace,
        env: { PATH: process.env['PATH'], HOME: shell.workspace },
        timeout: 10_000,
      });
    expect(existsSync(markerOf(shell))).toBe(false);
  });
});

describe.skipIf(reason !== undefined || !isInstalled('python3'))('python in the sandbox', () => {
  it('F36: plants nothing either', async () => {
    const python = toolsetUnderTest(pythonToolset, {});
    open.push(python);
    mkdirSync(path.join(python.workspace, 'docs'));
    const answer = await python.call('run_python', {
      code: `import os\nos.makedirs("docs/.git/objects"); os.makedirs("docs/.git/refs")\nopen("docs/.git/HEAD","w").write("ref: refs/heads/main\\n")\nopen("sitecustomize.py","w").write("x")`,
    });
    expect(answer.isError).toBe(true);
    expect(answer.content).toMatch(/"docs\/\.git" \(read by git\)[^]*|"sitecustomize\.py" \(read by interpreters\)/);
    expect(readdirSync(path.join(python.workspace, 'docs'))).toEqual([]);
  });
});

/** Attacks four to a workspace: a sandbox and a repository for each would take most of the time. */
function inFours(all: typeof attacks): readonly (readonly [names: string, commands: readonly string[]])[] {
  return Array.from({ length: Math.ceil(all.length / 4) }, (_, index) => {
    const four = all.slice(index * 4, index * 4 + 4);
    return [four.map(([name]) => name).join('; '), four.map(([, command]) => command)] as const;
  });
}

/** All folders below one, without git's own and what is kept apart. */
function foldersIn(folder: string): readonly string[] {
  const names = execFileSync(
    'find',
    ['.', '-not', '-path', './.git/*', '-not', '-path', './.cadre*', '-not', '-type', 'f', '-print0'],
    {
      cwd: folder,
      encoding: 'latin1',
      stdio: ['ignore', 'pipe', 'ignore'],
    },
  );
  return names
    .split('\0')
    .filter((name) => !/^$|^\.$|\/(objects|hooks)\b/.test(name))
    .slice(0, 150);
}
