import type { CompiledProfile, ProfileSet } from '../../core/profile/profile.ts';
import { kindOfValue, type ValueKind } from './comparisons.ts';

/** Names that the observers of a profile set write into state. */
export interface Writes {
  readonly flags: ReadonlySet<string>;
  readonly values: ReadonlySet<string>;
  /** Kind of value at each path, such as `flags.n`, where all writers agree. */
  readonly kinds: ReadonlyMap<string, ValueKind>;
  /** True when some observers are written in code, so the full list of writes is unknown. */
  readonly isOpen: boolean;
}

/** Collects the names that declarative observers write. */
export function writesOf(profiles: readonly CompiledProfile[]): Writes {
  const actions = profiles.flatMap((profile) =>
    [...profile.preTurnObservers, ...profile.postTurnObservers].map(({ action }) => action),
  );
  const updates = actions.flatMap((action) => (action.type === 'update_state' ? action.updates : []));
  const names = (root: string): ReadonlySet<string> =>
    new Set(updates.flatMap(({ path }) => (path.startsWith(`${root}.`) ? [path.split('.')[1] ?? ''] : [])));
  const seen = new Map<string, Set<ValueKind | undefined>>();
  for (const { operation, path, value } of updates) {
    if (operation === 'remove') continue;
    const written = value?.constant === true ? kindOfValue(value.build({})) : undefined;
    const kind = operation === 'increment' ? 'number' : operation === 'set' ? written : undefined;
    seen.set(path, (seen.get(path) ?? new Set()).add(kind));
  }
  const kinds = new Map<string, ValueKind>();
  for (const [path, [kind, ...others]] of seen) if (kind !== undefined && others.length === 0) kinds.set(path, kind);
  return { flags: names('flags'), values: names('values'), kinds, isOpen: actions.some(({ type }) => type === 'call') };
}

/** Returns the sources that the profiles and handovers of a set post under. */
export function postedSources({ profiles, protocols }: ProfileSet): ReadonlySet<string> {
  const posted = new Set([...protocols.values()].map(({ targetSource }) => targetSource));
  for (const { preTurnObservers, postTurnObservers, flowDecider } of profiles.values())
    for (const { action } of [...preTurnObservers, ...postTurnObservers, ...flowDecider])
      if (action.type === 'add_to_inbox' || action.type === 'loop_with_inbox_item') posted.add(action.item.source);
  return posted;
}
