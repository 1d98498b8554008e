import { align } from './align.ts';
import type { PromptSpan } from './prompt-spans.ts';
import type { StateChangeView } from './state-changes.ts';
import type { TurnRecord } from './turn-record.ts';

/** One line of a text in two versions. */
export interface DiffLine {
  readonly kind: 'same' | 'added' | 'removed';
  readonly text: string;
}

/** One span in two prompts. A changed span has the same origin and other text. */
export type DiffEntry =
  | { readonly kind: 'same' | 'added' | 'removed'; readonly span: PromptSpan }
  | { readonly kind: 'changed'; readonly before: PromptSpan; readonly span: PromptSpan; readonly lines: readonly DiffLine[] };

/** A change of state and the turn that made it. */
export interface TurnStateChange extends StateChangeView {
  readonly turnId: string;
}

/** What differs between the prompts of two turns, and what both changed in the state. */
export interface TurnDiff {
  readonly before: string;
  readonly after: string;
  readonly entries: readonly DiffEntry[];
  /** Estimated tokens of the spans of each kind. */
  readonly tokens: { readonly same: number; readonly added: number; readonly removed: number };
  /** How much of both prompts' beginning is the same: what a provider's prompt cache can reuse. */
  readonly sharedPrefix: { readonly characters: number; readonly share: number };
  readonly tools: { readonly added: readonly string[]; readonly removed: readonly string[] };
  /** What each of the two turns changed in agent and team state, in the order of the journal. */
  readonly stateChanges: readonly TurnStateChange[];
}

/** Compares what two turns' models saw, span by span, and lists what the turns changed in the state; `a` is the earlier one. */
export function diffTurns(a: TurnRecord, b: TurnRecord): TurnDiff {
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

function changesOf({ turnId, stateChanges }: TurnRecord): readonly TurnStateChange[] {
  return stateChanges.map((change) => ({ ...change, turnId }));
}

type PlainEntry = Extract<DiffEntry, { readonly kind: 'same' | 'added' | 'removed' }>;

/**
 * Places of the spans that a turn rendered for itself alone. A status that an observer posts every turn is another item each time,
 * and in the same place all the same: who posted it, and the kind of item.
 */
function placesOf({ turnId, inputs, prompt }: TurnRecord): ReadonlyMap<PromptSpan, string> {
  const items = new Map(inputs.map((input) => [input.itemId as string, input]));
  const places = new Map<PromptSpan, string>();
  for (const span of prompt.spans) {
    const item = span.source === 'item' && span.ephemeral === true && span.turnId === turnId ? items.get(span.ref) : undefined;
    if (item !== undefined)
      places.set(span, JSON.stringify(['rendered', span.role, item.source, item.observerId ?? '', item.ingestor]));
  }
  return places;
}

/** What stays the same when a span's text changes. */
function placeKey(span: PromptSpan): string {
  return JSON.stringify([span.source, span.role, span.ref, span.source === 'item' ? (span.turnId ?? '') : '']);
}

/** Joins a removed and an added span of one origin to a changed one. */
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

/** Compares two texts line by line. */
function diffLines(a: string, b: string): readonly DiffLine[] {
  return align(a.split('\n'), b.split('\n'), (line) => line).map((step) =>
    step.kind === 'removed' ? { kind: 'removed', text: step.a } : { kind: step.kind, text: step.b },
  );
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
