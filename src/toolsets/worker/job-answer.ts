import { CadreError, describeThrown, type ErrorCode } from '../../core/error.ts';

/** Answer of a separate thread or process: the value of its work, or the error. */
export type JobAnswer =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly code: ErrorCode; readonly message: string };

/** Does the work and converts its result or error to an answer. */
export async function answerOf(work: () => unknown): Promise<JobAnswer> {
  try {
    return { ok: true, value: await work() };
  } catch (thrown) {
    return thrown instanceof CadreError
      ? { ok: false, code: thrown.code, message: thrown.message }
      : { ok: false, code: 'TOOL_FAILED', message: describeThrown(thrown) };
  }
}

/** Adds the extension to the file of a job: `.ts` when Cadre runs from source, `.js` when it is built. */
export function jobFile(file: URL): URL {
  return new URL(`${file.href}${import.meta.url.endsWith('.ts') ? '.ts' : '.js'}`);
}
