import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import type { JsonObject } from '../../../src/core/json.ts';
import { canFindMarks, startTicks } from '../../../src/toolsets/process/marked-processes.ts';
import { whyNoSandbox } from '../../tools/toolset-under-test.ts';
import { makeFolder } from '../../files/temp-folder.ts';
import type { Script } from './scripted-server.ts';

const host = path.join(import.meta.dirname, 'host-process.ts');
const scripted = path.join(import.meta.dirname, 'scripted-server.ts');
const noSandbox = whyNoSandbox();
/** A sandbox has a /tmp of its own, so it sees no Node of a checkout there. */
const isNodeHidden = process.execPath.startsWith('/tmp/');

/** Returns the recorded processes of a stubborn server and its children that still run after the process that owned it was killed. */
async function leftAfterKill(settings: JsonObject): Promise<readonly number[]> {
  const folder = await makeFolder();
  const [detached, ledger, file] = ['detached', 'ledger', 'script.json'].map((name) => path.join(folder, name)) as [
    string,
    string,
    string,
  ];
  const script: Script = { stubborn: true, detached, ledger, tools: [{ name: 'ok', inputSchema: { type: 'object' } }] };
  writeFileSync(file, JSON.stringify(script));
  const given = { command: process.execPath, args: [scripted, file], cwd: folder, ...settings };
  const program = spawn(process.execPath, [host, JSON.stringify(given)], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(program.stdout, 'data');
  const pids = serversBelow(program.pid ?? 0);
  expect(pids.length).toBeGreaterThan(0);
  program.kill('SIGKILL');
  await once(program, 'exit');
  if (existsSync(detached)) pids.push(Number(readFileSync(detached, 'utf8')));
  await expect.poll(() => pids.filter((pid) => startTicks(pid) >= 0), { timeout: 15_000 }).toEqual([]);
  return pids;
}

/** All processes that descend from one, itself left out. */
function serversBelow(pid: number): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  return children === ''
    ? []
    : children
        .split(' ')
        .map(Number)
        .flatMap((child) => [child, ...serversBelow(child)]);
}

it.skipIf(!canFindMarks)(
  'a server that ignores the end of its input does not outlive a process that was killed, nor does what it started',
  async () => {
    expect((await leftAfterKill({})).length).toBeGreaterThan(1);
  },
);

it.skipIf(!canFindMarks || noSandbox !== undefined || isNodeHidden)('neither does one in a sandbox', async () => {
  await leftAfterKill({ sandbox: true });
});
