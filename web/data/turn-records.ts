import type { ContentHash, TurnId } from '../../src/core/ids.ts';
import type { RunContext } from '../../src/core/state/run-context.ts';
import type { TurnState } from '../../src/core/state/turn-state.ts';
import type { ProfileFacts } from '../../src/inspect/turn/profile-facts.ts';
import { shownParts, turnRecordOf, type ShownParts, type TurnRecord } from '../../src/inspect/turn/turn-record.ts';
import type { ContentCache } from './content-cache.ts';

/** How many records are kept: the ones on show, and what they are compared with. */
const kept = 8;

interface Entry {
  readonly record: TurnRecord;
  /** What the record was made of, besides what the model was shown. */
  readonly made: readonly unknown[];
  readonly shown: ShownParts;
  readonly profiles: ReadonlyMap<string, ProfileFacts> | undefined;
  /** Texts that were asked for before they were here. */
  readonly missing: Set<ContentHash>;
}

/**
 * Records of turns, each made anew only when something it shows has changed: a busy run must not build the prompt of a
 * turn again for every event of other turns, nor that of the turn itself for every step of its tools.
 */
export class TurnRecords {
  readonly #contents: ContentCache;
  readonly #entries = new Map<TurnId, Entry>();

  constructor(contents: ContentCache) {
    this.#contents = contents;
  }

  record(run: RunContext, turn: TurnState, profiles: ReadonlyMap<string, ProfileFacts> | undefined): TurnRecord {
    const before = this.#entries.get(turn.turnId);
    const usable = before !== undefined && before.profiles === profiles && !this.#hasCome(before.missing) ? before : undefined;
    const made = madeOf(run, turn);
    const same = usable?.made.length === made.length && usable.made.every((part, index) => part === made[index]);
    const entry = usable !== undefined && same ? usable : this.#make(run, turn, { made, profiles, usable });
    // The one asked for last is the last to go.
    this.#entries.delete(turn.turnId);
    this.#entries.set(turn.turnId, entry);
    const [oldest] = this.#entries.keys();
    if (this.#entries.size > kept && oldest !== undefined) this.#entries.delete(oldest);
    return entry.record;
  }

  #make(
    run: RunContext,
    turn: TurnState,
    { made, profiles, usable }: Pick<Entry, 'made' | 'profiles'> & { readonly usable: Entry | undefined },
  ): Entry {
    const profile = profiles?.get(run.agents.get(turn.agentId)?.meta.profile ?? '');
    const missing = usable?.missing ?? new Set<ContentHash>();
    const content = (hash: ContentHash): string | undefined => {
      const text = this.#contents.read(hash);
      if (text === undefined && this.#contents.isMissing(hash)) missing.add(hash);
      return text;
    };
    const shown = usable?.shown ?? shownParts(run, turn, { content, profile });
    return { record: turnRecordOf(run, turn, { shown, profile }), made, shown, profiles, missing };
  }

  #hasCome(missing: ReadonlySet<ContentHash>): boolean {
    for (const hash of missing) if (!this.#contents.isMissing(hash)) return true;
    return false;
  }
}

/** All of a turn that changes while it is under way. */
function madeOf(run: RunContext, turn: TurnState): readonly unknown[] {
  const { modelEnd, decide, end, stateChanges, calls } = turn;
  const ofCalls = calls.flatMap((call) => [call.status, call.args, call.waitFor, call.attempt, call.approved, call.end]);
  return [run.agents.get(turn.agentId)?.meta, run.usage.costUnknown, modelEnd, decide, end, stateChanges?.length, ...ofCalls];
}
