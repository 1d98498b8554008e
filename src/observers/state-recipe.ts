import { createRequire } from 'node:module';
import type * as Immer from 'immer';
import { isPlain, StateDiff } from '../core/patches/diff-state.ts';
import { isJsonObject, type JsonObject } from '../core/json.ts';
import type { Recipe, RecipeOwner, StateDraft } from '../core/patches/state-draft.ts';
import type { PatchedState } from '../core/patches/state-patch.ts';
import type { Changes } from '../core/patches/patch.ts';
import { toWire } from '../core/tool/to-wire.ts';
import { DraftGuard } from './draft-guard.ts';
import { ModuleDrafts } from './module-drafts.ts';

/** A draft that is being written to. */
export interface OpenRecipe {
  readonly draft: StateDraft;
  /** Ends the recipe and says what changed; throws when that may not be. */
  close(): Changes;
  /** Ends the recipe. */
  abandon(): void;
}

type Slice = 'flags' | 'values' | 'deliverables' | 'shared';
type Slices = Record<Slice, StateDraft['flags']>;

const load = createRequire(import.meta.url);

/** Pure cache: immer, read when the first recipe runs, since most processes run none. The fold freezes what it keeps, so immer need not. */
let immer: (typeof Immer & { readonly engine: InstanceType<(typeof Immer)['Immer']> }) | undefined;

/**
 * Opens a draft of state for code that changes it by writing to it.
 *
 * Owns: drafts, and turning what was written to them into patches. Does not own: applying patches, which is the fold's.
 * 1. Immer makes the drafts, so that unchanged parts are shared; patches come from comparing before and after, since those of
 *    immer 11 lose values moved within one recipe, and rewrite a list whose first entry is removed.
 * 2. What was written is JSON by the rules of `toWire`, and keeps its kind: `flags` is an object, modules are modules.
 * 3. After `close` or `abandon` the draft cannot be read or written.
 */
export function openRecipe(state: PatchedState, owner: RecipeOwner): OpenRecipe {
  const { engine, current, isDraft, isModified } = readImmer();
  const guard = new DraftGuard(owner, isDraft);
  const { flags, values, deliverables, team } = state;
  const base = { flags, values, deliverables, shared: team.shared } satisfies Record<Slice, JsonObject>;
  const root = engine.createDraft<Slices>(base);
  if (owner.onRead !== undefined)
    for (const slice of ['flags', 'values', 'deliverables', 'shared'] as const)
      guard.watch(root[slice], slice === 'shared' ? `team.${slice}` : slice);
  // A part of a draft that appears in several places is correct only in a copy of everything that changed, which costs more.
  let holdsMoved: boolean | undefined;
  const settle = (draft: object, before: object): object => {
    if (!isModified(draft)) return before;
    holdsMoved ??= guard.holdsMoved();
    return holdsMoved ? current(draft) : engine.finishDraft(draft);
  };
  const modules = new ModuleDrafts(team.work_modules, guard, { open: (module) => engine.createDraft<object>(module), settle });
  return {
    draft: new Draft(guard.wrap(root) as Slices, modules.record),
    close: () => {
      const diff = new StateDiff();
      try {
        compareSlices(diff, base, settle(root, base) as Readonly<Record<Slice, unknown>>);
        modules.compare(diff, owner);
      } finally {
        guard.close();
      }
      return { patches: diff.patches, inverse: diff.inverse };
    },
    abandon: () => guard.close(),
  };
}

function readImmer(): NonNullable<typeof immer> {
  if (immer !== undefined) return immer;
  const library = load('immer') as typeof Immer;
  immer = { ...library, engine: new library.Immer({ autoFreeze: false }) };
  return immer;
}

/** Runs a recipe. Throws, with nothing changed, when the recipe throws, is async, returns a state, or creates an invalid value. */
export function runRecipe(state: PatchedState, recipe: Recipe, owner: RecipeOwner): Changes {
  const open = openRecipe(state, owner);
  try {
    const returned: unknown = recipe(open.draft);
    refusePromise(returned, owner.owner);
    const changes = open.close();
    if (changes.patches.length === 0 && typeof returned === 'object' && returned !== null)
      throw new Error(`${owner.owner} changed nothing and returned an object: write to the draft, and return nothing`);
    return changes;
  } finally {
    open.abandon();
  }
}

/** Refuses a recipe that goes on after it returned: its draft is closed by then. */
export function refusePromise(returned: unknown, owner: string): void {
  if (typeof returned !== 'object' || returned === null || typeof (returned as { then?: unknown }).then !== 'function') return;
  void Promise.resolve(returned).catch(() => undefined);
  throw new Error(`${owner} returned a promise: it must write to its draft at once, without await`);
}

/** State handed to a recipe: only its four slices can be replaced. */
class Draft implements StateDraft {
  readonly team: StateDraft['team'];
  readonly #slices: Slices;

  constructor(slices: Slices, modules: StateDraft['team']['work_modules']) {
    this.#slices = slices;
    this.team = new TeamDraft(slices, modules);
    Object.freeze(this);
  }

  get flags(): Slices['flags'] {
    return this.#slices.flags;
  }
  set flags(value) {
    this.#slices.flags = value;
  }
  get values(): Slices['values'] {
    return this.#slices.values;
  }
  set values(value) {
    this.#slices.values = value;
  }
  get deliverables(): Slices['deliverables'] {
    return this.#slices.deliverables;
  }
  set deliverables(value) {
    this.#slices.deliverables = value;
  }
}

class TeamDraft {
  readonly work_modules: StateDraft['team']['work_modules'];
  readonly #slices: Slices;

  constructor(slices: Slices, modules: StateDraft['team']['work_modules']) {
    this.#slices = slices;
    this.work_modules = modules;
    Object.freeze(this);
  }

  get shared(): Slices['shared'] {
    return this.#slices.shared;
  }
  set shared(value) {
    this.#slices.shared = value;
  }
}

function compareSlices(
  diff: StateDiff,
  before: Readonly<Record<Slice, JsonObject>>,
  after: Readonly<Record<Slice, unknown>>,
): void {
  for (const slice of ['flags', 'values', 'deliverables', 'shared'] as const) {
    const path = slice === 'shared' ? ['team', slice] : [slice];
    const now = isPlain(after[slice]) ? after[slice] : toWire(after[slice]);
    if (!isJsonObject(now)) throw new Error(`${path.join('.')} must stay an object`);
    diff.compare(path, before[slice], now);
  }
}
