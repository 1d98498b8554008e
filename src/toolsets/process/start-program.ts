import type { ResourceScopes } from '../../core/tool/resource-scope.ts';
import type { SandboxPolicy } from '../sandbox/sandbox-policy.ts';
import { openedFolders } from '../sandbox/sandbox-files.ts';
import { rememberAgentPlace } from '../../files/programs/agent-places.ts';
import { findProgram } from '../../files/programs/find-program.ts';
import { setInside } from '../../files/programs/inside-environment.ts';
import { openSandbox, rememberWritable } from '../sandbox/sandbox.ts';
import { DiskBudget } from './disk-budget.ts';
import { limitedCommand, type ProcessLimits } from './limited-command.ts';
import { createMemoryGroup, type MemoryGroup } from './memory-group.ts';
import { RunningProcess, type ProcessRequest } from './running-process.ts';

/** Program to start in a workspace. */
export interface ProgramRequest extends Omit<ProcessRequest, 'cwd' | 'carried' | 'sandboxed' | 'lifeline' | 'totals' | 'guard'> {
  /** Variables of the program alone: nothing that leads to it sees them. */
  readonly env: Readonly<Record<string, string>>;
  /** Folder where it runs, and which it may write. */
  readonly workspace: string;
  /** Separate folder for temporary files, which it may write too. */
  readonly temporary: string;
  /** Further folders it may write. */
  readonly writable?: readonly string[];
  /** Further folders it may only read. */
  readonly readable?: readonly string[];
  /** Policy of its sandbox; undefined for no sandbox. */
  readonly policy: SandboxPolicy | undefined;
  readonly limits: ProcessLimits;
  readonly live: ResourceScopes;
}

/**
 * Starts a program within its limits, and in a sandbox when it has a policy: the only way in which tools run programs on behalf of a
 * model.
 *
 * @throws CadreError `SANDBOX_UNAVAILABLE` when the sandbox cannot be made; then nothing has run
 */
export async function startProgram(request: ProgramRequest): Promise<RunningProcess> {
  const { policy, limits, temporary, workspace, writable = [], readable = [] } = request;
  const lifeline = policy === undefined;
  if (policy === undefined) rememberAgentPlace(workspace, 'the workspace of a run');
  else rememberWritable({ workspace, policy });
  const { argv: inside, carried } = setInside(request.argv, request.env);
  const limited = limitedCommand({ argv: inside, limits, lifeline, countProcesses: policy !== undefined });
  const places = [workspace, temporary, ...writable, ...(policy === undefined ? [] : openedFolders(policy))];
  const budget = await DiskBudget.of(request.live);
  const sandbox = policy === undefined ? undefined : await openSandbox(request.live);
  const wrapped =
    policy === undefined
      ? undefined
      : await sandbox?.wrap({ argv: limited, policy, workspace, writable: [temporary, ...writable], readable });
  const group = createMemoryGroup(limits.totalMemoryBytes);
  const totals = {
    limits: { processes: limits.processes, memoryBytes: limits.totalMemoryBytes, diskBytes: limits.diskBytes },
    group,
    disk: { budget, places },
  };
  const common = { ...request, carried, cwd: workspace, sandboxed: policy !== undefined, lifeline, totals };
  try {
    const argv = joining(group, wrapped?.argv ?? limited);
    return new RunningProcess({ ...common, argv, ...(wrapped === undefined ? {} : { guard: wrapped }) });
  } catch (thrown) {
    group?.remove();
    await wrapped?.release();
    throw thrown;
  }
}

/** Returns the command line that joins a group before it becomes the command, so that everything it starts is in the group. */
function joining(group: MemoryGroup | undefined, argv: readonly [string, ...string[]]): readonly [string, ...string[]] {
  if (group === undefined) return argv;
  return [findProgram('sh', { in: 'system' }).path, '-c', '{ echo $$ >"$0"; } 2>/dev/null; exec "$@"', group.joinFile, ...argv];
}
