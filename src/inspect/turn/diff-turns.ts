import type { PromptSpan } from './prompt-spans.ts';
import type { StateChangeView } from '../../core/patches/state-changes.ts';
import type { TurnRecord } from './turn-record.ts';
import { align } from './align.ts';
import { type DiffLine, diffLines } from './diff-lines.ts';

/** One span in two prompts. A changed span has the same origin and other text. */
export type DiffEntry =
  | { readonly kind: 'same' | 'added' | 'removed'; readonly span: PromptSpan }
  | { readonly kind: 'changed'; readonly before: PromptSpan; readonly span: PromptSpan; readonly lines: readonly DiffLine[] };

/** A change of state and the turn that made it. */
export interface TurnStateChange extends StateChangeView {
  readonly turnId: string;
}

/** Differences between two turns' prompts, and the state changes of both. */
export interface TurnDiff {
  readonly before: string;
  readonly after: string;
  readonly entries: readonly DiffEntry[];
  /** Estimated tokens of the spans of each kind. */
  readonly tokens: { readonly same: number; readonly added: number; readonly removed: number };
  /** Common prefix of both prompts, which a provider's prompt cache can reuse. */
  readonly sharedPrefix: { readonly characters: number; readonly share: number };
  readonly tools: { readonly added: readonly string[]; readonly removed: readonly string[] };
  /** State changes of each turn, agent and team, in journal order. */
  readonly stateChanges: readonly TurnStateChange[];
}

/** What of a turn's record is compared. */
export type ComparablePrompt = Pick<TurnRecord, 'turnId' | 'inputs' | 'prompt' | 'tools' | 'stateChanges'>;

/** Compares the prompts of two turns span by span, and lists the turns' state changes; `a` is the earlier turn. */
export function diffTurns(a: ComparablePrompt, b: ComparablePrompt): TurnDiff {
  const places = new Map([...placesOf(a), ...placesOf(b)]);
  const placeOf = (span: PromptSpan): string => places.get(span) ?? placeKey(span);
  const entries = withChanges(
    align(a.prompt.spans, b.prompt.spans, (span) => `${placeOf(span)} ${span.text}`).map((step): PlainEntry =>
      step.kind === 'removed' ? { kind: 'removed', span: step.a } : { kind: step.kind, span: step.b },
    ),
    placeOf,
  );
  const shared = sharedLength(a.prompt.text, b.prompt.text);
  return {
    before: a.turnId,
    after: b.turnId,
    entries,
    tokens: countTokens(entries),
    sharedPrefix: { characters: shared, share: shared / Math.max(1, b.prompt.text.length) },
    tools: { added: b.tools.filter((name) => !a.tools.includes(name)), removed: a.tools.filter((name) => !b.tools.includes(name)) },
    stateChanges: (a.turnId === b.turnId ? [a] : [a, b]).flatMap(changesOf).toSorted((one, other) => one.seq - other.seq),
  };
}

function changesOf({ turnId, stateChanges }: ComparablePrompt): readonly TurnStateChange[] {
  return stateChanges.map((change) => ({ ...change, turnId }));
}

type PlainEntry = Extract<DiffEntry, { readonly kind: 'same' | 'added' | 'removed' }>;

/**
 * Places of spans rendered for this turn only. A status that an observer posts every turn is a new item each time but keeps its
 * place, which its poster and kind identify.
 */
function placesOf({ turnId, inputs, prompt }: ComparablePrompt): ReadonlyMap<PromptSpan, string> {
  const items = new Map(inputs.map((input) => [input.itemId as string, input]));
  const places = new Map<PromptSpan, string>();
  for (const span of prompt.spans) {
    const item = span.source === 'item' && span.ephemeral === true && span.turnId === turnId ? items.get(span.ref) : undefined;
    if (item !== undefined)
      places.set(span, JSON.stringify(['rendered', span.role, item.source, item.observerId ?? '', item.ingestor]));
  }
  return places;
}

/** Returns the key of a span that stays equal when its text changes. */
function placeKey(span: PromptSpan): string {
  return JSON.stringify([span.source, span.role, span.ref, span.source === 'item' ? (span.turnId ?? '') : '']);
}

/** Merges a removed and an added span of one origin into a changed one. */
function withChanges(entries: readonly PlainEntry[], placeOf: (span: PromptSpan) => string): readonly DiffEntry[] {
  const removed = new Map<string, PlainEntry[]>();
  for (const entry of entries) {
    if (entry.kind !== 'removed' || entry.span.source === 'join') continue;
    const key = placeOf(entry.span);
    const list = removed.get(key);
    if (list === undefined) removed.set(key, [entry]);
    else list.push(entry);
  }
  const merged = new Set<DiffEntry>();
  const changed = entries.map((entry): DiffEntry => {
    const before = entry.kind === 'added' ? removed.get(placeOf(entry.span))?.shift() : undefined;
    if (before === undefined) return entry;
    merged.add(before);
    return { kind: 'changed', before: before.span, span: entry.span, lines: diffLines(before.span.text, entry.span.text) };
  });
  return changed.filter((entry) => !merged.has(entry));
}

function countTokens(entries: readonly DiffEntry[]): TurnDiff['tokens'] {
  const tokens = { same: 0, added: 0, removed: 0 };
  for (const entry of entries) {
    if (entry.kind === 'changed') {
      tokens.added += entry.span.tokens;
      tokens.removed += entry.before.tokens;
    } else {
      tokens[entry.kind] += entry.span.tokens;
    }
  }
  return tokens;
}

function sharedLength(a: string, b: string): number {
  const most = Math.min(a.length, b.length);
  let length = 0;
  while (length < most && a.charCodeAt(length) === b.charCodeAt(length)) length++;
  return length;
}
