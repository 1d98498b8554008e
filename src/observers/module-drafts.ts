import type { StateDiff } from '../core/patches/diff-state.ts';
import type { DraftModule, RecipeOwner } from '../core/patches/state-draft.ts';
import { compareModules } from '../core/team/module-changes.ts';
import { emptyModule, type WorkModule } from '../core/team/work-module.ts';
import { checkKey, type DraftGuard, inherited } from './draft-guard.ts';

/** Makes and settles the draft of one module. */
export interface DraftMaker {
  readonly open: (module: WorkModule) => object;
  readonly settle: (draft: object, module: WorkModule) => object;
}

type Modules = Readonly<Record<string, WorkModule>>;

/**
 * `draft.team.work_modules` of one recipe, with the methods of this class as its traps. It drafts only the modules that are looked at: a plan
 * may have thousands, and a copy of the record for each recipe would cost as much as all of them.
 */
export class ModuleDrafts implements ProxyHandler<Record<string, DraftModule>> {
  readonly record: Record<string, DraftModule> = new Proxy<Record<string, DraftModule>>({}, this);
  readonly #known: Modules;
  readonly #guard: DraftGuard;
  readonly #maker: DraftMaker;
  readonly #drafts = new Map<string, object>();
  /** Modules that were assigned: new ones, and those that replace another. */
  readonly #given = new Map<string, unknown>();

  constructor(known: Modules, guard: DraftGuard, maker: DraftMaker) {
    this.#known = known;
    this.#guard = guard;
    this.#maker = maker;
  }

  /** Adds the changed modules to the diff; throws when a module is invalid or has an id that is not the next one. */
  compare(diff: StateDiff, owner: RecipeOwner): void {
    compareModules(diff, this.#known, this.#changed(owner.at), owner);
  }

  get(target: object, key: string | symbol, receiver: unknown): unknown {
    this.#guard.assertOpen();
    if (typeof key === 'symbol') return undefined;
    return this.#isThere(key) ? this.#read(key) : inherited(Reflect.get(target, key), key, receiver);
  }

  set(target: object, key: string | symbol, value: unknown): boolean {
    this.#guard.assertOpen();
    checkKey(target, key);
    this.#guard.note(value);
    this.#given.set(key, value);
    return true;
  }

  has(_target: object, key: string | symbol): boolean {
    this.#guard.assertOpen();
    return this.#isThere(key);
  }

  ownKeys(): string[] {
    this.#guard.assertOpen();
    return [...new Set([...Object.keys(this.#known), ...this.#given.keys()])];
  }

  getOwnPropertyDescriptor(_target: object, key: string | symbol): PropertyDescriptor | undefined {
    this.#guard.assertOpen();
    if (typeof key === 'symbol' || !this.#isThere(key)) return undefined;
    return { value: this.#read(key), writable: true, enumerable: true, configurable: true };
  }

  deleteProperty(_target: object, key: string | symbol): never {
    throw new TypeError(`work module ${String(key)} cannot be removed; set its status to deprecated`);
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

  /** Returns the changed ones among the modules that were read. */
  #changed(at: number): ReadonlyMap<string, unknown> {
    const changed = new Map<string, unknown>();
    for (const [id, draft] of this.#drafts) {
      const module = this.#moduleOf(id);
      const after = module === undefined ? undefined : this.#maker.settle(draft, module);
      if (after !== module) changed.set(id, after);
    }
    for (const [id, value] of this.#given) {
      const fresh = this.#moduleOf(id) === undefined ? emptyModule(id, at) : {};
      changed.set(id, typeof value === 'object' && value !== null ? { ...fresh, ...value } : value);
    }
    return changed;
  }

  #isThere(id: string | symbol): boolean {
    return typeof id === 'string' && (this.#given.has(id) || this.#moduleOf(id) !== undefined);
  }

  #moduleOf(id: string): WorkModule | undefined {
    return Object.hasOwn(this.#known, id) ? this.#known[id] : undefined;
  }

  #read(id: string): unknown {
    const module = this.#moduleOf(id);
    if (module === undefined || this.#given.has(id)) return this.#given.get(id);
    let draft = this.#drafts.get(id);
    if (draft === undefined) {
      this.#drafts.set(id, (draft = this.#maker.open(module)));
      this.#guard.watch(draft, `team.work_modules.${id}`);
    }
    return this.#guard.wrap(draft);
  }
}
