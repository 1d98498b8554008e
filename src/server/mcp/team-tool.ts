import type { JsonObject } from '../../core/json.ts';
import type { AccessOf } from '../access/access-table.ts';
import type { Person } from '../../core/roles.ts';
import type { Engine } from '../../engine/engine.ts';

/** Answer of a tool: text, and the same as data where that helps. */
export interface TeamAnswer {
  readonly text: string;
  readonly data?: JsonObject;
  /** Further texts that are never shortened: what a person is asked to approve. */
  readonly whole?: readonly string[];
}

/** A call of a tool of the server. */
export interface TeamCall {
  readonly engine: Engine;
  readonly args: JsonObject;
  /** Who calls. */
  readonly person: Person;
  /** Aborted when the client no longer waits, or the server stops. */
  readonly signal: AbortSignal;
  /** Sends a progress message to the client. */
  readonly progress: (message: string) => void;
}

/** A tool that the server offers to its clients. */
export interface TeamTool {
  /** The table of access has the role that a call needs. */
  readonly name: AccessOf<'MCP'>;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: JsonObject & { readonly type: 'object' };
  readonly readOnly: boolean;
  readonly run: (call: TeamCall) => Promise<TeamAnswer>;
}

/** Returns a text argument; the schema guarantees that it is a string or absent. */
export function textArgument(args: JsonObject, name: string): string | undefined {
  const value = args[name];
  return typeof value === 'string' ? value : undefined;
}

/** Returns a text argument that the schema requires. */
export function requiredText(args: JsonObject, name: string): string {
  return textArgument(args, name) ?? '';
}
