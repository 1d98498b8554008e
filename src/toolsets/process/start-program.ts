import type { ResourceScopes } from '../../core/tool/resource-scope.ts';
import type { SandboxPolicy } from '../sandbox/sandbox-policy.ts';
import { openedFolders } from '../sandbox/sandbox-files.ts';
import { openSandbox } from '../sandbox/sandbox.ts';
import { DiskBudget } from './disk-budget.ts';
import { limitedCommand, type ProcessLimits } from './limited-command.ts';
import { createMemoryGroup, type MemoryGroup } from './memory-group.ts';
import { RunningProcess, type ProcessRequest } from './running-process.ts';

/** Program to start in a workspace. */
export interface ProgramRequest extends Omit<ProcessRequest, 'cwd' | 'sandboxed' | 'lifeline' | 'totals' | 'guard'> {
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
  const { argv, policy, limits, temporary, workspace, writable = [], readable = [] } = request;
  const lifeline = policy === undefined;
  const limited = limitedCommand({ argv, limits, lifeline, countProcesses: policy !== undefined, temporary });
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
  const common = { ...request, cwd: workspace, sandboxed: policy !== undefined, lifeline, totals };
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
  return ['/bin/sh', '-c', '{ echo $$ >"$0"; } 2>/dev/null; exec "$@"', group.joinFile, ...argv];
}
