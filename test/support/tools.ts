import { type Gate, gate } from './test-engine.ts';

/** A tool definition as `createEngine` takes it. */
export interface TestTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: object;
  readonly execute: (args: Readonly<Record<string, unknown>>, context: import('../../src/index.ts').ToolContext) => unknown;
  readonly [option: string]: unknown;
}

/** Creates a tool with free arguments, whose results appear unframed in prompts unless `options` say otherwise. */
export function tool(name: string, execute: TestTool['execute'], options: Readonly<Record<string, unknown>> = {}): TestTool {
  return { name, description: `Does ${name}.`, parameters: { type: 'object' }, execute, trust: 'trusted', ...options };
}

/** Allows these tools in a profile. */
export function allow(...names: readonly string[]): string {
  return `tool_access_policy: { allowed_individual_tools: ${JSON.stringify(names)} }\n`;
}

/** A tool whose every run waits until the test lets it go, and a log of what began and ended. */
export interface HeldTool {
  readonly tool: TestTool;
  readonly log: string[];
  /** The gates of the runs so far, by the argument `id`. */
  readonly gates: Map<string, Gate<unknown>>;
}

/** Makes a held tool; several may share one log. */
export function heldTool(name: string, options: Readonly<Record<string, unknown>> = {}, log: string[] = []): HeldTool {
  const gates = new Map<string, Gate<unknown>>();
  const execute: TestTool['execute'] = async (args) => {
    const id = String(args['id'] ?? name);
    const own = gate<unknown>();
    gates.set(id, own);
    log.push(`begin ${id}`);
    const value = await own.promise;
    log.push(`end ${id}`);
    return value;
  };
  return { tool: tool(name, execute, options), log, gates };
}
