import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { git, makeRepository, put } from './git-traps.ts';

/** Folder that an agent works in, and what it would have to write there to make git run something. */
export interface Situation {
  /** Folder of the agent. */
  readonly workspace: string;
  /** Files to plant, relative to the workspace, with their texts. */
  readonly plants: readonly (readonly [file: string, text: string])[];
  /** Folders where the user works with git afterwards. */
  readonly used: readonly string[];
  /** Command that the user begins with. */
  readonly first?: string;
}

/** A trial in a fresh folder: everything in `outside`, where also the user's configuration and the marker of a sprung trap are. */
export interface Trial {
  readonly outside: string;
  readonly marker: string;
  /** The file of the user's own configuration. */
  readonly userConfig: string;
}

/** Environment of a user whose own configuration is that of a trial. */
export function userEnvironment({ outside, userConfig }: Trial): Record<string, string> {
  return {
    PATH: process.env['PATH'] ?? '',
    HOME: join(outside, 'home'),
    GIT_CONFIG_GLOBAL: userConfig,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    LC_ALL: 'C',
    GIT_EDITOR: 'true',
  };
}

/** Works with git as a user does: looks, commits, fetches, changes branches, with the user's own configuration. What fails, fails. */
export function workAsUser(trial: Trial, { used, first = 'true' }: Situation): void {
  const script = `${first}; date > work-of-the-user.txt; git status; git diff; git add -A; git commit -q -m 'by the user'; git fetch --all; git checkout -b another`;
  const names = {
    GIT_AUTHOR_NAME: 't',
    GIT_AUTHOR_EMAIL: 't@example.com',
    GIT_COMMITTER_NAME: 't',
    GIT_COMMITTER_EMAIL: 't@example.com',
  };
  for (const cwd of used)
    spawnSync('sh', ['-c', script], { cwd, env: { ...userEnvironment(trial), ...names }, stdio: 'ignore', timeout: 60_000 });
}

/** Writes the plants past all tools, to show that git does run them. */
export function plantAnyway({ workspace, plants }: Situation): void {
  for (const [file, text] of plants) {
    put(workspace, file, text);
    chmodSync(join(workspace, file), 0o755);
  }
}

const hook = ({ marker }: Trial): string => `#!/bin/sh\ntouch ${marker}\n`;
const trap = ({ marker }: Trial): string => `[core]\n\tfsmonitor = "touch ${marker}; false"\n`;

function project({ outside }: Trial): string {
  const folder = join(outside, 'project');
  mkdirSync(folder);
  makeRepository(folder);
  return folder;
}

function configure({ outside, userConfig }: Trial, text: string): void {
  mkdirSync(join(outside, 'home'), { recursive: true });
  put(dirname(userConfig), userConfig.slice(dirname(userConfig).length + 1), text);
}

/** Situations in which git runs, or reads as configuration, a file of the workspace that has an ordinary name. */
export const situations: Readonly<Record<string, (trial: Trial) => Situation>> = {
  'an included file that does not exist yet': (trial) => {
    const workspace = project(trial);
    git(workspace, 'config', 'include.path', '../team/shared.cfg');
    return { workspace, plants: [['team/shared.cfg', trap(trial)]], used: [workspace] };
  },
  'a file that an included file includes': (trial) => {
    const workspace = project(trial);
    put(trial.outside, 'first.cfg', `[include]\n\tpath = ${workspace}/team/second.cfg\n`);
    git(workspace, 'config', 'include.path', join(trial.outside, 'first.cfg'));
    return { workspace, plants: [['team/second.cfg', trap(trial)]], used: [workspace] };
  },
  'what a linked worktree includes by its own configuration': (trial) => {
    const main = project(trial);
    const workspace = join(trial.outside, 'linked');
    git(main, 'config', 'extensions.worktreeConfig', 'true');
    git(main, 'worktree', 'add', '-q', workspace);
    git(workspace, 'config', '--worktree', 'core.hooksPath', 'tools/checks');
    return { workspace, plants: [['tools/checks/pre-commit', hook(trial)]], used: [workspace] };
  },
  'a linked worktree in the workspace, named from elsewhere in it': (trial) => {
    const workspace = project(trial);
    git(workspace, 'config', 'extensions.worktreeConfig', 'true');
    git(workspace, 'worktree', 'add', '-q', 'trees/one');
    git(join(workspace, 'trees/one'), 'config', '--worktree', 'core.hooksPath', '../../src/checks');
    return { workspace, plants: [['src/checks/pre-commit', hook(trial)]], used: [join(workspace, 'trees/one')] };
  },
  'a relative folder of hooks in the user’s own configuration': (trial) => {
    configure(trial, '[core]\n\thooksPath = team-hooks\n');
    const workspace = project(trial);
    return { workspace, plants: [['team-hooks/pre-commit', hook(trial)]], used: [workspace] };
  },
  'a relative folder of hooks of the user, in a folder that is no repository yet': (trial) => {
    configure(trial, '[core]\n\thooksPath = team-hooks\n[init]\n\tdefaultBranch = main\n');
    const workspace = join(trial.outside, 'project');
    mkdirSync(workspace);
    return { workspace, plants: [['team-hooks/pre-commit', hook(trial)]], used: [workspace], first: 'git init -q' };
  },
  'a relative monitor in the user’s own configuration': (trial) => {
    configure(trial, '[core]\n\tfsmonitor = sh scripts/watch.sh\n');
    const workspace = project(trial);
    return { workspace, plants: [['scripts/watch.sh', hook(trial)]], used: [workspace] };
  },
  'a file that the user’s own configuration includes for this folder': (trial) => {
    const workspace = project(trial);
    configure(trial, `[includeIf "gitdir:${workspace}/"]\n\tpath = ${workspace}/team/user.cfg\n`);
    return { workspace, plants: [['team/user.cfg', trap(trial)]], used: [workspace] };
  },
  'hooks named by a file that the user’s configuration includes for this folder only': (trial) => {
    const workspace = project(trial);
    put(trial.outside, 'work.cfg', '[core]\n\thooksPath = work-hooks\n');
    configure(trial, `[includeIf "gitdir:${workspace}/"]\n\tpath = ../work.cfg\n`);
    return { workspace, plants: [['work-hooks/pre-commit', hook(trial)]], used: [workspace] };
  },
  'a file that is included on another branch': (trial) => {
    const workspace = project(trial);
    git(workspace, 'config', 'includeIf.onbranch:feature.path', '../feature.cfg');
    return { workspace, plants: [['feature.cfg', trap(trial)]], used: [workspace], first: 'git checkout -q -b feature' };
  },
  'what a file names that is included on another branch': (trial) => {
    const workspace = project(trial);
    put(trial.outside, 'feature.cfg', '[core]\n\thooksPath = feature-hooks\n');
    git(workspace, 'config', 'includeIf.onbranch:feature.path', join(trial.outside, 'feature.cfg'));
    return {
      workspace,
      plants: [['feature-hooks/post-index-change', hook(trial)]],
      used: [workspace],
      first: 'git checkout -q -b feature',
    };
  },
  'a file that is included for a remote': (trial) => {
    const workspace = project(trial);
    git(workspace, 'remote', 'add', 'origin', 'https://git.example/team/project');
    git(workspace, 'config', 'includeIf.hasconfig:remote.*.url:https://git.example/**.path', '../remote.cfg');
    return { workspace, plants: [['remote.cfg', trap(trial)]], used: [workspace] };
  },
  'hooks of a submodule that lie outside of it': (trial) => {
    const workspace = project(trial);
    const library = join(trial.outside, 'library');
    mkdirSync(library);
    makeRepository(library);
    git(workspace, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', library, 'lib');
    git(join(workspace, 'lib'), 'config', 'core.hooksPath', '../checks');
    return { workspace, plants: [['checks/pre-commit', hook(trial)]], used: [join(workspace, 'lib')] };
  },
  'a bare repository with a worktree in the workspace': (trial) => {
    const workspace = join(trial.outside, 'project');
    mkdirSync(workspace);
    git(workspace, 'init', '-q', '--bare', 'store');
    mkdirSync(join(workspace, 'files'));
    git(join(workspace, 'store'), 'config', 'core.bare', 'false');
    git(join(workspace, 'store'), 'config', 'core.worktree', '../files');
    git(join(workspace, 'store'), 'config', 'core.hooksPath', 'checks');
    put(workspace, 'files/a.txt', 'text');
    return { workspace, plants: [['files/checks/pre-commit', hook(trial)]], used: [join(workspace, 'store')] };
  },
  'a workspace that is a subfolder of the repository': (trial) => {
    const root = project(trial);
    const workspace = join(root, 'src');
    git(root, 'config', 'core.hooksPath', 'src/checks');
    return { workspace, plants: [['checks/pre-commit', hook(trial)]], used: [root] };
  },
  'a script in a path below the worktree that the configuration writes as a command': (trial) => {
    const workspace = project(trial);
    git(workspace, 'config', 'core.fsmonitor', 'sh "$(git rev-parse --show-toplevel)/scripts/watch.sh"');
    return { workspace, plants: [['scripts/watch.sh', hook(trial)]], used: [workspace] };
  },
  'a script that a command enters its folder for': (trial) => {
    const workspace = project(trial);
    git(workspace, 'config', 'core.fsmonitor', 'cd scripts && ./watch.sh');
    return { workspace, plants: [['scripts/watch.sh', hook(trial)]], used: [workspace] };
  },
  'the program that a remote is reached with': (trial) => {
    const workspace = project(trial);
    git(workspace, 'remote', 'add', 'origin', './nowhere');
    git(workspace, 'config', 'remote.origin.uploadpack', './scripts/upload');
    mkdirSync(join(workspace, 'nowhere'));
    git(join(workspace, 'nowhere'), 'init', '-q', '--bare', '.');
    return { workspace, plants: [['scripts/upload', hook(trial)]], used: [workspace] };
  },
  'an address that is a command': (trial) => {
    configure(trial, '[protocol "ext"]\n\tallow = always\n[url "ext::sh scripts/connect.sh %S "]\n\tinsteadOf = "team:"\n');
    const workspace = project(trial);
    git(workspace, 'remote', 'add', 'origin', 'team:project');
    return { workspace, plants: [['scripts/connect.sh', hook(trial)]], used: [workspace] };
  },
};

const names = ['HOME', 'GIT_CONFIG_GLOBAL', 'GIT_CONFIG_NOSYSTEM'] as const;

/** Makes a trial in a folder; this process has the configuration of its user until the returned function is called. */
export function beginTrial(outside: string): { readonly trial: Trial; readonly end: () => void } {
  const trial = { outside, marker: join(outside, 'pwned'), userConfig: join(outside, 'home/user.cfg') };
  const environment = userEnvironment(trial);
  const before = names.map((name) => [name, process.env[name]] as const);
  for (const name of names) process.env[name] = environment[name];
  const end = (): void => {
    for (const [name, value] of before)
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
  };
  return { trial, end };
}
