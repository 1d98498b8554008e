import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/core/json.ts';
import type { EffectTool } from '../../../src/core/tool/tool.ts';
import type { ToolsetKind } from '../../../src/core/tool/toolset.ts';
import { toolReturn } from '../../../src/core/tool/tool-return.ts';
import { Resources } from '../../../src/engine/effects/resources.ts';
import { pythonToolset } from '../../../src/toolsets/python/python-toolset.ts';
import { shellToolset } from '../../../src/toolsets/shell/shell-toolset.ts';
import { toolContext } from '../../tools/tool-context.ts';
import { isInstalled, whyNoSandbox } from '../../tools/toolset-under-test.ts';
import { connectMcp, referenceServer } from '../mcp/mcp-host.ts';
import { scratchHome } from './scratch-home.ts';

/** Writes the name of the program that loads it: into the workspace wherever it runs, and beside it outside of the sandbox. */
const library = (inside: string, outside: string): string => `
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>
unsigned int la_version(unsigned int version) { return version; }
static void mark(const char *file) {
  int opened = open(file, O_WRONLY | O_CREAT | O_APPEND, 0600);
  if (opened < 0) return;
  write(opened, program_invocation_name, strlen(program_invocation_name));
  write(opened, "\\n", 1);
  close(opened);
}
__attribute__((constructor)) static void begin(void) { mark("${inside}"); mark("${outside}"); }
`;

/** A workspace with files that mark where they are run, and settings that name them. */
function traps() {
  const base = scratchHome();
  const [workspace, beside] = [path.join(base, 'workspace'), path.join(base, 'beside')];
  for (const folder of [workspace, beside, path.join(workspace, 'bin')]) mkdirSync(folder);
  const [inside, outside] = [path.join(workspace, 'inside'), path.join(beside, 'outside')];
  const at = (name: string, text: string): string => {
    writeFileSync(path.join(workspace, name), text, { mode: 0o755 });
    return path.join(workspace, name);
  };
  const script = `echo "$0 $BASH_VERSION" >>${inside}\necho "$0" >>${outside}\n`;
  const startup = at('startup.sh', script);
  for (const name of ['bwrap', 'socat', 'bash', 'sh', 'grep', 'sleep'])
    at(`bin/${name}`, `#!/bin/sh\n${script}exec /usr/bin/${name} "$@"\n`);
  at('mark.cjs', `for (const file of ['${inside}', '${outside}']) try { require('fs').appendFileSync(file, 'node\\n'); } catch {}`);
  const env: Record<string, string> = {
    BASH_ENV: startup,
    ENV: startup,
    PATH: `${workspace}/bin:/usr/bin:/bin`,
    SHELLOPTS: 'xtrace',
    PS4: `$(echo ps4 >>${outside})+`,
    IFS: 'x',
    OPTIND: 'none',
    GIT_SSH_COMMAND: startup,
    NODE_OPTIONS: `--require=${workspace}/mark.cjs`,
    PYTHONPATH: workspace,
    PYTHONSTARTUP: startup,
  };
  if (isInstalled('gcc')) {
    const source = at('mark.c', library(inside, outside));
    const built = spawnSync('gcc', ['-shared', '-fPIC', '-o', path.join(workspace, 'mark.so'), source], { encoding: 'utf8' });
    expect(built.stderr.replaceAll(/^.*warning[^]*?\n(?:.*\|.*\n)*/gm, '')).not.toContain('error');
    env['LD_PRELOAD'] = path.join(workspace, 'mark.so');
    env['LD_AUDIT'] = path.join(workspace, 'mark.so');
  }
  return { workspace, inside, outside, env };
}

async function use(kind: ToolsetKind, settings: JsonObject, args: JsonObject, workspace: string): Promise<string> {
  const { tools } = kind.create({ name: kind.kind, settings, toolName: (tool) => tool });
  const [tool] = tools as readonly EffectTool[];
  const live = { agent: new Resources('the agent'), run: new Resources('the run'), engine: new Resources('the engine') };
  const returned: unknown = await tool?.execute(args, toolContext({ workspace, live }));
  await live.agent.closeAll();
  await live.run.closeAll();
  await live.engine.closeAll();
  return JSON.stringify(typeof returned === 'string' ? toolReturn({ content: returned }) : returned);
}

describe.skipIf(whyNoSandbox() !== undefined)('F71: variables that settings give', { timeout: 120_000 }, () => {
  it('a shell has them in the sandbox, and nothing before the sandbox does', async () => {
    const { workspace, inside, outside, env } = traps();
    const said = await use(shellToolset, { env }, { command: 'echo "ssh: $GIT_SSH_COMMAND"; echo "opts: $SHELLOPTS"' }, workspace);
    expect(said).toContain(`ssh: ${env['GIT_SSH_COMMAND'] ?? ''}`);
    expect(said).toMatch(/opts: [a-z:-]*xtrace/);
    expect(readFileSync(inside, 'utf8')).toMatch(/bash/);
    expect(existsSync(outside)).toBe(false);
  });

  it('Python has them in the sandbox, and nothing before the sandbox does', async () => {
    const { workspace, outside, env } = traps();
    const code = 'import os; print(os.environ["BASH_ENV"], os.environ["OPTIND"])';
    expect(await use(pythonToolset, { env }, { code }, workspace)).toContain(`${env['BASH_ENV'] ?? ''} none`);
    expect(existsSync(outside)).toBe(false);
  });

  it('a sandboxed MCP server has them, also those with names of functions, and nothing before the sandbox does', async () => {
    const { workspace, inside, outside, env } = traps();
    const server = connectMcp('s', {
      ...referenceServer('filesystem', workspace),
      cwd: workspace,
      env: { ...env, 'BASH_FUNC_exec%%': `() { echo exec >>${outside}; builtin exec "$@"; }` },
      sandbox: true,
      read: [realpathSync(path.join(process.cwd(), 'node_modules')), path.dirname(path.dirname(process.execPath))],
    });
    await server.ready();
    await server.toolset.close?.();
    expect(readFileSync(inside, 'utf8')).toContain('node');
    expect(existsSync(outside)).toBe(false);
  });

  it('those of the engine itself reach neither the sandbox nor what makes it', async () => {
    const { workspace, inside, outside, env } = traps();
    const names = Object.keys(env).filter((name) => !name.startsWith('LD_') && name !== 'NODE_OPTIONS' && name !== 'IFS');
    const program = path.join(import.meta.dirname, 'commands-child.ts');
    const { stdout } = spawnSync(process.execPath, [program, workspace, '{}', 'echo "ssh: $GIT_SSH_COMMAND"'], {
      cwd: '/',
      env: { ...process.env, ...Object.fromEntries(names.map((name) => [name, env[name] ?? ''])) },
      encoding: 'utf8',
    });
    expect(stdout).toContain('exit code 0');
    expect(stdout).not.toContain('startup.sh');
    expect([inside, outside].map((file) => existsSync(file))).toEqual([false, false]);
    rmSync(workspace, { recursive: true });
  });

  it('without a sandbox only the command itself has them, not the shells that set its limits', async () => {
    const { workspace, outside, env } = traps();
    const { LD_PRELOAD: _preload, LD_AUDIT: _audit, ...others } = env;
    await use(shellToolset, { sandbox: false, env: others }, { command: 'true' }, workspace);
    // The shell of the command reads its start-up file; `sh` for the limits and programs that it looks up do not.
    expect(readFileSync(outside, 'utf8').trim().split('\n')).toEqual(['bash']);
  });
});

describe('what a person is asked', () => {
  it.each([
    [shellToolset, {}, 'in the sandbox; inside it, sets BASH_ENV=/x/start A="b c"'],
    [pythonToolset, {}, 'in the sandbox; inside it, sets BASH_ENV=/x/start A="b c"'],
    [shellToolset, { sandbox: false }, 'with all rights of this program; with your rights, sets BASH_ENV=/x/start A="b c"'],
    [pythonToolset, { sandbox: false }, 'with all rights of this program; with your rights, sets BASH_ENV=/x/start A="b c"'],
  ])('names the variables with their values', (kind, settings, words) => {
    const reaches = kind.reaches?.({ ...settings, env: { BASH_ENV: '/x/start', A: 'b c' } }, kind.kind);
    expect(reaches?.map(({ text }) => text).join('\n')).toContain(words);
  });
});
