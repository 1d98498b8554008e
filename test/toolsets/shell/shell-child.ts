import { mkdirSync } from 'node:fs';
import { shellToolset } from '../../../src/toolsets/shell/shell-toolset.ts';
import { toolsetUnderTest } from '../../tools/toolset-under-test.ts';

// A process with shells that is killed: starts a command in the background with and without a sandbox, says where, and waits for its end.
const workspaces: string[] = [];
for (const sandbox of process.argv[3] === 'both' ? [false, true] : [false]) {
  const shell = toolsetUnderTest(shellToolset, { sandbox });
  const mark = `${process.argv[2] ?? ''}${sandbox ? 1 : 0}`;
  workspaces.push(shell.workspace);
  mkdirSync(`${shell.workspace}/here`);
  await shell.run('run_command', {
    command: `trap '' TERM HUP; setsid sh -c 'trap "" TERM; sleep ${mark}; :' & sleep ${mark}`,
    background: true,
  });
}
process.stdout.write(JSON.stringify(workspaces));
setInterval(() => undefined, 1000);
