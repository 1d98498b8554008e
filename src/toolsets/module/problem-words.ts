import { CadreError, describeThrown } from '../../core/error.ts';

/** What was thrown, in words for the author of the code; errors of ours say all in their message. */
export function problemWords(thrown: unknown): string {
  return thrown instanceof CadreError ? thrown.message : describeThrown(thrown);
}
