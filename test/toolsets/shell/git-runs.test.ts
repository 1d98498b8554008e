import { existsSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { Resources } from '../../../src/engine/effects/resources.ts';
import { shellToolset } from '../../../src/toolsets/shell/shell-toolset.ts';
import { beginTrial, plantAnyway, situations, workAsUser, type Situation, type Trial } from '../../files/git-situations.ts';
import { repeats } from '../../support/repeats.ts';
import { toolsetUnderTest, whyNoSandbox } from '../../tools/toolset-under-test.ts';
import { openWorkspace } from '../workspace/call-workspace.ts';

const reason = whyNoSandbox();
if (reason !== undefined) console.warn(`tests in a sandbox are skipped: ${reason}`);

const engine = new Resources('the engine');
const folders: string[] = [];
afterAll(async () => {
  await engine.closeAll();
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
}, 60_000);

type Prepare = (trial: Trial) => Situation;

/** Prepares a situation in a fresh folder, does something in it, lets the user work, and tells whether the trap was sprung. */
async function isSprung(prepare: Prepare, attack: (situation: Situation) => Promise<void> | void): Promise<boolean> {
  const outside = realpathSync(mkdtempSync(path.join(tmpdir(), 'cadre-git-')));
  folders.push(outside);
  const { trial, end } = beginTrial(outside);
  try {
    const situation = prepare(trial);
    await attack(situation);
    workAsUser(trial, situation);
    return existsSync(trial.marker);
  } finally {
    end();
  }
}

async function attackWithFileTools({ workspace, plants }: Situation): Promise<void> {
  const tools = openWorkspace(workspace);
  for (const [file, content] of plants) {
    expect((await tools.fails('write_file', { path: file, content })).code).toBe('PATH_REFUSED');
    // Nor by moving a file, or a folder around it, there.
    const [above = ''] = file.split('/');
    await tools.text('write_file', { path: `x/y/${file}`, content });
    await tools.call('move_file', { from: `x/y/${file}`, to: file }).catch(() => undefined);
    await tools.call('move_file', { from: `x/y/${above}`, to: above }).catch(() => undefined);
  }
  expect(await tools.text('write_file', { path: 'src/ordinary.ts', content: 'work' })).toContain('Created');
}

async function attackWithCommands({ workspace, plants }: Situation): Promise<void> {
  const live = { agent: new Resources('the agent'), run: new Resources('the run'), engine };
  const shell = toolsetUnderTest(shellToolset, { grace: '300ms' }, live);
  folders.push(shell.workspace);
  for (const [file, text] of plants) {
    const folder = path.dirname(file);
    const command = `plant() { mkdir -p ${folder} && cat > ${file} && chmod +x ${file}; }
plant <<'END'
${text}END
mkdir -p z/${folder}; cp ${file} z/${file}; mv ${folder} moved; mv z/${folder} ${folder}
rm -rf ${folder}; plant <<'END'
${text}END
mkdir -p src; echo work > src/ordinary.ts`;
    await shell.call('run_command', { command }, { ...shell.context, workspace });
  }
  expect(existsSync(path.join(workspace, 'src/ordinary.ts'))).toBe(true);
  await live.agent.closeAll();
}

describe('F75: an agent plants nothing that git runs', () => {
  // File tools are tried in all situations; commands, which take most of the time, in some of them, and in all by sweeps.
  const all = Object.entries(situations);
  const every = Math.ceil(all.length / repeats(all.length));
  const numbered = all.map(([name, prepare], index) => [name, prepare, index % every === 0] as const);
  it.each(numbered)('%s', async (_name, prepare, withCommands) => {
    // The trap is real: written past the tools, git runs it.
    expect(await isSprung(prepare, plantAnyway)).toBe(true);
    expect(await isSprung(prepare, attackWithFileTools)).toBe(false);
    if (reason === undefined && withCommands) expect(await isSprung(prepare, attackWithCommands)).toBe(false);
  });
});
