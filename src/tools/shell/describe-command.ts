import { realpathSync } from 'node:fs';
import path from 'node:path';
import type { ProcessEnd } from '../process/running-process.ts';
import type { ShellCommand } from './shell-host.ts';

/** Most characters of one stream in a result. */
const streamChars = 12_000;

/** What a model reads of a command that is over: how it ended, then both streams, apart. */
export function describeCommand(command: ShellCommand, end: ProcessEnd, cwd: string | undefined, workspace: string): string {
  const { id, request, stdout, stderr, stateKept } = command;
  const where = request.background ? '' : `; session ${JSON.stringify(request.session)}, in ${placeOf(cwd, workspace)}`;
  const lines = [`${id}: ${describeEnd(end)} after ${(end.ms / 1000).toFixed(2)} s${where}`];
  if (end.leftRunning > 0)
    lines.push(
      `${end.leftRunning} process(es) it had left running were ended: a command's processes end with it. Use background: true for what must go on.`,
    );
  if (stateKept === false) lines.push('What it changed in its session (folder, variables, functions) was not kept.');
  for (const [name, output] of [['stdout', stdout] as const, ['stderr', stderr] as const])
    if (output.bytes > 0) lines.push(`--- ${name} (${output.bytes} bytes)`, output.view(streamChars));
  if (stdout.bytes + stderr.bytes === 0) lines.push('(no output)');
  return lines.join('\n');
}

/** How a process ended, in words. */
export function describeEnd(end: ProcessEnd): string {
  switch (end.cause) {
    case 'exit':
      return end.exitCode === undefined ? `ended by ${end.signal ?? 'a signal'}` : `exit code ${end.exitCode}`;
    case 'timeout':
      return 'stopped: it took longer than its timeout. Its processes were ended';
    case 'stopped':
      return 'stopped';
    case 'output':
      return 'stopped: it wrote too much. Send long output to a file, or through head, tail or grep';
    case 'processes':
      return 'stopped: it had too many processes';
  }
}

/** Whether a command came to its end by itself, whatever its exit code. */
export function endedByItself(end: ProcessEnd): boolean {
  return end.cause === 'exit';
}

function placeOf(cwd: string | undefined, workspace: string): string {
  if (cwd === undefined) return 'the workspace';
  const relative = path.relative(realpathSync(workspace), cwd);
  if (relative === '') return 'the workspace';
  return relative.startsWith('..') ? cwd : relative;
}
