import type { JsonObject, JsonValue } from '../core/json.ts';
import { mapSchema } from './schema/map-schema.ts';

/** Keyword added beside each reference of a compiled schema; counts how often the reference is followed. */
export const stepKeyword = 'x-cadre-step';

/** Most references followed for any value, and the addition for each value inside it. */
const stepsAtLeast = 20_000;
const stepsPerValue = 20;

/**
 * Counts the references followed while one value is checked. A schema whose definition refers to itself twice for one field visits a
 * value of depth n 2ⁿ times; without the count, one call with such arguments would block the process.
 */
export class StepCount {
  #left = 0;
  #more: (() => number) | undefined;

  /** Begins a check; calls `most` once the usual number of steps is used up. */
  begin(most: () => number): void {
    this.#left = stepsAtLeast;
    this.#more = () => most() - stepsAtLeast;
  }

  /** Takes a step and returns true. Throws when there were too many. */
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

/** Returns how many references may be followed while a value is checked. */
export function maxStepsFor(value: JsonValue): number {
  let values = 0;
  const open: unknown[] = [value];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    values += 1;
    if (typeof next === 'object' && next !== null) for (const inner of Object.values(next)) open.push(inner ?? null);
  }
  return stepsAtLeast + stepsPerValue * values;
}

/** Returns a schema whose references are counted. */
export function withSteps(root: JsonObject): JsonObject {
  return mapSchema(root, (schema) =>
    ['$ref', '$dynamicRef', '$recursiveRef'].some((keyword) => Object.hasOwn(schema, keyword))
      ? { ...schema, [stepKeyword]: true }
      : schema,
  );
}
