import type { JsonObject } from '../../core/json.ts';
import type { Engine } from '../../engine/engine.ts';

/** What a tool answers to its client: words for whoever reads them, and the same as data where that helps. */
export interface TeamAnswer {
  readonly text: string;
  readonly data?: JsonObject;
  /** Further texts that are not cut, however long: what a person is asked to agree to. */
  readonly whole?: readonly string[];
}

/** What a tool of the server is called with. */
export interface TeamCall {
  readonly engine: Engine;
  readonly args: JsonObject;
  /** Aborted when the client no longer waits, or the server stops. */
  readonly signal: AbortSignal;
  /** Tells the client that something has happened. */
  readonly progress: (message: string) => void;
}

/** A tool that the server offers to its clients. */
export interface TeamTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: JsonObject & { readonly type: 'object' };
  readonly readOnly: boolean;
  readonly run: (call: TeamCall) => Promise<TeamAnswer>;
}

/** The text argument of this name; the schema has seen to it that it is one, or absent. */
export function textArgument(args: JsonObject, name: string): string | undefined {
  const value = args[name];
  return typeof value === 'string' ? value : undefined;
}

/** A text argument that the schema requires. */
export function requiredText(args: JsonObject, name: string): string {
  return textArgument(args, name) ?? '';
}
