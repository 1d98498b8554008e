import { CadreError, describeThrown } from '../../core/error.ts';
import type { CadreEvent } from '../../core/events/event.ts';
import { oneLine } from '../../core/events/one-line.ts';
import type { Transaction } from '../../core/events/transaction.ts';
import type { AgentId, ItemId, TurnId } from '../../core/ids.ts';
import type { InboxItem } from '../../core/inbox/inbox.ts';
import { isJsonObject, type JsonValue } from '../../core/json.ts';
import { changeState, sourcesToName } from '../../core/patches/change-state.ts';
import { patchedState } from '../../core/patches/state-patch.ts';
import { updateState, StateEdit } from '../../core/patches/update-state.ts';
import type { RunContext } from '../../core/state/run-context.ts';
import type { SubContext } from '../../core/state/sub-context.ts';
import { answeredCall } from '../../nodes/inbox/answer-open-calls.ts';
import { shownValue } from '../check-arguments.ts';
import type { ForkEdit } from './fork-edit.ts';

/*
 * Edits that a fork begins with.
 *
 * Owns: where a fork must begin for its edits, whether they fit there, and the events that they are. Does not own: the copied history, which
 * stays as it was: an edited item is dropped, and another one takes its place.
 */

/** Name of a person in records of state changes. */
const person = 'person';

/** Returns the first turn that read an item that is to be edited: the fork must begin before it. Undefined when no turn read one. */
export function turnToRetake(events: readonly CadreEvent[], edits: readonly ForkEdit[]): TurnId | undefined {
  const wanted = new Set(edits.flatMap((edit) => itemOf(events, edit) ?? []));
  const start = events.find((event) => event.type === 'turn.start' && event.inputs.some(({ itemId }) => wanted.has(itemId)));
  return start?.type === 'turn.start' ? start.turnId : undefined;
}

/** Finds the item of an edit in the whole run; fails when the run never had it. */
function itemOf(events: readonly CadreEvent[], edit: ForkEdit): ItemId | undefined {
  if (edit.type === 'state') return undefined;
  const matches = ({ item }: { readonly item: InboxItem }): boolean =>
    edit.type === 'message' ? item.itemId === edit.itemId : answeredCall(item) === edit.callId;
  const added = events.find((event) => event.type === 'inbox.add' && matches(event));
  if (added?.type === 'inbox.add') return added.item.itemId;
  throw edit.type === 'message'
    ? new CadreError(
        'OPTION_INVALID',
        `edits: the run has no item '${edit.itemId}'; \`cadre turn RUN TURN\` shows the items that a turn read`,
      )
    : new CadreError(
        'OPTION_INVALID',
        `edits: the run has no result for a call '${edit.callId}'; \`cadre turn RUN TURN\` shows the calls of a turn`,
      );
}

/** Checks edits against the state that the fork begins with, before anything is written. */
export function checkForkEdits(state: RunContext, edits: readonly ForkEdit[]): void {
  for (const edit of edits) {
    if (edit.type === 'state') checkStateEdit(state, edit);
    else if (waitingItem(state, edit) === undefined) throw alreadyRead(state, edit);
  }
}

function alreadyRead(state: RunContext, edit: Exclude<ForkEdit, { type: 'state' }>): CadreError {
  const name = edit.type === 'message' ? `item '${edit.itemId}'` : `the result of call '${edit.callId}'`;
  const reader = [...state.turns.values()].find(({ items }) => items.some((item) => item !== undefined && isItemOf(item, edit)));
  const advice =
    reader === undefined ? 'it comes later; fork at a later turn' : `${reader.turnId} has read it by then; fork before that turn`;
  return new CadreError('OPTION_INVALID', `edits: ${name} does not wait where the fork begins: ${advice}`);
}

interface Waiting {
  readonly agentId: AgentId;
  readonly item: InboxItem;
}

function waitingItem(state: RunContext, edit: Exclude<ForkEdit, { type: 'state' }>): Waiting | undefined {
  for (const [agentId, agent] of state.agents)
    for (const { item } of agent.inbox.items) if (isItemOf(item, edit)) return { agentId, item };
  return undefined;
}

function isItemOf(item: InboxItem, edit: Exclude<ForkEdit, { type: 'state' }>): boolean {
  return edit.type === 'message' ? item.itemId === edit.itemId : answeredCall(item) === edit.callId;
}

/** Emits the edits: a note that says what a person changed, and the change behind it, which it is the cause of. */
export function applyForkEdits(
  tx: Transaction,
  { edits = [], by }: { readonly edits?: readonly ForkEdit[] | undefined; readonly by?: string },
  cause: number,
): void {
  for (const edit of edits) {
    if (edit.type === 'state') editState(tx, edit, { by, cause });
    else editItem(tx, edit, { by, cause });
  }
}

/** Who edits, and the event that is the cause. */
interface EditPlace {
  readonly by: string | undefined;
  readonly cause: number;
}

function note(tx: Transaction, message: string, agentId: AgentId | undefined, cause: number): number {
  const about = agentId === undefined ? {} : { agentId };
  return tx.emit({ type: 'note.add', level: 'info', code: 'FORK_EDITED', message: oneLine(message), ...about }, cause).seq;
}

function editItem(tx: Transaction, edit: Exclude<ForkEdit, { type: 'state' }>, { by, cause }: EditPlace): void {
  const waiting = waitingItem(tx.run, edit);
  if (waiting === undefined) throw alreadyRead(tx.run, edit);
  const { agentId, item } = waiting;
  // Its words are now those of the person who edited them.
  const { itemId, by: _, ...rest } = item;
  const payload = edit.type === 'message' ? withWords(item.payload, edit.payload) : withResult(item.payload, edit);
  const what = edit.type === 'message' ? `${item.source} ${itemId}` : `the result of call ${edit.callId}`;
  const seq = note(
    tx,
    `${by ?? 'a person'} edited ${what} in this fork: ${JSON.stringify(item.payload)} → ${JSON.stringify(payload)}`,
    agentId,
    cause,
  );
  tx.emit({ type: 'inbox.drop', agentId, itemId, reason: 'edited' }, seq);
  tx.post(agentId, { ...rest, payload, edits: itemId, ...(by === undefined ? {} : { by }) }, seq);
}

/** A text takes the place of the words of a payload; what else it holds, such as attachments, stays. */
function withWords(before: JsonValue, after: JsonValue): JsonValue {
  if (typeof after !== 'string' || !isJsonObject(before)) return after;
  const key = ['prompt', 'content', 'message'].find((name) => typeof before[name] === 'string');
  return key === undefined ? after : { ...before, [key]: after };
}

function withResult(before: JsonValue, { content, isError = false }: Extract<ForkEdit, { type: 'result' }>): JsonValue {
  const { is_error: _, ...rest } = isJsonObject(before) ? before : {};
  return { ...rest, content, ...(isError ? { is_error: true } : {}) };
}

type StateEditOf = Extract<ForkEdit, { type: 'state' }>;

/** The agent whose state an edit changes; undefined for values of the team. */
function ownerOf(state: RunContext, { path, agentId = state.rootAgentId }: StateEditOf): SubContext | undefined {
  if (path.startsWith('team.')) return undefined;
  const agent = agentId === undefined ? undefined : state.agents.get(agentId as AgentId);
  if (agent !== undefined) return agent;
  const known = [...state.agents.keys()].join(', ') || 'none';
  throw new CadreError('AGENT_UNKNOWN', `edits: there is no agent '${String(agentId)}' where the fork begins; there are: ${known}`);
}

function change(edit: StateEdit, { path, value }: StateEditOf): void {
  updateState(edit, value === undefined ? { operation: 'remove', path } : { operation: 'set', path, value });
}

function checkStateEdit(state: RunContext, edit: StateEditOf): void {
  const owner = ownerOf(state, edit);
  try {
    change(new StateEdit(patchedState(state, owner)), edit);
  } catch (thrown) {
    throw new CadreError('OPTION_INVALID', `edits: ${describeThrown(thrown)}`, { cause: thrown });
  }
}

function editState(tx: Transaction, edit: StateEditOf, { by, cause }: EditPlace): void {
  const owner = ownerOf(tx.run, edit);
  const agentId = owner?.meta.agentId;
  const name = agentId === undefined ? edit.path : `${agentId}.${edit.path}`;
  const what = edit.value === undefined ? `removed ${name}` : `set ${name} to ${shownValue(edit.value)}`;
  tx.cause = note(tx, `${by ?? 'a person'} ${what} in this fork`, agentId, cause);
  // The words are the person's own, whatever the agent has read.
  changeState(tx, owner, { by: person, person: by, taint: sourcesToName(owner, []) }, (draft) => change(draft, edit));
}
