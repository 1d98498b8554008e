import { CadreError, type ErrorCode } from '../core/error.ts';

/** Exit code of a command: 0 done, 1 the run (or the machine) failed, 2 usage or invalid profiles, 130 interrupted. */
export type ExitCode = 0 | 1 | 2 | 130;

/** Errors in the caller's input: fixed on the command line or in a file, not by retrying. */
const usageErrors: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'PROFILE_INVALID',
  'PROFILE_UNKNOWN',
  'PROFILE_DISABLED',
  'OPTION_INVALID',
  'TOOL_INVALID',
  'MODEL_UNCONFIGURED',
  'MODEL_UNPRICED',
  'MODEL_UNKNOWN',
  'AGENT_UNKNOWN',
  'RUN_UNKNOWN',
  'PENDING_UNKNOWN',
  'FOLDER_UNTRUSTED',
  'DEPENDENCY_MISSING',
  'DOCS_UNREADABLE',
  'PATH_REFUSED',
  'BUNDLE_INVALID',
  'RUN_EXISTS',
  'RUN_IMPORTED',
  'RECORDING_INVALID',
]);

/** Returns the exit code for a thrown error. */
export function exitCodeOf(thrown: unknown): ExitCode {
  return thrown instanceof CadreError && usageErrors.has(thrown.code) ? 2 : 1;
}
