import { realpathSync } from 'node:fs';
import path from 'node:path';
import { describeEnd, describeStreams } from '../process/describe-output.ts';
import type { ProcessEnd } from '../process/running-process.ts';
import type { ShellCommand } from './shell-host.ts';

/** What a model reads of a command that is over: how it ended, then both streams, apart. */
export function describeCommand(command: ShellCommand, end: ProcessEnd, cwd: string | undefined, workspace: string): string {
  const { id, request, stdout, stderr, stateKept, leftRunning, isFirst } = command;
  const lines = [
    `${id}: ${describeEnd(end)}; ${isFirst ? 'new session' : 'session'} ${JSON.stringify(request.session)}, in ${placeOf(cwd, workspace)}`,
  ];
  if (leftRunning > 0)
    lines.push(
      `${leftRunning} process(es) it had left running were ended: a command's processes end with it. Use background: true for what must go on.`,
    );
  if (stateKept === false) lines.push('What it changed in its session (folder, variables, functions) was not kept.');
  return [...lines, ...describeStreams(stdout, stderr), ...end.notes].join('\n');
}

function placeOf(cwd: string | undefined, workspace: string): string {
  if (cwd === undefined) return 'the workspace';
  const relative = path.relative(realpathSync(workspace), cwd);
  if (relative === '') return 'the workspace';
  return relative.startsWith('..') ? cwd : relative;
}
