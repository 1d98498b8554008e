import type { JsonObject } from '../../core/json.ts';

/** Returns a text argument; undefined when it was left out. */
export function textOf(args: JsonObject, name: string): string | undefined {
  const value = args[name];
  return typeof value === 'string' ? value : undefined;
}

/** Returns a number argument; undefined when it was left out. */
export function numberOf(args: JsonObject, name: string): number | undefined {
  const value = args[name];
  return typeof value === 'number' ? value : undefined;
}

/** Returns a boolean argument; false when it was left out. */
export function flagOf(args: JsonObject, name: string): boolean {
  return args[name] === true;
}
