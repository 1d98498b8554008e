/** How to show that a program reads a file of the list by itself. */
export interface Proof {
  /** Programs without which it cannot be shown here. */
  readonly needs: readonly string[];
  /** The file; its text may name `$MARK`, which is filled in. */
  readonly file: string;
  readonly text: string;
  /** Shell script that uses the program as a person does, in a folder that is also the home. */
  readonly run: string;
  readonly mode?: number;
}

const touch = 'touch "$MARK"\n';
const php = '<?php touch(getenv("MARK")); return [];\n';
const ruby = 'require "fileutils"; FileUtils.touch(ENV.fetch("MARK"))\n';
const python = 'import os; open(os.environ["MARK"], "w").close()\n';
const javascript = 'require("node:fs").writeFileSync(process.env.MARK, "");\n';
const monitor = '[core]\n\tfsmonitor = "touch \\"$MARK\\"; false"\n';
const repository = 'git init -q .; git config user.name t; git config user.email t@example.com;';

// The wheel that Python installs pip from runs pip, too.
const pip = `PYTHONPATH=$(python3 -c 'import ensurepip, glob, os; print((glob.glob(os.path.dirname(ensurepip.__file__) + "/_bundled/pip*.whl") + glob.glob("/usr/share/python-wheels/pip-*.whl"))[0])') e/bin/python -m pip --version`;

function proof(needs: string, file: string, text: string, run: string, mode?: number): Proof {
  return { needs: needs.split(' '), file, text, run, ...(mode === undefined ? {} : { mode }) };
}

/** Proofs by the entries of the list. */
export const proofs: Readonly<Record<string, Proof>> = {
  '.git': proof('git', '.keep', '', `${repository} git config core.fsmonitor "touch '$MARK'; false"; git status`),
  '.gitconfig': proof('git', '.gitconfig', monitor, 'git init -q x; cd x; git status'),
  '.config/git': proof('git', '.config/git/config', monitor, 'git init -q x; cd x; git status'),
  '.gitmodules': proof(
    'git',
    '.gitmodules',
    '[submodule "lib"]\n\tpath = lib\n\turl = https://trap.example/\n',
    `${repository} git update-index --add --cacheinfo 160000,1111111111111111111111111111111111111111,lib; git submodule init 2>&1 | grep -q trap.example && ${touch}`,
  ),
  '.lfsconfig': proof(
    'git git-lfs',
    '.lfsconfig',
    '[lfs]\n\turl = https://trap.example/\n',
    `${repository} git lfs env | grep -q trap.example && ${touch}`,
  ),
  '.gnupg': proof('gpg', '.gnupg/gpg.conf', 'broken-option\n', `gpg -k 2>&1 | grep -q gpg.conf && ${touch}`),
  '.gitattributes': proof(
    'git',
    '.gitattributes',
    '* filter=f\n',
    `${repository} git -c filter.f.clean='touch "$MARK"; cat' add .`,
  ),
  '.githooks': proof(
    'git',
    '.githooks/pre-commit',
    `#!/bin/sh\n${touch}`,
    `${repository} git config core.hooksPath .githooks; git commit --allow-empty -m x`,
    0o755,
  ),
  '.hg': proof('hg', '.keep', '', 'hg init .; printf "[hooks]\\npre-status = touch \'$MARK\'\\n" > .hg/hgrc; hg status'),
  '.svn': proof('svn', '.svn/wc.db', 'x', `svn status 2>&1 | grep -qi sqlite && ${touch}`),
  '.*rc': proof('bash', '.bashrc', touch, 'bash -ic exit'),
  '.profile': proof('bash', '.profile', touch, 'bash -lc exit'),
  '.*_profile': proof('bash', '.bash_profile', touch, 'bash -lc exit'),
  '.*_login': proof('bash', '.bash_login', touch, 'bash -lc exit'),
  '.*_logout': proof('bash', '.bash_logout', touch, 'bash -lic exit'),
  '.*_aliases': proof('bash', '.bash_aliases', touch, 'cp /etc/skel/.bashrc .; bash -ic exit'),
  '.zshenv': proof('zsh', '.zshenv', touch, 'zsh -c exit'),
  '.zprofile': proof('zsh', '.zprofile', touch, 'zsh -lc exit'),
  '.zlogin': proof('zsh', '.zlogin', touch, 'zsh -lc exit'),
  '.zlogout': proof('zsh', '.zlogout', touch, 'zsh -lic exit'),
  '.z*.zwc': proof(
    'zsh',
    'x',
    touch,
    'echo : > .zshenv; touch -d 2000-01-01 .zshenv; cp x y; zsh -fc "zcompile .zshenv.zwc y"; mv y .zshenv.old; zsh -c exit; [ -e "$MARK" ] || { cp x .zshenv; zsh -fc "zcompile .zshenv"; echo : > .zshenv; touch -d 2000-01-01 .zshenv; zsh -c exit; }',
  ),
  '.zcompdump*': proof(
    'zsh',
    'x',
    touch,
    'zsh -fc "autoload -U compinit; compinit -u"; cat x >> .zcompdump; zsh -fc "autoload -U compinit; compinit -u"',
  ),
  '.login': proof('tcsh', '.login', touch, 'echo exit | tcsh -l'),
  '.logout': proof('tcsh script', '.logout', touch, 'echo logout | script -qec "tcsh -l" /dev/null'),
  '.config/fish': proof('fish', '.config/fish/config.fish', touch, 'fish -c exit'),
  '.tmux.conf': proof(
    'tmux',
    '.tmux.conf',
    'run-shell "touch \'$MARK\'"\n',
    'tmux -L "proof$$" new-session -d true; sleep 1; tmux -L "proof$$" kill-server',
  ),
  '.config/tmux': proof(
    'tmux',
    '.config/tmux/tmux.conf',
    'run-shell "touch \'$MARK\'"\n',
    'tmux -L "proof$$" new-session -d true; sleep 1; tmux -L "proof$$" kill-server',
  ),
  '.envrc.*': proof('direnv', '.envrc.team', touch, 'echo "source_env .envrc.team" > .envrc; direnv allow . ; direnv exec . true'),
  '.config/direnv': proof('direnv', '.config/direnv/direnvrc', touch, 'echo : > .envrc; direnv allow .; direnv exec . true'),
  '.direnv': proof(
    'direnv python3',
    '.direnv/python-9/bin/activate',
    '',
    `echo 'layout python3' > .envrc; direnv allow .; direnv exec . true; ls .direnv | grep -q python && ${touch}`,
  ),
  '.vim': proof('vim script', '.vim/vimrc', 'call writefile([], getenv("MARK"))\n', 'script -qec "vim +q" /dev/null </dev/null'),
  '.dir-locals.el': proof(
    'emacs',
    '.dir-locals.el',
    '((nil . ((eval . (write-region "" nil (getenv "MARK"))))))',
    `echo x > a.txt; emacs --batch --eval '(setq enable-local-eval t enable-local-variables :all)' a.txt`,
  ),
  '.dir-locals-2.el': proof(
    'emacs',
    '.dir-locals-2.el',
    '((nil . ((eval . (write-region "" nil (getenv "MARK"))))))',
    `echo x > a.txt; echo '((nil . ((fill-column . 70))))' > .dir-locals.el; emacs --batch --eval '(setq enable-local-eval t enable-local-variables :all)' a.txt`,
  ),
  '.emacs': proof(
    'emacs script',
    '.emacs',
    '(write-region "" nil (getenv "MARK")) (kill-emacs)',
    'script -qec "emacs -nw" /dev/null',
  ),
  '.emacs.el': proof(
    'emacs script',
    '.emacs.el',
    '(write-region "" nil (getenv "MARK")) (kill-emacs)',
    'script -qec "emacs -nw" /dev/null',
  ),
  '.emacs.d': proof(
    'emacs script',
    '.emacs.d/init.el',
    '(write-region "" nil (getenv "MARK")) (kill-emacs)',
    'script -qec "emacs -nw" /dev/null',
  ),
  '.config/emacs': proof(
    'emacs script',
    '.config/emacs/init.el',
    '(write-region "" nil (getenv "MARK")) (kill-emacs)',
    'script -qec "emacs -nw" /dev/null',
  ),
  pylintrc: proof(
    'pylint',
    'pylintrc',
    `[MAIN]\ninit-hook='import os; open(os.environ["MARK"], "w").close()'\n`,
    'echo x=1 > a.py; pylint a.py',
  ),
  '.flake8': proof(
    'flake8',
    '.flake8',
    '[flake8:local-plugins]\nextension =\n  X100 = plug:Plug\npaths = .\n',
    `printf 'import os\\nopen(os.environ["MARK"], "w").close()\\n' > plug.py; echo x=1 > a.py; flake8 a.py`,
  ),
  'mypy.ini': proof(
    'mypy',
    'mypy.ini',
    '[mypy]\nplugins = ./plug.py\n',
    `printf 'import os\\nopen(os.environ["MARK"], "w").close()\\n' > plug.py; echo x=1 > a.py; mypy a.py`,
  ),
  '.mypy.ini': proof(
    'mypy',
    '.mypy.ini',
    '[mypy]\nplugins = ./plug.py\n',
    `printf 'import os\\nopen(os.environ["MARK"], "w").close()\\n' > plug.py; echo x=1 > a.py; mypy a.py`,
  ),
  '.rubocop': proof(
    'rubocop',
    '.rubocop',
    '--require ./evil.rb\n',
    `printf '${ruby.trim()}' > evil.rb; echo 1 > a.rb; rubocop a.rb`,
  ),
  '.rubocop*.yml': proof(
    'rubocop',
    '.rubocop.yml',
    'require: ./evil.rb\n',
    `printf '${ruby.trim()}' > evil.rb; echo 1 > a.rb; rubocop a.rb`,
  ),
  '.config/rubocop': proof(
    'rubocop',
    '.config/rubocop/config.yml',
    'require: ./../../evil.rb\n',
    `printf '${ruby.trim()}' > evil.rb; mkdir p; echo 1 > p/a.rb; cd p; rubocop a.rb`,
  ),
  '.*.exs': proof('mix', '.formatter.exs', 'File.touch!(System.get_env("MARK")); [inputs: []]\n', 'mix format'),
  '.bundle/config': proof(
    'bundle',
    '.bundle/config',
    '---\nBUNDLE_PATH: "evil"\n',
    `bundle config get path 2>&1 | grep -q evil && ${touch}`,
  ),
  'pip.conf': proof(
    'python3-venv',
    'pip.conf',
    '[broken',
    `python3 -m venv --without-pip e; cp pip.conf e/; ${pip} 2>&1 | grep -q pip.conf && ${touch}`,
  ),
  '.pip': proof(
    'python3-venv',
    '.pip/pip.conf',
    '[broken',
    `python3 -m venv --without-pip e; ${pip} 2>&1 | grep -q pip.conf && ${touch}`,
  ),
  '.config/pip': proof(
    'python3-venv',
    '.config/pip/pip.conf',
    '[broken',
    `python3 -m venv --without-pip e; ${pip} 2>&1 | grep -q pip.conf && ${touch}`,
  ),
  '.npm-init.js': proof('npm', '.npm-init.js', javascript, 'mkdir p; cd p; npm init --yes </dev/null'),
  'sitecustomize.py': proof('python3', 'sitecustomize.py', python, 'PYTHONPATH=. python3 -c 1'),
  'usercustomize.py': proof(
    'python3',
    'usercustomize.py',
    python,
    'd=$(python3 -m site --user-site); mkdir -p "$d"; cp usercustomize.py "$d"; python3 -c 1',
  ),
  'pyvenv.cfg': proof(
    'python3',
    'pyvenv.cfg',
    'home = /nowhere\n',
    `mkdir bin; ln -s "$(readlink -f "$(python3 -c 'import sys; print(sys.executable)')")" bin/python; bin/python -c 'import sys; print(sys.prefix)' 2>&1 | grep -q "$PWD" && ${touch}`,
  ),
  'site-packages/*.pth': proof(
    'python3',
    'x.pth',
    'import os; open(os.environ["MARK"], "w").close()\n',
    'python3 -m venv --without-pip e; cp x.pth e/lib/python3*/site-packages/; e/bin/python -c 1',
  ),
  'node_modules/.bin': proof(
    'npm',
    'node_modules/.bin/ls',
    `#!/bin/sh\n${touch}`,
    `printf '{"scripts":{"x":"ls"}}' > package.json; npm run x`,
    0o755,
  ),
  '.rprofile': proof('R', '.Rprofile', 'file.create(Sys.getenv("MARK"))\n', 'R --no-save -q -e 1'),
  '.renviron': proof(
    'R',
    '.Renviron',
    'R_PROFILE_USER=evil.R\n',
    `echo 'file.create(Sys.getenv("MARK"))' > evil.R; R --no-save -q -e 1`,
  ),
  '.rdata': proof(
    'R',
    'x',
    '',
    `R --vanilla -q -e '.First <- function() file.create(Sys.getenv("MARK")); save(.First, file=".RData")'; R --no-save -q -e 1`,
  ),
  '.gdbinit': proof('gdb', '.gdbinit', 'shell touch "$MARK"\n', 'gdb -batch'),
  '.gdbearlyinit': proof(
    'gdb',
    '.gdbearlyinit',
    'set startup-quietly on\nbroken\n',
    `gdb -batch 2>&1 | grep -q gdbearlyinit && ${touch}`,
  ),
  '.perldb': proof(
    'perl script',
    '.perldb',
    'open(my $f, ">", $ENV{MARK});\n',
    'chmod 600 .perldb; echo q | script -qec "perl -d -e 1" /dev/null',
  ),
  '.ocamlinit': proof('ocaml', '.ocamlinit', 'close_out (open_out (Sys.getenv "MARK"));;\n', 'echo "exit 0;;" | ocaml'),
  '.erlang': proof('erl', '.erlang', 'file:write_file(os:getenv("MARK"), <<>>).\n', 'erl -noshell -eval "halt()."'),
  '.gnuplot': proof('gnuplot', '.gnuplot', 'system("touch \\"$MARK\\"")\n', 'echo exit | gnuplot -'),
  '.lesskey': proof(
    'less script',
    '.lesskey',
    '#env\nLESSOPEN=|touch "$MARK"; cat %s\n',
    'echo x > a; script -qec "less -F a" /dev/null',
  ),
  'phpcs.xml*': proof(
    'phpcs',
    'phpcs.xml',
    '<ruleset name="x"><autoload>./evil.php</autoload><rule ref="PSR1"/><file>.</file></ruleset>',
    `printf '${php.trim()}' > evil.php; echo '<?php' > a.php; phpcs a.php`,
  ),
  '.phpcs.xml*': proof(
    'phpcs',
    '.phpcs.xml',
    '<ruleset name="x"><autoload>./evil.php</autoload><rule ref="PSR1"/><file>.</file></ruleset>',
    `printf '${php.trim()}' > evil.php; echo '<?php' > a.php; phpcs a.php`,
  ),
  'irb.rc': proof('irb', 'irb.rc', ruby, 'echo exit | irb'),
  $irbrc: proof('irb', '$irbrc', ruby, 'echo exit | irb'),
  '.config/irb': proof('irb', '.config/irb/irbrc', ruby, 'echo exit | irb'),
  _irbrc: proof('irb', '_irbrc', ruby, 'echo exit | irb'),
};

/** Programs some of whose files are not shown to be read here, and why. */
export const notShown: Readonly<Record<string, readonly string[]>> = {
  'not in Debian': [
    'Jujutsu, Sapling, Subversion or Bazaar',
    'lefthook',
    'overcommit or simple-git-hooks',
    'VS Code and its relatives',
    'Visual Studio',
    'JetBrains IDEs',
    'Eclipse',
    'Zed, Nova, Helix or Sublime Text',
    'plug-ins of Vim',
    'oxlint, dprint or TSLint',
    'golangci-lint, TFLint or Scalafix',
    'Bun',
    'uv or Poetry',
    'mise',
    'direnv, mise or asdf',
    'autoenv',
    'devenv, Devbox or Flox',
    'gnuplot or MATLAB',
    'editors and shells',
    'editors, shells and Python',
    'a prompt',
  ],
  'a package of npm, which needs a network': [
    'husky, pre-commit, lefthook or overcommit',
    'lint-staged or commitlint',
    'ESLint',
    'Prettier',
    'Stylelint',
    'markdownlint, remark or textlint',
    'Yarn',
    'Node and editors, through Yarn',
    'pnpm',
  ],
  'too large to install for a test': [
    'fish, Nushell, Elvish, xonsh or PowerShell',
    'xonsh, PowerShell or zsh',
    'Vim or Neovim',
    'Kate or Kakoune',
    'language servers',
    'HAML-Lint, Slim-Lint or ERB Lint',
    'PHP tools',
    'lintr',
    'Ansible',
    'Cargo and rustup',
    'Gradle',
    'Maven',
    'Nix',
    'IPython or Jupyter',
    'a debugger',
    'GHCi, OCaml, Julia or Erlang',
    'a client of a database',
  ],
  'another name, version or system of a program that is shown': [
    'a program with this name',
    'sh or bash',
    'zsh',
    'less',
    'Emacs',
    'Pylint',
    'RuboCop',
    'npm',
    'Bundler',
    'pip',
    'Python',
  ],
  'takes the home from the user database, not from HOME': ['ssh or gpg'],
  'a desktop': ['a session', 'a terminal'],
  'a variable of the user names it': ['Node'],
  'a service': [
    'GitHub Actions',
    'GitLab CI',
    'Circle CI, Travis CI or Cirrus CI',
    'Azure Pipelines',
    'Jenkins',
    'Bitbucket, Buildkite, Drone or Woodpecker',
    'AppVeyor, Semaphore or TeamCity',
    'Cloud Build, CodeBuild or Tekton',
    'Gitpod',
  ],
  'an agent, which needs a model': [
    'Claude Code',
    'Codex and other agents',
    'Gemini CLI or Qwen Code',
    'GitHub Copilot',
    'Cursor or Windsurf',
    'Cline, Roo or Kilo Code',
    'Continue, Zed or Augment',
    'OpenCode, Crush or goose',
    'aider',
    'other agents',
    'clients of MCP',
    'development containers',
  ],
  'shown by the tests of Cadre': ['Cadre'],
};
