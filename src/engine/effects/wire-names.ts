import { decodeWireName, encodeWireName } from '../../tools/wire-name.ts';

/**
 * Original names of wire names that end in a hash and cannot be decoded. A pure cache: a wire name depends on the name alone, so the
 * catalogs its tools come from do not matter.
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
