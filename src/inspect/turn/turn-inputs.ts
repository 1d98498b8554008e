import type { AgentId, ItemId } from '../../core/ids.ts';
import { isUntrusted } from '../../core/fold/sources.ts';
import { priorityOf } from '../../core/inbox/inbox.ts';
import type { JsonValue } from '../../core/json.ts';
import type { TurnState } from '../../core/state/turn-state.ts';
import type { TurnInput } from '../../core/state/turn.ts';
import type { ProfileFacts } from './profile-facts.ts';

/** An item a turn read: its payload and the ingested content. */
export interface TurnInputView extends TurnInput {
  /** Priority it was read with; lower is read first. */
  readonly priority: number;
  /** Payload as posted; null when no longer known. */
  readonly payload: JsonValue;
  /** The observer or decider rule that made the item. */
  readonly observerId?: string;
  readonly ruleId?: string;
  /** The item that it takes the place of: a person edited it in this fork. */
  readonly edits?: ItemId;
  /** The agent that posted it; absent for the outside. */
  readonly from?: AgentId;
  /** The person who posted or edited it. */
  readonly by?: string;
  /** Sequence number of its `inbox.add` event; 0 when unknown. */
  readonly seq: number;
}

/** Returns the items a turn read, in reading order (I3). */
export function turnInputs(turn: TurnState, profile: ProfileFacts | undefined): readonly TurnInputView[] {
  return turn.start.inputs.map((input, index) => {
    const item = turn.items[index];
    const seq = turn.itemSeqs[index] ?? 0;
    const declared = profile?.strategies.get(input.source)?.priority;
    const known = {
      itemId: input.itemId,
      source: input.source,
      payload: null,
      consumption: 'consume_on_read',
      delivery: 'next',
    } as const;
    return {
      ...input,
      priority: item?.priority ?? declared ?? priorityOf(item ?? known),
      payload: item?.payload ?? null,
      seq,
      ...(isUntrusted(input, item) ? { untrusted: true } : {}),
      ...(item?.observerId === undefined ? {} : { observerId: item.observerId }),
      ...(item?.ruleId === undefined ? {} : { ruleId: item.ruleId }),
      ...(item?.edits === undefined ? {} : { edits: item.edits }),
      ...(item?.from === undefined ? {} : { from: item.from }),
      ...(item?.by === undefined ? {} : { by: item.by }),
    };
  });
}

/** Returns the index of an item among a turn's inputs. */
export function inputIndex(turn: TurnState, itemId: ItemId | string): number {
  return turn.start.inputs.findIndex((input) => input.itemId === itemId);
}
