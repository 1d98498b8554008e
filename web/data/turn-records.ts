import type { ContentHash, TurnId } from '../../src/core/ids.ts';
import type { RunContext } from '../../src/core/state/run-context.ts';
import type { TurnState } from '../../src/core/state/turn-state.ts';
import type { ProfileFacts } from '../../src/inspect/turn/profile-facts.ts';
import { shownParts, turnRecordOf, type ShownParts, type TurnRecord } from '../../src/inspect/turn/turn-record.ts';
import type { ContentCache } from './content-cache.ts';

/** Number of records kept: the visible ones, and those they are compared with. */
const kept = 8;

interface Entry {
  readonly record: TurnRecord;
  /** Inputs of the record, besides the prompt. */
  readonly made: readonly unknown[];
  readonly shown: ShownParts;
  readonly profiles: ReadonlyMap<string, ProfileFacts> | undefined;
  /** Texts that were requested before they were loaded. */
  readonly missing: Set<ContentHash>;
}

/**
 * Records of turns, each built again only when something it shows has changed: events of other turns must not rebuild a prompt, nor
 * must each step of the turn's own tools.
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
    // Moves the record to the end: the first one is dropped next.
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

/** Returns everything in a turn that changes while it runs. */
function madeOf(run: RunContext, turn: TurnState): readonly unknown[] {
  const { modelEnd, decide, end, stateChanges, calls } = turn;
  const ofCalls = calls.flatMap((call) => [call.status, call.args, call.waitFor, call.attempt, call.approved, call.end, call.late]);
  return [run.agents.get(turn.agentId)?.meta, run.usage.costUnknown, modelEnd, decide, end, stateChanges?.length, ...ofCalls];
}
