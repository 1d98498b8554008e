import type { LiveScopes } from '../../core/live-scope.ts';
import type { SandboxPolicy } from '../sandbox/sandbox-policy.ts';
import { openSandbox } from '../sandbox/sandbox.ts';
import { limitedCommand, type ProcessLimits } from './limited-command.ts';
import { RunningProcess, type ProcessRequest } from './running-process.ts';

/** A program that works on a workspace. */
export interface ProgramRequest extends Omit<ProcessRequest, 'cwd' | 'sandboxed' | 'lifeline' | 'maxProcesses' | 'guard'> {
  /** Where it runs, and what it may write. */
  readonly workspace: string;
  /** A folder of its own for temporary files, also to be written. */
  readonly temporary: string;
  /** Further folders it may write, and some it may only read. */
  readonly writable?: readonly string[];
  readonly readable?: readonly string[];
  /** The sandbox it runs in; undefined: none. */
  readonly policy: SandboxPolicy | undefined;
  readonly limits: ProcessLimits;
  readonly live: LiveScopes;
}

/**
 * Starts a program within its limits, and in a sandbox when there is to be one: the one way in which tools run programs on
 * behalf of a model.
 *
 * @throws CadreError `SANDBOX_UNAVAILABLE` when a sandbox is asked for and cannot be made; then nothing has run
 */
export async function startProgram(request: ProgramRequest): Promise<RunningProcess> {
  const { argv, policy, limits, temporary, workspace, writable = [], readable = [] } = request;
  const lifeline = policy === undefined;
  const limited = limitedCommand({ argv, limits, lifeline, countProcesses: policy !== undefined, temporary });
  const common = { ...request, cwd: workspace, sandboxed: policy !== undefined, lifeline, maxProcesses: limits.processes };
  if (policy === undefined) return new RunningProcess({ ...common, argv: limited });
  const sandbox = await openSandbox(request.live);
  const wrapped = await sandbox.wrap({ argv: limited, policy, workspace, writable: [temporary, ...writable], readable });
  try {
    return new RunningProcess({ ...common, argv: wrapped.argv, guard: wrapped });
  } catch (thrown) {
    await wrapped.release();
    throw thrown;
  }
}
