import type { AgentId, TurnId } from '../ids.ts';

/**
 * Range of history that an agent sees: its own before the current task, the conversation with the person, the whole team's,
 * that of agents below it, values the team shares.
 */
export type VisibleScope = 'own' | 'conversation' | 'team' | 'below' | 'global';

/** Kind of an entry in an agent's history. */
export type EntryKind = 'user_message' | 'assistant_message' | 'task' | 'reply' | 'call' | 'result' | 'error' | 'final' | 'global';

/** All scopes, in display order. */
export const visibleScopes: readonly VisibleScope[] = ['own', 'conversation', 'team', 'below', 'global'];

/** Defaults of each kind: the most entries shown, and their longest text in characters. */
export const entryDefaults: Readonly<Record<EntryKind, { readonly last: number; readonly chars: number }>> = {
  user_message: { last: 8, chars: 1_000 },
  assistant_message: { last: 8, chars: 1_000 },
  task: { last: 8, chars: 1_000 },
  reply: { last: 8, chars: 500 },
  call: { last: 12, chars: 200 },
  result: { last: 12, chars: 500 },
  error: { last: 8, chars: 500 },
  final: { last: 8, chars: 1_500 },
  global: { last: 20, chars: 500 },
};

/** Names for groups of kinds. */
export const entryGroups: Readonly<Record<string, readonly EntryKind[]>> = {
  messages: ['user_message', 'assistant_message'],
  trace: ['reply', 'call', 'result', 'error'],
  delegation: ['task', 'final'],
};

/**
 * Upper bounds for profiles on entries per kind and characters per text: a turn reads a bounded amount of others' history
 * whatever they did (I13).
 */
export const mostEntries = 50;
export const mostEntryChars = 10_000;

/** The list in `team.shared` that the scope `global` shows; rules and observers append to it. */
export const globalKey = 'global';

/** Source of the item that carries the visible history. */
export const visibleSource = 'VISIBLE_HISTORY';

/** A profile's settings of the history that its agents see besides their messages. */
export interface Visibility {
  readonly show: ReadonlySet<VisibleScope>;
  /** Most entries of each visible kind, and their longest text in characters. */
  readonly kinds: ReadonlyMap<EntryKind, { readonly last: number; readonly chars: number }>;
}

/** One message, action or reply of an agent of the team. */
export interface VisibleEntry {
  readonly kind: EntryKind;
  readonly text: string;
  /** Number of characters left out of the text. */
  readonly cut?: number;
  readonly agent_id?: AgentId;
  readonly profile?: string;
  readonly turn_id?: TurnId;
  /** Tool of a call or result; outcome of a final report. */
  readonly name?: string;
}
