import type { AgentId, TurnId } from '../ids.ts';

/** Whose history an agent sees: its own before the task at hand, what was said with the person, everybody's, that of the agents below it, what the team shares. */
export type VisibleScope = 'own' | 'conversation' | 'team' | 'below' | 'global';

/** What an entry of somebody's history is. */
export type EntryKind = 'user_message' | 'assistant_message' | 'task' | 'reply' | 'call' | 'result' | 'error' | 'final' | 'global';

/** All scopes, in the order they are shown. */
export const visibleScopes: readonly VisibleScope[] = ['own', 'conversation', 'team', 'below', 'global'];

/** All kinds, with the most entries that are shown and their longest text in characters unless a profile says otherwise. */
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

/** Names for several kinds at once. */
export const entryGroups: Readonly<Record<string, readonly EntryKind[]>> = {
  messages: ['user_message', 'assistant_message'],
  trace: ['reply', 'call', 'result', 'error'],
  delegation: ['task', 'final'],
};

/** No profile may show more of one kind, nor longer texts: what a turn reads of others is bounded whatever they did (I13). */
export const mostEntries = 50;
export const mostEntryChars = 10_000;

/** The list in `team.shared` that the scope `global` shows; rules and observers append to it. */
export const globalKey = 'global';

/** The source of the item that shows it. */
export const visibleSource = 'VISIBLE_HISTORY';

/** What a profile says of the history its agents see besides their messages. */
export interface Visibility {
  readonly show: ReadonlySet<VisibleScope>;
  /** The most entries of each kind that is shown, and their longest text in characters. */
  readonly kinds: ReadonlyMap<EntryKind, { readonly last: number; readonly chars: number }>;
}

/** One thing an agent of the team was told, did or said. */
export interface VisibleEntry {
  readonly kind: EntryKind;
  readonly text: string;
  /** How many characters of the text are left out. */
  readonly cut?: number;
  readonly agent_id?: AgentId;
  readonly profile?: string;
  readonly turn_id?: TurnId;
  /** The tool of a call or result; the outcome of a final report. */
  readonly name?: string;
}
