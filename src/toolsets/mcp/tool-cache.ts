import { setImmediate as nextTurn } from 'node:timers/promises';
import type { EffectTool } from '../../core/tool/tool.ts';
import type { ServerTool } from './server-tool.ts';

/**
 * Cache of a server's tools, created once per definition. Compiling large schemas takes long, so other work of the process proceeds
 * between two of them.
 */
export class ToolCache {
  readonly #make: (tool: ServerTool) => EffectTool;
  #made = new Map<string, () => EffectTool>();

  constructor(make: (tool: ServerTool) => EffectTool) {
    this.#make = make;
  }

  /** Creates new tools, and drops those no longer listed. */
  async prepare(tools: readonly ServerTool[]): Promise<void> {
    const before = this.#made;
    const made = new Map<string, () => EffectTool>();
    for (const tool of tools) {
      const key = keyOf(tool);
      const known = before.get(key);
      made.set(key, known ?? this.#attempt(tool));
      if (known === undefined) await nextTurn();
    }
    this.#made = made;
  }

  /** Returns a prepared tool; throws the reason when it cannot be used. */
  get(tool: ServerTool): EffectTool {
    return (this.#made.get(keyOf(tool)) ?? this.#attempt(tool))();
  }

  #attempt(tool: ServerTool): () => EffectTool {
    try {
      const made = this.#make(tool);
      return () => made;
    } catch (thrown) {
      return () => {
        throw thrown;
      };
    }
  }
}

function keyOf({ name, fingerprint }: ServerTool): string {
  return `${fingerprint} ${name}`;
}
