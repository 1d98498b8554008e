import type { JsonObject, JsonValue } from '../core/json.ts';
import { mapSchema } from './schema/map-schema.ts';

/** Stands beside each reference of a schema that is compiled, and counts how often it is followed. */
export const stepKeyword = 'x-cadre-step';

/** How often references may be followed for any value, and how much more often for each value inside it. */
const stepsAtLeast = 20_000;
const stepsPerValue = 20;

/**
 * Counts the references that are followed while one value is checked. A schema whose definition refers to itself twice for one field
 * looks at a value of depth n 2ⁿ times: without a count, one call with such arguments stops everything in this process.
 */
export class StepCount {
  #left = 0;
  #more: (() => number) | undefined;

  /** Begins a check; `most` is asked once the usual number of steps is spent. */
  begin(most: () => number): void {
    this.#left = stepsAtLeast;
    this.#more = () => most() - stepsAtLeast;
  }

  /** Takes a step, which always fits. Throws when there were too many. */
  take(): boolean {
    if (this.#left === 0) {
      this.#left = this.#more?.() ?? 0;
      this.#more = undefined;
    }
    if (this.#left <= 0) throw new Error('its schema refers to itself too often for a value of this depth');
    this.#left -= 1;
    return true;
  }
}

/** How often references may be followed while a value is checked. */
export function maxStepsFor(value: JsonValue): number {
  let values = 0;
  const open: unknown[] = [value];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    values += 1;
    if (typeof next === 'object' && next !== null) for (const inner of Object.values(next)) open.push(inner ?? null);
  }
  return stepsAtLeast + stepsPerValue * values;
}

/** A schema whose references are counted. */
export function withSteps(root: JsonObject): JsonObject {
  return mapSchema(root, (schema) =>
    ['$ref', '$dynamicRef', '$recursiveRef'].some((keyword) => Object.hasOwn(schema, keyword))
      ? { ...schema, [stepKeyword]: true }
      : schema,
  );
}
