import { reader, type AutoRunReader } from './auto-run-reader.ts';
import { services } from './auto-run-services.ts';
import { compileNameRules, type NameRules } from './name-rules.ts';

/**
 * Auto-run files: files and folders that make another program, or another agent, run or load code the next time it is used, without a
 * person asking for that. File tools, sandboxes and scans of the workspace share this one list.
 *
 * The rule: a file is listed when it is read because a person opens a folder in an editor, a shell or another agent, looks at it with
 * version control, starts an interpreter or a debugger there, or pushes a commit; or when it replaces a program that the person means. It is not listed when it runs only because a person runs the agent's code: sources, tests, `package.json`, `Makefile`,
 * `setup.py`, `conftest.py`, and the configuration of builds and test runners (`vite.config.ts`, `jest.config.js`). Manifests that also
 * configure a linter (`pyproject.toml`, `setup.cfg`, `tox.ini`, `package.json`) are not listed either: no project can be written without
 * them. Nor are files that only format (`.editorconfig`) or hide (`.gitignore`).
 */
const readers = {
  git: [
    // All of `.git`, whether folder, link or file (`gitdir:`): hooks and config run commands, and `commondir` points to another config.
    reader('git', 'at every command', '.git .gitconfig .gitmodules .config/git'),
    // Attributes select filters and drivers of the user's own configuration, and their input.
    reader('git', 'when it reads or writes files', '.gitattributes .lfsconfig'),
    reader('git', 'at commits, by a common setting', '.githooks'),
  ],
  'version control': [
    reader('Mercurial', 'at every command', '.hg'),
    reader('Jujutsu, Sapling, Subversion or Bazaar', 'at every command', '.jj .sl .svn .bzr'),
    reader('Darcs, Pijul, Fossil or Monotone', 'at its commands', '_darcs .pijul _fossil_ .fslckout .fossil-settings _mtn'),
  ],
  'hooks of git': [
    reader('husky, pre-commit, lefthook or overcommit', 'at commits', '.husky .pre-commit-config.yaml .pre-commit-hooks.yaml'),
    reader('lefthook', 'at commits', 'lefthook*.yml lefthook*.yaml lefthook*.toml .lefthook*'),
    reader('overcommit or simple-git-hooks', 'at commits', '.overcommit.yml .simple-git-hooks.*'),
    reader('lint-staged or commitlint', 'at commits', '.lintstagedrc.* lint-staged.config.* .commitlintrc.* commitlint.config.*'),
    reader('other managers of hooks', 'at commits', 'captainhook.json grumphp.y* .rusty-hook.toml .nano-staged.* prek.toml hk.pkl'),
  ],
  shells: [
    // Also start-up files of many other programs: .vimrc, .npmrc, .irbrc, .envrc, .psqlrc, .gdbrc …
    reader('a program with this name', 'when it starts', '.*rc .*rc.local .*rc.d .*rc.js .*rc.cjs .*rc.mjs .*rc.ts .*rc.py'),
    reader(
      'sh or bash',
      'when a shell starts or ends',
      '.profile .*_profile .*_login .*_logout .*_aliases .bash_* .selected_editor .oh-my-bash',
    ),
    reader('zsh', 'when a shell starts or ends', '.zshenv .zprofile .zlogin .zlogout .z*.zwc .zcompdump* .p10k.zsh'),
    reader('csh or tcsh', 'when a shell starts or ends', '.login .logout'),
    reader('fish, Nushell, Elvish, xonsh or PowerShell', 'when a shell starts', '.config/fish .config/nushell .config/elvish'),
    reader('xonsh, PowerShell or zsh', 'when a shell starts', '.config/xonsh .config/powershell .config/zsh .oh-my-zsh'),
    reader('a prompt', 'before each line', '.config/starship.toml'),
    reader(
      'a terminal',
      'when it starts',
      '.tmux.conf .config/tmux .config/kitty .config/wezterm .config/ghostty .config/alacritty .wezterm.lua',
    ),
    reader('less', 'when a pager opens', '.lesskey .less .config/lesskey'),
    reader('ssh or gpg', 'when git or a shell connects or signs', '.ssh .gnupg'),
  ],
  'the desktop': [
    reader('a session', 'when a person logs in', '.xprofile .xsession .xinitrc .pam_environment .config/environment.d'),
    reader(
      'a session',
      'when a person logs in',
      '.config/autostart .config/systemd library/launchagents .config/i3 .config/sway .config/hypr',
    ),
    reader(
      'a session',
      'when a program is called by its name',
      '.local/bin .local/share/applications .cargo/bin .volta .nvm .pyenv .rbenv',
    ),
  ],
  editors: [
    reader('VS Code and its relatives', 'when the folder is opened', '.vscode .vscode-server *.code-workspace .config/code'),
    reader('Visual Studio', 'when the folder is opened', '.vs'),
    reader('JetBrains IDEs', 'when the folder is opened', '.idea .fleet *.ipr *.iws'),
    reader('Eclipse', 'when the project is opened', '.project .externaltoolbuilders .factorypath .settings'),
    reader(
      'Zed, Nova, Helix or Sublime Text',
      'when the folder is opened',
      '.zed .nova .helix .config/zed .config/helix *.sublime-project',
    ),
    reader(
      'Vim or Neovim',
      'when it starts in the folder',
      '.vim .nvim .nvim.lua .nvimrc.lua _vimrc _gvimrc _exrc .config/nvim .config/vim',
    ),
    reader('plug-ins of Vim', 'when a file is opened', '.lazy.lua .neoconf.json .ycm_extra_conf.py .vimrc.*'),
    reader(
      'Emacs',
      'when it starts or a file is opened',
      '.emacs .emacs.el .emacs.d .config/emacs .doom.d .spacemacs .dir-locals.el .dir-locals-2.el',
    ),
    reader('Kate, Kakoune or Lite XL', 'when a file is opened', '.kateproject* .config/kak .lite_project.lua'),
    reader(
      'language servers',
      'when a file is opened',
      '.merlin hie.yaml .luarc.json .luarc.jsonc .solargraph.yml .phan steepfile',
    ),
    reader(
      'language servers',
      'when the folder is opened',
      // Each may name a program to start: a build server, a check, a way to find the classpath, a provider.
      '.bsp buildserver.json .sourcekit-lsp .lsp .calva rust-analyzer.toml .rust-analyzer.toml omnisharp.json .terraform',
    ),
  ],
  'linters and formatters': [
    reader('ESLint', 'when an editor checks a file', 'eslint.config.* .eslintrc.* .eslint-plugin-local .xo-config.* xo.config.*'),
    reader('Prettier', 'when an editor saves a file', '.prettierrc.* prettier.config.*'),
    reader('Stylelint', 'when an editor checks a file', '.stylelintrc.* stylelint.config.*'),
    reader(
      'oxlint, dprint or TSLint',
      'when an editor checks or saves a file',
      '.oxlintrc.* oxlint.config.* dprint.json* .dprint.json* tslint.*',
    ),
    reader(
      'markdownlint, remark or textlint',
      'when an editor checks a file',
      '.markdownlint-cli2.* .markdownlint.*js .remarkrc.* .textlintrc.*',
    ),
    reader('cspell', 'when an editor checks a file', 'cspell.* .cspell.*'),
    reader('SQLFluff or latexmk', 'when an editor checks or saves a file', '.sqlfluff latexmkrc'),
    reader(
      'tools for APIs',
      'when an editor opens the folder',
      '.spectral.* redocly.* .redocly.* graphql.config.* .graphqlrc.* apollo.config.*',
    ),
    reader(
      'Vetur, Dart or PowerShell',
      'when a file is opened',
      'vetur.config.* analysis_options.yaml psscriptanalyzersettings.psd1',
    ),
    reader('Pylint', 'when an editor checks a file', 'pylintrc .pylintrc.* pylintrc.toml'),
    reader('Flake8 or mypy', 'when an editor checks a file', '.flake8 mypy.ini .mypy.ini'),
    reader('RuboCop', 'when an editor checks a file', '.rubocop .rubocop*.yml .config/rubocop .standard.yml'),
    reader(
      'HAML-Lint, Slim-Lint or ERB Lint',
      'when an editor checks a file',
      '.haml-lint.yml .slim-lint.yml .erb_lint.yml .erb-lint.yml',
    ),
    reader(
      'PHP tools',
      'when an editor checks or saves a file',
      '.php-cs-fixer.* .php_cs* phpstan.neon* phpstan.dist.neon psalm.xml* phpcs.xml* .phpcs.xml*',
    ),
    reader('Credo, Dialyxir or mix format', 'when an editor checks or saves a file', '.*.exs'),
    reader('lintr', 'when an editor checks a file', '.lintr .lintr.r'),
    reader(
      'golangci-lint, TFLint or Scalafix',
      'when an editor checks a file',
      '.golangci.* .custom-gcl.* .tflint.hcl .tflint.d .scalafix.conf',
    ),
    reader('Ansible', 'when an editor checks a file', 'ansible.cfg .ansible.cfg .ansible-lint*'),
  ],
  'package managers': [
    reader('npm', 'when it starts', '.npm-init.js .npm-init.mjs'),
    reader('Yarn', 'when it starts', '.yarnrc.* .yarn/releases .yarn/plugins .yarn/sdks'),
    reader('Node and editors, through Yarn', 'when a program starts', '.pnp.cjs .pnp.js .pnp.loader.mjs .pnp.data.json'),
    reader('pnpm', 'when it starts', '.pnpmfile.* pnpmfile.js'),
    reader('Bun', 'when it starts', 'bunfig.toml .bunfig.toml'),
    reader('Bundler', 'when it starts', '.bundle/config .bundle/plugin'),
    reader('pip', 'when it starts', 'pip.conf pip.ini .pip .config/pip'),
    reader('uv or Poetry', 'when it starts', 'uv.toml .config/uv .config/pypoetry poetry.toml'),
    // A toolchain may be a path: its `cargo` and `rustc` are what runs next.
    reader('Cargo and rustup', 'when they start', '.cargo/config .cargo/config.toml .cargo/env rust-toolchain rust-toolchain.toml'),
    reader('Gradle', 'when it starts', '.gradle/init.d .gradle/init.gradle .gradle/init.gradle.kts .gradle/gradle.properties'),
    reader('Maven', 'when it starts', '.mvn .m2'),
  ],
  environments: [
    reader(
      'direnv, mise or asdf',
      'when a shell enters the folder',
      '.direnv .tool-versions mise.toml .mise.toml mise.*.toml .mise.*.toml .mise',
    ),
    reader(
      'mise',
      'when a shell enters the folder',
      '.rtx.toml .config/mise .config/mise.toml mise/config.toml mise/config.*.toml mise/conf.d',
    ),
    reader('direnv', 'when a shell enters the folder', '.envrc.* .config/direnv'),
    reader('autoenv', 'when a shell enters the folder', '.autoenv .autoenv.* .autoenv_*'),
    reader(
      'Nix',
      'when a shell or an editor enters the folder through direnv',
      'flake.nix flake.lock shell.nix default.nix .nixpkgs .config/nixpkgs',
    ),
    reader(
      'devenv, Devbox or Flox',
      'when a shell enters the folder',
      'devenv.nix devenv.yaml devenv.lock .devenv devbox.json .devbox .flox',
    ),
    reader(
      'editors, shells and Python',
      'when they choose a Python',
      '.venv venv/bin venv/scripts env/bin env/scripts pyvenv.cfg .conda conda-meta .pixi',
    ),
    reader(
      'editors and shells',
      'when they choose a Python',
      'bin/python bin/python3 bin/python3.* bin/activate bin/activate.* bin/activate_this.py __pypackages__',
    ),
    reader('Python', 'at every start', 'site-packages/*.pth dist-packages/*.pth'),
    reader('a shell', 'instead of a program with the same name', 'node_modules/.bin'),
  ],
  interpreters: [
    reader('Python', 'at every start', 'sitecustomize.py usercustomize.py .pythonstartup .pythonrc.py'),
    // A console imports these two from the folder where it starts.
    reader('a console of Python', 'when it starts in the folder', 'readline.py rlcompleter.py'),
    reader('IPython or Jupyter', 'when it starts', '.ipython .jupyter jupyter*_config.py jupyter*_config.json ipython_config.py'),
    reader('R', 'when it starts in the folder', '.rprofile .renviron .rdata renv/activate.r'),
    reader('Ruby', 'when a console starts in the folder', 'irb.rc _irbrc $irbrc .config/irb'),
    reader('a debugger', 'when it starts in the folder', '.gdbinit .gdbearlyinit .lldbinit* .perldb'),
    reader('GHCi, OCaml, Julia or Erlang', 'when a console starts in the folder', '.ghci .ocamlinit .julia/config .erlang'),
    reader('gnuplot or MATLAB', 'when it starts in the folder', '.gnuplot startup.m'),
    reader('a client of a database', 'when it starts', '.my.cnf .mylogin.cnf .mongorc.js .mongoshrc.js'),
    reader('Node', 'when a program with a compile cache starts', 'node-compile-cache'),
  ],
  CI: services,
  'other agents': [
    reader('Claude Code', 'when it starts in the folder', '.claude .claude.json .claude-plugin claude.md claude.local.md'),
    reader(
      'Codex and other agents',
      'when they start in the folder',
      '.codex agents.md agent.md agents.override.md agents.local.md .agents .agent',
    ),
    reader('Gemini CLI or Qwen Code', 'when it starts in the folder', '.gemini gemini.md .qwen qwen.md'),
    reader(
      'GitHub Copilot',
      'when it works in the repository',
      '.github/copilot* .github/instructions .github/prompts .github/chatmodes .github/agents .github/skills .github/hooks .copilot',
    ),
    reader('Cursor or Windsurf', 'when the folder is opened', '.cursor .cursorrules .windsurf .windsurfrules'),
    reader(
      'Cline, Roo or Kilo Code',
      'when the folder is opened',
      '.cline .clinerules* .roo .roorules* .roomodes .kilocode .kilocodemodes .kilocoderules*',
    ),
    reader('Continue, Zed or Augment', 'when the folder is opened', '.continue .continuerules .rules .augment .augment-guidelines'),
    reader(
      'OpenCode, Crush or goose',
      'when it starts in the folder',
      '.opencode opencode.json opencode.jsonc opencode.md .crush .crush.json crush.json crush.md .goose .goosehints',
    ),
    reader('aider', 'when it starts in the folder', '.aider*'),
    reader(
      'other agents',
      'when they start in the folder',
      '.kiro .amazonq .trae .junie .factory .openhands .openhands_instructions .devin .warp warp.md',
    ),
    reader(
      'other agents',
      'when they start in the folder',
      '.amp .tabnine .replit replit.md .idx .iflow iflow.md .vibe .pi .forge forge.yaml .rovodev .zencoder',
    ),
    reader(
      'other agents',
      'when they work in the repository',
      '.aiassistant .gitlab/duo .coderabbit.* .pr_agent.toml .qoder .lingma .codebuddy .grok .void .voidrules .bolt .cody codebuff.json',
    ),
    reader('clients of MCP', 'when they start in the folder', '.mcp.json mcp.json'),
    reader('development containers', 'when the folder is opened', '.devcontainer .devcontainer.json'),
  ],
  // The compiled code that Cadre runs lies in a folder for temporary files, which may be a workspace.
  Cadre: [
    reader('Cadre', 'when a run starts', '.cadre agent_profiles cadre-compiled-* cadre/trust.json cadre/agreed cadre/machine-key'),
  ],
} satisfies Readonly<Record<string, readonly AutoRunReader[]>>;

/** The list by kind, for tests and documentation. */
export const autoRunReaders: Readonly<Record<string, readonly AutoRunReader[]>> = readers;

/** The list as rules about names. */
export const autoRunFiles: NameRules = compileNameRules(
  Object.fromEntries(Object.entries(readers).map(([kind, each]) => [kind, each.flatMap(({ names }) => names)])),
);

/** Returns the program that reads files of a rule, and when: for the words of a refusal. */
export function autoRunReader(rule: string): AutoRunReader | undefined {
  return Object.values(autoRunReaders)
    .flat()
    .find(({ names }) => names.includes(rule));
}
