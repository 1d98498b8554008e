import { untrustedSources } from '../../core/prompt/prompt-sources.ts';
import type { AgentId, TurnId } from '../../core/ids.ts';
import { isJsonObject, type JsonValue, type Writable } from '../../core/json.ts';
import { leaveOut } from '../../core/untrusted/keep-frames.ts';
import { contentText } from '../../core/prompt/message.ts';
import type { SubContext } from '../../core/state/sub-context.ts';
import type { CallState, TurnState } from '../../core/state/turn-state.ts';
import type { RunContext } from '../../core/state/run-context.ts';
import {
  type EntryKind,
  globalKey,
  mostEntries,
  type Visibility,
  type VisibleEntry,
  visibleSource,
} from '../../core/profile/visibility.ts';
import type { TurnContext } from '../../core/turn-context.ts';
import type { ItemDraft } from '../../core/events/transaction.ts';
import { openCallsOf } from '../inbox/answer-open-calls.ts';
import { historyEnd } from './context-view.ts';

/*
 * History of other agents that an agent sees, read from the state.
 *
 * 1. The work is bounded whatever the team did (I13): so many agents, so many turns of each, so many calls of a turn.
 * 2. Entries are in the order they happened, the latest of each kind.
 * 3. Every shown agent is named, so that untrusted text which it read counts for the reader, too.
 */

/** Most agents whose history is looked at, the ones started last; most turns of each; most turns that are searched for the conversation. */
const mostAgents = 32;
const mostTurns = 16;
const mostConversationTurns = 64;

/** Visible history, and the agents in it that have read content from outside. */
interface PeerHistory {
  readonly entries: readonly VisibleEntry[];
  readonly quotes: readonly AgentId[];
  /** True when the author of some words is unknown and some agent of the run has read content from outside. */
  readonly isSuspect: boolean;
}

/** Something that may be shown; its text is read when it is. */
interface Found {
  readonly kind: EntryKind;
  readonly seq: number;
  readonly text: () => string;
  readonly name: string | undefined;
  readonly who: SubContext | undefined;
  readonly turnId: TurnId | undefined;
}

interface Shown {
  readonly seq: number;
  readonly entry: VisibleEntry;
}

type Add = (kind: EntryKind, seq: number, text: () => string, name?: string) => void;

/** Reads what a profile lets its agents see of the history of others, besides their messages. */
function peerEntries(run: RunContext, agent: SubContext, { show, kinds }: Visibility): PeerHistory {
  const found = new Map<EntryKind, Found[]>();
  const adder = (who: SubContext | undefined, turnId?: TurnId): Add => {
    return (kind, seq, text, name) => {
      if (!kinds.has(kind)) return;
      const list = found.get(kind);
      const one = { kind, seq, text, name, who, turnId };
      if (list === undefined) found.set(kind, [one]);
      else list.push(one);
    };
  };
  const root = run.rootAgentId === undefined ? undefined : run.agents.get(run.rootAgentId);
  if (show.has('conversation') && root !== undefined) readConversation(run, root, agent, adder);
  const others = show.has('team') && root !== undefined ? team(run, root, agent) : show.has('below') ? below(run, agent) : [];
  for (const other of others) readTrace(run, other, other === root && show.has('conversation'), adder);
  if (show.has('global')) readGlobal(run, adder(undefined));
  const shown = [...found].flatMap(([kind, list]) => latest(list, kinds.get(kind)));
  const entries = shown.toSorted(bySeq).map(({ entry }) => entry);
  const authors = new Set(entries.flatMap(({ agent_id: id }) => id ?? []));
  return {
    entries,
    quotes: [...authors].filter((id) => untrustedSources(run.agents.get(id)?.history.sources ?? agent.history.sources).length > 0),
    isSuspect: run.isTainted && entries.some(({ kind }) => kind === 'global'),
  };
}

function bySeq(a: { readonly seq: number }, b: { readonly seq: number }): number {
  return a.seq - b.seq;
}

/** The latest that say something, oldest first. Texts of others are not even read: they may be long, and many. */
function latest(list: readonly Found[], bounds: { readonly last: number; readonly chars: number } | undefined): readonly Shown[] {
  const { last, chars } = bounds ?? { last: 0, chars: 0 };
  const shown: Shown[] = [];
  for (const one of list.toSorted(bySeq).reverse()) {
    if (shown.length >= last) break;
    const text = one.text();
    if (text.trim() !== '') shown.push({ seq: one.seq, entry: entryOf(one, text, chars) });
  }
  return shown.reverse();
}

function entryOf({ kind, name, who, turnId }: Found, text: string, chars: number): VisibleEntry {
  const isLong = text.length > chars;
  const entry: Writable<VisibleEntry> = { kind, text: isLong ? leaveOut(text, chars, text.length).head.toWellFormed() : text };
  if (isLong) entry.cut = text.length - chars;
  if (who !== undefined) entry.agent_id = who.meta.agentId;
  if (who !== undefined && kind !== 'user_message') entry.profile = who.meta.profile;
  if (turnId !== undefined) entry.turn_id = turnId;
  if (name !== undefined) entry.name = name;
  return entry;
}

/** An agent's latest turns, the newest first, as far as they are in memory. */
function latestTurns(run: RunContext, agent: SubContext, most: number, before = agent.turn.count + 1): readonly TurnState[] {
  const turns: TurnState[] = [];
  for (let count = before - 1; count > 0 && turns.length < most; count--) {
    const turn = run.turns.get(`${agent.meta.agentId}.t${count}` as TurnId);
    if (turn === undefined) break;
    turns.push(turn);
  }
  return turns;
}

/** Reads the conversation of the person and the root agent; for the root itself, only the part no longer in its view. */
function readConversation(
  run: RunContext,
  root: SubContext,
  reader: SubContext,
  adder: (who: SubContext, turnId?: TurnId) => Add,
): void {
  const before = root === reader ? firstTurnInView(root) : undefined;
  const turns = latestTurns(run, root, mostConversationTurns, before);
  for (const turn of turns) {
    const add = adder(root, turn.turnId);
    for (const [index, input] of turn.start.inputs.entries()) {
      if (input.source !== 'USER_PROMPT' || isEngines(turn, index)) continue;
      add('user_message', turn.start.seq, () => contentText(input.content));
    }
    const reply = turn.modelEnd?.reply;
    if (reply !== undefined && isForUser(turn)) add('assistant_message', turn.modelEnd?.seq ?? 0, () => reply.text);
  }
  const earliest = turns.at(-1);
  const { input } = run.meta;
  // However long it went on since: what was asked first is known.
  if (earliest !== undefined && earliest.turnId !== `${root.meta.agentId}.t1`)
    adder(root)('user_message', 0, () => askedFirst(input));
}

function askedFirst(input: JsonValue): string {
  const prompt = isJsonObject(input) ? input['prompt'] : undefined;
  return typeof prompt === 'string' ? prompt : wordsOf(input);
}

function firstTurnInView({ context: { view }, history: { released, origins }, turn: { count: turnCount } }: SubContext): number {
  const first = origins[view.from - released]?.turnId;
  return first === undefined ? turnCount + 1 : Number(first.slice(first.lastIndexOf('t') + 1));
}

/** A reply without calls that was let stand is what the user reads. */
function isForUser({ modelEnd, decide }: TurnState): boolean {
  return modelEnd?.reply?.toolCalls.length === 0 && decide?.action.type !== 'retry_turn';
}

function isEngines({ items }: TurnState, index: number): boolean {
  const item = items[index];
  return item?.observerId !== undefined || item?.ruleId !== undefined;
}

/** Reads an agent's inputs, words, calls and results; without its conversation with the user if that is shown separately. */
function readTrace(
  run: RunContext,
  agent: SubContext,
  withoutTalk: boolean,
  adder: (who: SubContext, turnId?: TurnId) => Add,
): void {
  const turns = latestTurns(run, agent, mostTurns);
  for (const turn of turns) {
    const add = adder(agent, turn.turnId);
    for (const [index, input] of turn.start.inputs.entries()) {
      if (!input.persistent || input.role === 'tool' || isEngines(turn, index)) continue;
      if (!(withoutTalk && input.source === 'USER_PROMPT')) add('task', turn.start.seq, () => contentText(input.content));
    }
    const { modelEnd, calls } = turn;
    const { reply, error } = modelEnd ?? {};
    const seq = modelEnd?.seq ?? 0;
    if (reply !== undefined && !(withoutTalk && isForUser(turn))) add('reply', seq, () => reply.text);
    if (error !== undefined) add('error', seq, () => error.message);
    for (const call of calls.slice(-mostEntries)) readCall(call, add);
  }
  if (agent.status !== 'ended') return;
  const words = agent.result.output === '' ? (agent.result.error?.message ?? '(no words)') : agent.result.output;
  adder(agent)('final', turns[0]?.end?.seq ?? turns[0]?.start.seq ?? agent.meta.seq, () => words, agent.result.outcome ?? '');
}

function readCall({ request, end }: CallState, add: Add): void {
  const { args, name } = request;
  add('call', request.seq, () => (args === null ? '(nothing that can be used)' : JSON.stringify(args)), name);
  if (end !== undefined) add(end.status === 'ok' ? 'result' : 'error', end.seq, () => contentText(end.content), name);
}

/** Reads the values that rules and observers put into `team.shared.global`, in order. */
function readGlobal(run: RunContext, add: Add): void {
  const list = run.team.shared[globalKey];
  if (!Array.isArray(list)) return;
  (list as readonly JsonValue[]).slice(-mostEntries).forEach((value, index) => add('global', index, () => wordsOf(value)));
}

function wordsOf(value: JsonValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** All other agents of the run, the ones started last where there are too many. */
function team(run: RunContext, root: SubContext, reader: SubContext): readonly SubContext[] {
  return [root, ...below(run, root)].filter((agent) => agent !== reader);
}

/** The agents an agent started, and theirs, level by level. */
function below(run: RunContext, agent: SubContext): readonly SubContext[] {
  const found: SubContext[] = [];
  let level: readonly SubContext[] = [agent];
  while (level.length > 0 && found.length < mostAgents) {
    level = level.flatMap(({ children }) => children.slice(-mostAgents).flatMap((id) => run.agents.get(id) ?? []));
    level = level.toSorted((a, b) => b.meta.seq - a.meta.seq).slice(0, mostAgents - found.length);
    found.push(...level);
  }
  return found;
}

/** The observer id of the item that shows the history of others. */
export const visibilityObserver = 'visibility';

/**
 * Makes prompts begin with the current task unless the scope is `own`: when the agent gets a new task, earlier messages
 * leave its view.
 */
export function beginAtTask(context: TurnContext): void {
  const { tx, agent, profile } = context;
  const { visibility } = profile.contextPolicy;
  const end = historyEnd(agent);
  if (visibility === undefined || visibility.show.has('own') || end <= agent.context.view.from || openCallsOf(agent).length > 0)
    return;
  const task = agent.inbox.items.find(isTask);
  if (task === undefined) return;
  tx.emit({ type: 'context.trim', agentId: agent.meta.agentId, to: end, reason: 'new_task' }, task.seq);
}

/** True when an item comes from outside the agent, not from its own rules, its observers or an interruption. */
function isTask({ item, turnsSeen }: SubContext['inbox']['items'][number]): boolean {
  const { source, delivery, observerId, ruleId, repeats } = item;
  const isOwn = observerId !== undefined || ruleId !== undefined || repeats !== undefined;
  return !isOwn && turnsSeen === 0 && delivery !== 'idle' && source !== 'TOOL_RESULT';
}

/** Posts what the agent's profile lets it see of the history of others, for the turn that is about to begin because of `cause`. */
export function showPeerHistory(context: TurnContext, cause: number | undefined): void {
  const { tx, agent, profile } = context;
  const { visibility } = profile.contextPolicy;
  // An item whose ingestor failed is tried again, like every item.
  if (visibility === undefined || agent.inbox.items.some(({ item }) => item.observerId === visibilityObserver)) return;
  const { entries, quotes, isSuspect } = peerEntries(tx.run, agent, visibility);
  if (entries.length === 0) return;
  // It does not hold back items that wait for an idle agent.
  const isQuiet = !agent.turn.loop && agent.inbox.items.every(({ item, turnsSeen }) => item.delivery === 'idle' || turnsSeen > 0);
  const item: ItemDraft = {
    source: visibleSource,
    payload: { entries: entries.map((entry) => ({ ...entry })) },
    delivery: isQuiet ? 'idle' : 'next',
    observerId: visibilityObserver,
    ...(quotes.length > 0 ? { quotes } : {}),
    ...(quotes.length > 0 || isSuspect ? { trust: 'untrusted' as const } : {}),
  };
  tx.post(agent.meta.agentId, item, cause);
}
