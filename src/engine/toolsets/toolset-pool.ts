import { createHash } from 'node:crypto';
import type { JsonObject } from '../../core/json.ts';
import type { Toolset } from '../../core/tool/toolset.ts';
import type { ListPorts } from './tool-list.ts';
import { ToolsetInstance } from './toolset-instance.ts';

/** Most instances that are kept although nothing uses them. */
const mostIdle = 64;

/**
 * The toolsets that connect to something, of all profile sets of one program: two sets share an instance exactly when they declare it
 * with one name, kind and settings. A name alone is never enough.
 */
export class ToolsetPool {
  readonly #ports: ListPorts;
  readonly #instances = new Map<string, ToolsetInstance>();

  constructor(ports: ListPorts) {
    this.#ports = ports;
  }

  /** The instance of a kind with these settings; `toolset` is one made from them, and used unless there is one already. */
  ofSettings(name: string, kind: string, settings: JsonObject, toolset: Toolset): ToolsetInstance {
    const id = instanceId(name, kind, settings);
    return toolset.connect === undefined ? this.#made(name, id, toolset) : this.#shared(name, id, toolset);
  }

  /** The instance of a toolset that code makes; it is made once. */
  ofCode(name: string, make: () => Toolset): ToolsetInstance {
    const id = `${name}#code`;
    return this.#instances.get(id) ?? this.#shared(name, id, make());
  }

  /** Resolves when everything is closed that is not in use. */
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

/** Settings hold secrets: what names an instance is their hash. */
function instanceId(name: string, kind: string, settings: JsonObject): string {
  const text = JSON.stringify([kind, sorted(settings)]);
  return `${name}#${createHash('sha256').update(text).digest('base64url').slice(0, 22)}`;
}

/** Objects with their keys in order: two files may give one set of settings in two orders. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, part]: readonly [string, unknown]) => [key, sorted(part)] as const);
  return Object.fromEntries(entries.toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
