import type { JsonObject } from '../../core/json.ts';

/** An argument that is a text, or undefined when it was left out. */
export function textOf(args: JsonObject, name: string): string | undefined {
  const value = args[name];
  return typeof value === 'string' ? value : undefined;
}

/** An argument that is a number, or undefined when it was left out. */
export function numberOf(args: JsonObject, name: string): number | undefined {
  const value = args[name];
  return typeof value === 'number' ? value : undefined;
}

/** An argument that is yes or no; no when it was left out. */
export function flagOf(args: JsonObject, name: string): boolean {
  return args[name] === true;
}
