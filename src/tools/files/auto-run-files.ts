import { plainName } from './plain-name.ts';

/** A path, or the beginning of one, that makes another program run something. */
export interface AutoRunPlace {
  /** The file or folder that is read, as the path spells it, such as `sub/.git`. */
  readonly place: string;
  /** Who reads it, in words: `git`, `shells`. */
  readonly reader: string;
}

/**
 * Files and folders that make other programs run something when these are next used, with nobody asking for it: the one list that file
 * tools, sandboxes and scans of the workspace share. Each entry stands for a name, or for several parts in a row, anywhere in a path,
 * with all that lies below it; `*` is any part of a name.
 *
 * Not in it is what is run because somebody runs it: sources, tests, `package.json`, `Makefile`, `setup.py`, `setup.cfg`, `vite.config.ts`,
 * workflows of a CI. What an agent writes there is its work, and whoever runs it runs the agent's code. Nor are files that only format
 * (`.editorconfig`) or hide (`.gitignore`) in it.
 */
const autoRunFiles: Readonly<Record<string, readonly string[]>> = {
  // All of `.git`, whether folder, link or file (`gitdir:`): hooks and config run commands, and `commondir` leads to another config.
  // Attributes choose the filters and drivers of the user's own configuration, and what these are fed with.
  git: ['.git', '.gitconfig', '.gitmodules', '.gitattributes', '.githooks', '.lfsconfig', '.config/git'],
  'version control': ['.hg', '.jj', '.sl', '.svn', '.bzr'],
  shells: [
    '.*rc',
    '.profile',
    '.*_profile',
    '.*_login',
    '.*_logout',
    '.*_aliases',
    '.login',
    '.logout',
    '.zshenv',
    '.zprofile',
    '.zlogin',
    '.zlogout',
    '.xprofile',
    '.xsession',
    '.pam_environment',
    '.tmux.conf',
    '.ssh',
    '.gnupg',
    '.direnv',
    '.config/fish',
    '.config/powershell',
    '.config/environment.d',
  ],
  'the desktop': ['.config/autostart', '.config/systemd', '.local/bin', '.local/share/applications', 'library/launchagents'],
  editors: [
    '.vscode',
    '.vs',
    '*.code-workspace',
    '.idea',
    '.fleet',
    '.zed',
    '.nova',
    '.helix',
    '.vim',
    '.nvim',
    '.nvim.lua',
    '.nvimrc.lua',
    '_vimrc',
    '.config/nvim',
    '.config/vim',
    '.emacs',
    '.emacs.d',
    '.config/emacs',
    '.dir-locals.el',
    '.dir-locals-2.el',
    '.externaltoolbuilders',
  ],
  'package managers': [
    '.yarnrc.*',
    '.yarn/releases',
    '.yarn/plugins',
    '.yarn/sdks',
    '.pnpmfile.*',
    'pnpmfile.js',
    '.tool-versions',
    'mise.toml',
    '.mise.toml',
    'mise.*.toml',
    '.mise.*.toml',
    '.mise',
    '.rtx.toml',
    '.config/mise',
    '.config/mise.toml',
    'pip.conf',
    'pip.ini',
    '.pip',
    '.config/pip',
    '.cargo/config',
    '.cargo/config.toml',
    '.cargo/env',
    '.gradle/init.d',
    '.gradle/init.gradle',
    '.gradle/init.gradle.kts',
    '.gradle/gradle.properties',
  ],
  'hooks of git': [
    '.husky',
    '.pre-commit-config.yaml',
    '.pre-commit-hooks.yaml',
    'lefthook*.yml',
    'lefthook*.yaml',
    'lefthook*.toml',
    '.lefthook*',
    '.overcommit.yml',
    '.simple-git-hooks.*',
  ],
  interpreters: [
    'sitecustomize.py',
    'usercustomize.py',
    '.pythonstartup',
    '.ipython',
    '.jupyter',
    '.rprofile',
    '.renviron',
    '.gdbinit',
    '.lldbinit',
    '.ghci',
    '.ocamlinit',
    '.iex.exs',
    '.my.cnf',
    '.julia/config',
  ],
  'other agents': [
    '.claude',
    '.claude.json',
    '.codex',
    '.gemini',
    '.qwen',
    '.cursor',
    '.windsurf',
    '.continue',
    '.cline',
    '.roo',
    '.kiro',
    '.amazonq',
    '.trae',
    '.junie',
    '.augment',
    '.goose',
    '.factory',
    '.crush',
    '.crush.json',
    'crush.json',
    '.opencode',
    'opencode.json',
    'opencode.jsonc',
    '.openhands',
    '.agents',
    '.aider*',
    '.mcp.json',
    '.devcontainer',
    '.devcontainer.json',
  ],
  Cadre: ['.cadre', 'agent_profiles'],
};

/** The first part of a clean relative path that makes another program run something; undefined when there is none. */
export function autoRunPlace(path: string): AutoRunPlace | undefined {
  const parts = path.split('/');
  const names = parts.map(plainName);
  for (let at = 0; at < names.length; at += 1) {
    const found = endingAt(names, at);
    if (found !== undefined) return { place: parts.slice(0, at + 1).join('/'), reader: found };
  }
  return undefined;
}

interface Rule {
  /** The parts before the last one, from the last to the first. */
  readonly before: readonly string[];
  readonly reader: string;
}

const exact = new Map<string, Rule[]>();
const patterns: { readonly test: RegExp; readonly rule: Rule }[] = [];
for (const [reader, entries] of Object.entries(autoRunFiles))
  for (const entry of entries) {
    const [last = '', ...before] = entry.split('/').toReversed();
    const rule = { before, reader };
    if (last.includes('*')) patterns.push({ test: toRegExp(last), rule });
    else exact.set(last, [...(exact.get(last) ?? []), rule]);
  }

/** Who reads the file or folder that the parts up to `at` name. */
function endingAt(names: readonly string[], at: number): string | undefined {
  const name = names[at] ?? '';
  const fits = ({ before }: Rule): boolean => before.every((part, index) => names[at - 1 - index] === part);
  const named = exact.get(name)?.find(fits);
  return (named ?? patterns.find(({ test, rule }) => test.test(name) && fits(rule))?.rule)?.reader;
}

function toRegExp(pattern: string): RegExp {
  return new RegExp(`^${pattern.split('*').map(RegExp.escape).join('.*')}$`, 's');
}
