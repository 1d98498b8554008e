import type { SourceRef } from '../../core/profile/source-ref.ts';
import type { AgentId, RunId, TurnId } from '../../core/ids.ts';
import type { JsonValue } from '../../core/json.ts';
import type { PromptMessage } from '../../core/prompt/message.ts';
import type { OfferedTool } from '../../core/model/model.ts';
import type { DiffLine } from '../turn/diff-lines.ts';
import type { CallVerdict } from './turn-facts.ts';

/** Part of a turn that edited profiles may change. */
export type TurnPart =
  | 'start'
  | 'system prompt'
  | 'messages'
  | 'history'
  | 'tools'
  | 'tool choice'
  | 'observers'
  | 'items'
  | 'state'
  | 'decision'
  | 'gates';

/** A changed piece of a prompt: a segment of the system prompt, or the text that an ingestor made of an item. */
export interface ChangedText {
  readonly change: 'changed' | 'added' | 'removed' | 'moved';
  /** Id of the segment, or source of the inbox item. */
  readonly name: string;
  /** Type of the segment, or name of the ingestor. */
  readonly kind: string;
  /** Observer or rule that posted the item. */
  readonly by?: string;
  /** Place in the edited profiles that declares the segment. */
  readonly source?: SourceRef;
  /** Reason why there is no text. */
  readonly error?: string;
  readonly lines: readonly DiffLine[];
}

/** A value before and after. */
export interface BeforeAfter<Value> {
  readonly before: Value;
  readonly after: Value;
}

/** What a decision says in words, with the rule that matched. */
export interface DecisionView {
  readonly action: string;
  readonly ruleId?: string;
  readonly outcome?: string;
  readonly detail?: JsonValue;
}

/** Whole prompt of a turn. */
export interface WholePrompt {
  readonly messages: readonly PromptMessage[];
  readonly tools: readonly OfferedTool[];
  readonly toolChoice: string;
}

/** How one recorded turn would have been under other profiles; each part is absent when it is the same. */
export interface TurnDifference {
  readonly runId: RunId;
  readonly turnId: TurnId;
  readonly agentId: AgentId;
  readonly profile: string;
  /** Sequence number of `turn.start`. */
  readonly seq: number;
  readonly parts: readonly TurnPart[];
  /** Reason why the turn would not have begun. */
  readonly start?: string;
  readonly systemPrompt?: readonly ChangedText[];
  readonly messages?: readonly ChangedText[];
  /** The part of the history that the prompt shows. */
  readonly history?: BeforeAfter<string>;
  readonly tools?: { readonly added: readonly string[]; readonly removed: readonly string[]; readonly changed: readonly string[] };
  readonly toolChoice?: BeforeAfter<string>;
  /** Observers that fired or failed, in order. */
  readonly observers?: BeforeAfter<readonly string[]>;
  /** Items that observers and rules posted. */
  readonly items?: BeforeAfter<readonly string[]>;
  /** State changes by observers. */
  readonly state?: BeforeAfter<readonly string[]>;
  readonly decision?: BeforeAfter<DecisionView | undefined>;
  readonly gates?: readonly BeforeAfter<CallVerdict | undefined>[];
  /** Whole prompts, when they were asked for. */
  readonly prompts?: BeforeAfter<WholePrompt | undefined>;
}

/** Turns of one run under other profiles. */
export interface RerenderedRun {
  readonly runId: RunId;
  readonly turns: number;
  readonly same: number;
  readonly differ: number;
  /** Tools with the effect `unsafe` that agents of the other profiles may call. */
  readonly unsafeTools: readonly string[];
  /** What cannot be judged here, in words. */
  readonly notes: readonly string[];
}

/** What differs, in how many turns. */
interface RerenderedPlace {
  readonly profile: string;
  readonly what: string;
  readonly turns: number;
}

/** Result of re-rendering runs: no model was called, no tool run, nothing written. */
export interface Rerendering {
  readonly turns: number;
  readonly same: number;
  readonly differ: number;
  readonly where: readonly RerenderedPlace[];
  readonly runs: readonly RerenderedRun[];
  /** Turns that differ, in journal order of each run. */
  readonly differences: readonly TurnDifference[];
}

/** Adds up what differs, and where. */
export function summarize(runs: readonly RerenderedRun[], differences: readonly TurnDifference[]): Rerendering {
  const sum = (key: 'turns' | 'same' | 'differ'): number => runs.reduce((total, run) => total + run[key], 0);
  return { turns: sum('turns'), same: sum('same'), differ: sum('differ'), where: placesOf(differences), runs, differences };
}

function placesOf(differences: readonly TurnDifference[]): readonly RerenderedPlace[] {
  const places = new Map<string, RerenderedPlace>();
  for (const difference of differences) {
    for (const what of new Set(partsIn(difference))) {
      const key = JSON.stringify([difference.profile, what]);
      places.set(key, { profile: difference.profile, what, turns: (places.get(key)?.turns ?? 0) + 1 });
    }
  }
  return [...places.values()].toSorted((a, b) => b.turns - a.turns);
}

/** What differs in a turn, with the names of its pieces. */
function partsIn({ parts, systemPrompt = [], messages = [], start, decision }: TurnDifference): readonly string[] {
  return parts.flatMap((part): readonly string[] => {
    switch (part) {
      case 'start':
        return [start ?? 'does not begin'];
      case 'system prompt':
        return systemPrompt.map(({ name }) => `segment ${name}`);
      case 'messages':
        return messages.map(({ name, kind }) => `message ${name} (${kind})`);
      case 'decision':
        return [`decision ${decisionName(decision?.before)} → ${decisionName(decision?.after)}`];
      default:
        return [part];
    }
  });
}

function decisionName(view: NonNullable<TurnDifference['decision']>['before']): string {
  if (view === undefined) return 'none';
  return view.ruleId ?? view.action;
}
