import { setImmediate as nextTurn } from 'node:timers/promises';
import type { EffectTool } from '../../core/tool/tool.ts';
import type { ServerTool } from './server-tool.ts';

/**
 * The tools of a server, made once for each definition. Their schemas are compiled, which takes long for large ones: between two of them
 * everything else in this process goes on.
 */
export class ToolsMade {
  readonly #make: (tool: ServerTool) => EffectTool;
  #made = new Map<string, () => EffectTool>();

  constructor(make: (tool: ServerTool) => EffectTool) {
    this.#make = make;
  }

  /** Makes those that are new, and forgets those that are no more. */
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

  /** One of those that were prepared; throws why it cannot be used. */
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
