/**
 * Work in small steps: each `yield` is a place where the event loop may turn, so that a long text does not block it. `runAtOnce` does the
 * steps without that.
 */
export type Steps<Result> = Generator<void, Result>;

/** Does work in steps without turns of the event loop between them. */
export function runAtOnce<Result>(steps: Steps<Result>): Result {
  for (let step = steps.next(); ; step = steps.next()) if (step.done === true) return step.value;
}
