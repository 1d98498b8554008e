import { CadreError, describeThrown } from '../../core/error.ts';

/** Describes a thrown value for the author of the code; a `CadreError` is described by its message. */
export function describeProblem(thrown: unknown): string {
  return thrown instanceof CadreError ? thrown.message : describeThrown(thrown);
}
