import { decodeWireName, encodeWireName } from '../../tools/wire-name.ts';

/**
 * The names behind wire names that cannot be undone, since they end in a hash. A pure cache: which wire name a name has depends on the
 * name alone, so that it does not matter which catalogs its tools were in.
 */
export class WireNames {
  readonly #origins = new Map<string, string>();

  /** Remembers the name of a tool. */
  add(name: string): void {
    const wire = encodeWireName(name);
    if (decodeWireName(wire) !== name) this.#origins.set(wire, name);
  }

  /** Returns the name that a wire name encodes; any other text is returned unchanged. */
  decode(wire: string): string {
    return this.#origins.get(wire) ?? decodeWireName(wire);
  }
}
