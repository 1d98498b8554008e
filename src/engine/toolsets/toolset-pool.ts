import { createHash } from 'node:crypto';
import type { JsonObject } from '../../core/json.ts';
import type { Toolset } from '../../core/tool/toolset.ts';
import type { ListPorts } from './tool-list.ts';
import { ToolsetInstance } from './toolset-instance.ts';
import { withSortedKeys } from '../../tools/stable-json.ts';

/** Most unused instances that are kept. */
const mostIdle = 64;

/**
 * Connecting toolsets of all profile sets of one program: two sets share an instance exactly when they declare it with the same name, kind
 * and settings. A name alone is never enough.
 */
export class ToolsetPool {
  readonly #ports: ListPorts;
  readonly #instances = new Map<string, ToolsetInstance>();

  constructor(ports: ListPorts) {
    this.#ports = ports;
  }

  /** Returns the instance of a kind with these settings; `toolset`, created from them, is used unless an instance exists. */
  ofSettings(name: string, kind: string, settings: JsonObject, toolset: Toolset): ToolsetInstance {
    const id = instanceId(name, kind, settings);
    return toolset.connect === undefined ? this.#made(name, id, toolset) : this.#shared(name, id, toolset);
  }

  /** Returns the instance of a toolset created by code; it is created once. */
  ofCode(name: string, make: () => Toolset): ToolsetInstance {
    const id = `${name}#code`;
    return this.#instances.get(id) ?? this.#shared(name, id, make());
  }

  /** Resolves when all unused instances are closed. */
  async settled(): Promise<void> {
    await Promise.all([...this.#instances.values()].map((instance) => instance.closed()));
  }

  #shared(name: string, id: string, toolset: Toolset): ToolsetInstance {
    const known = this.#instances.get(id);
    if (known !== undefined) return known;
    const made = this.#made(name, id, toolset);
    const idle = [...this.#instances].filter(([, each]) => each.isIdle && !each.id.endsWith('#code'));
    for (const [oldest] of idle.slice(0, Math.max(0, idle.length - mostIdle + 1))) this.#instances.delete(oldest);
    this.#instances.set(id, made);
    return made;
  }

  #made(name: string, id: string, toolset: Toolset): ToolsetInstance {
    return new ToolsetInstance(name, id, toolset, this.#ports);
  }
}

/** Identifies an instance by a hash of its settings, since they hold secrets. */
function instanceId(name: string, kind: string, settings: JsonObject): string {
  const text = JSON.stringify([kind, withSortedKeys(settings)]);
  return `${name}#${createHash('sha256').update(text).digest('base64url').slice(0, 22)}`;
}
