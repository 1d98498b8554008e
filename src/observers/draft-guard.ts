import { isInheritedName } from '../core/patches/patch.ts';
import type { RecipeOwner } from '../core/patches/state-draft.ts';

/** Deepest value in which parts of a draft are looked for; a deeper one counts as holding some. */
const maxDepth = 100;

/**
 * Keeps a recipe within its draft: every part of it that code gets is a proxy with the methods of this class as its traps.
 *
 * Owns: what code can reach through a draft. Does not own: the changes; immer makes those.
 * 1. Once the recipe is over, no part of its draft can be read or written.
 * 2. No key leads to a prototype, and names that every object has cannot be written. Inherited values are frozen copies.
 * 3. A draft has one proxy, so that `===` and `includes` work.
 */
export class DraftGuard implements ProxyHandler<object> {
  /** Whose draft it is, for messages: `observer 'count'`. */
  readonly #owner: string;
  readonly #isDraft: (value: unknown) => boolean;
  readonly #proxies = new Map<object, object>();
  readonly #drafts = new Map<unknown, object>();
  /** Objects and lists that were written. */
  readonly #written: unknown[] = [];
  readonly #onRead: RecipeOwner['onRead'];
  /** Places whose fields are reported when they are read: the slices, and each module. */
  readonly #places = new Map<object, string>();
  #isOpen = true;

  constructor({ owner, onRead }: Pick<RecipeOwner, 'owner' | 'onRead'>, isDraft: (value: unknown) => boolean) {
    this.#owner = owner;
    this.#onRead = onRead;
    this.#isDraft = isDraft;
  }

  /** Begins to report what is read in a draft, which is at this place of the state. */
  watch(draft: unknown, place: string): void {
    if (this.#onRead !== undefined && typeof draft === 'object' && draft !== null) this.#places.set(draft, place);
  }

  /** Refuses all use from now on. */
  close(): void {
    this.#isOpen = false;
  }

  /** Throws when the recipe is over. */
  assertOpen(): void {
    if (!this.#isOpen)
      throw new Error(`the draft of ${this.#owner} is used after its recipe returned; keep a copy of what you need later`);
  }

  /** True when a part of the draft was written elsewhere in it, alone or within a new value. */
  holdsMoved(): boolean {
    return this.#written.some((value) => this.#holdsDraft(value, 0));
  }

  /** Records a value written outside the drafts. */
  note(value: unknown): void {
    if (typeof value === 'object' && value !== null) this.#written.push(value);
  }

  /** Returns the proxy of a draft; other values are returned unchanged. */
  wrap(value: unknown): unknown {
    if (!this.#isDraft(value) || this.#drafts.has(value)) return value;
    const draft = value as object;
    const known = this.#proxies.get(draft);
    if (known !== undefined) return known;
    const proxy = new Proxy(draft, this);
    this.#proxies.set(draft, proxy);
    this.#drafts.set(proxy, draft);
    return proxy;
  }

  get(draft: object, key: string | symbol, receiver: unknown): unknown {
    this.assertOpen();
    const value: unknown = Reflect.get(draft, key);
    this.#noteRead(draft, key);
    return typeof key === 'symbol' || Object.hasOwn(draft, key) ? this.wrap(value) : inherited(value, key, receiver);
  }

  set(draft: object, key: string | symbol, value: unknown): boolean {
    this.assertOpen();
    checkKey(draft, key);
    this.note(value);
    return Reflect.set(draft, key, this.#drafts.get(value) ?? value);
  }

  has(draft: object, key: string | symbol): boolean {
    this.assertOpen();
    return Reflect.has(draft, key);
  }

  deleteProperty(draft: object, key: string | symbol): boolean {
    this.assertOpen();
    return Reflect.deleteProperty(draft, key);
  }

  ownKeys(draft: object): (string | symbol)[] {
    this.assertOpen();
    this.#noteRead(draft, '');
    return Reflect.ownKeys(draft);
  }

  getOwnPropertyDescriptor(draft: object, key: string | symbol): PropertyDescriptor | undefined {
    this.assertOpen();
    const found = Reflect.getOwnPropertyDescriptor(draft, key);
    this.#noteRead(draft, key);
    return found === undefined ? undefined : { ...found, value: this.wrap(Reflect.get(draft, key)) };
  }

  getPrototypeOf(draft: object): object | null {
    this.assertOpen();
    return Reflect.getPrototypeOf(draft);
  }

  isExtensible(draft: object): boolean {
    this.assertOpen();
    return Reflect.isExtensible(draft);
  }

  defineProperty(): boolean {
    return false;
  }

  setPrototypeOf(): boolean {
    return false;
  }

  preventExtensions(): boolean {
    return false;
  }

  #noteRead(draft: object, key: string | symbol): void {
    const place = this.#places.get(draft);
    if (place !== undefined && typeof key === 'string') this.#onRead?.(`${place}.${key}`);
  }

  #holdsDraft(value: unknown, depth: number): boolean {
    if (typeof value !== 'object' || value === null) return false;
    return this.#drafts.has(value) || depth > maxDepth || Object.values(value).some((inner) => this.#holdsDraft(inner, depth + 1));
  }
}

/** Refuses keys that no JSON has, and those that no path of a patch may contain. */
export function checkKey(target: object, key: string | symbol): asserts key is string {
  if (typeof key === 'symbol') throw new TypeError('a draft has texts as keys, not symbols');
  if (Array.isArray(target)) {
    if (key !== 'length' && !/^(0|[1-9]\d*)$/.test(key)) throw new TypeError(`${JSON.stringify(key)} is no index of a list`);
  } else if (isInheritedName(key)) throw new TypeError(`'${key}' is a name that every object has; state cannot use it`);
}

/** Returns the value a draft inherits under a key, in a form that exposes no prototype. */
export function inherited(value: unknown, key: string, receiver: unknown): unknown {
  if (key === '__proto__') throw new TypeError("a path through '__proto__' leads out of the draft");
  return typeof value === 'function' && key !== 'constructor' ? Object.freeze((value as () => unknown).bind(receiver)) : undefined;
}
