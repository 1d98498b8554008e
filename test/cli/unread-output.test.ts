import { spawn } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { runCli, startForTest, temporaryFolder } from './cli-process.ts';

const filesOf = (turns: number): Readonly<Record<string, string>> => ({
  'profiles/Solo.yaml': `name: Solo\ntype: partner\ninstructions: You work.\ntool_access_policy: { allowed_toolsets: [workspace] }\nlimits: { max_turns: ${turns} }\nstagnation: off\n`,
  'llm_configs/default.yaml': 'name: default\ntype: llm_config\nconfig: { provider: scripted, script: scripts/offline.yaml }\n',
  'scripts/offline.yaml': 'rules: []\notherwise: { tool_calls: [{ tool: list_files, args: {} }] }\n',
});

/** Creates a team that works for the given number of turns. */
async function busyTeam(turns: number): Promise<string> {
  const cwd = await temporaryFolder();
  for (const [name, text] of Object.entries(filesOf(turns))) {
    const file = path.join(cwd, 'agent_profiles', name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, text);
  }
  return cwd;
}

const listed = async (cwd: string): Promise<string> => (await runCli(['runs'], { cwd })).out;

describe('output that is not read', () => {
  it('stops a run as Ctrl-C does, and is no success: its reader left in the middle', async () => {
    const cwd = await busyTeam(900);
    const running = startForTest(['run', '--json', 'Go.'], { cwd });
    await running.until('run.start');
    running.child.stdout?.destroy();
    expect((await running.finished).code).toBe(130);
    expect(await listed(cwd)).toContain('interrupted');
  });

  it('on stderr is what a run is told with, and stops nothing', async () => {
    const cwd = await busyTeam(12);
    const running = startForTest(['run', 'Go.'], { cwd });
    await running.until('started');
    running.child.stderr?.destroy();
    expect((await running.finished).code).toBe(1);
    expect(await listed(cwd)).toContain('failed');
  });

  it('is said in one line when there is no space for it', async () => {
    const cwd = await busyTeam(12);
    const main = path.join(import.meta.dirname, '..', '..', 'bin', 'cadre.mjs');
    const child = spawn('sh', ['-c', '"$0" "$1" schema > /dev/full; echo "code $?"', process.execPath, main], { cwd });
    let said = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (data: Buffer) => (said += data.toString('utf8')));
    await new Promise((resolve) => child.once('close', resolve));
    expect(said).toMatch(/^error: the output cannot be written: ENOSPC[^\n]*\ncode 1\n$/);
  });
});
