import { CadreError, describeThrown, type ErrorCode } from '../../core/error.ts';

/** What is done on a thread or in a process of its own, and answered once: the value, or why there is none. */
export type JobAnswer =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly code: ErrorCode; readonly message: string };

/** Does the work and makes an answer of what it returns or throws. */
export async function answerOf(work: () => unknown): Promise<JobAnswer> {
  try {
    return { ok: true, value: await work() };
  } catch (thrown) {
    return thrown instanceof CadreError
      ? { ok: false, code: thrown.code, message: thrown.message }
      : { ok: false, code: 'TOOL_FAILED', message: describeThrown(thrown) };
  }
}

/** The file of a job: beside a source file a source file, and beside a built one a built one. */
export function jobFile(file: URL): URL {
  return new URL(`${file.href}${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`);
}
