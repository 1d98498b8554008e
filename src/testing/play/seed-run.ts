import { changeState } from '../../core/patches/change-state.ts';
import { startRun } from '../../core/fold/apply-event.ts';
import { Transaction, type ItemDraft } from '../../core/events/transaction.ts';
import type { CadreEvent, EventOf } from '../../core/events/event.ts';
import type { ContentEntry } from '../../core/events/journal.ts';
import type { AgentId, RunId } from '../../core/ids.ts';
import type { JsonObject, JsonValue } from '../../core/json.ts';
import { titleOf } from '../../nodes/turn/run-titles.ts';
import { emptyModule, type WorkModule } from '../../core/team/work-module.ts';
import { runLimits } from '../../engine/limit-options.ts';
import { toUserPayload } from '../../engine/input/user-payload.ts';
import { engineVersion } from '../../engine/version.ts';
import { agentIdAt } from '../../nodes/tools/transition-context.ts';
import type { Given, GivenAgent, GivenItem } from '../cases/test-case.ts';
import type { TestedProfiles } from './tested-profiles.ts';

/** A run up to the tested agent's first turn, as its journal holds it. */
export interface SeededRun {
  readonly runId: RunId;
  readonly events: readonly CadreEvent[];
  readonly contents: readonly ContentEntry[];
  readonly agentId: AgentId;
}

/** Source that wakes no other agent of a test. */
const nothingWakes = ['NOTHING'];

/** Returns the events of a run in which the tested agent has started and waits for its first turn, with everything that is given. */
export function seedRun(
  tested: TestedProfiles,
  {
    profile,
    given,
    items,
    at,
  }: { readonly profile: string; readonly given: Given; readonly items: readonly GivenItem[]; readonly at: number },
): SeededRun {
  const files = JSON.stringify(tested.set.files);
  const contents = [{ hash: tested.hash(files), text: files }];
  const parent = given.agents?.find(({ relation }) => relation === 'parent');
  const input = items.flatMap(({ user }) => (user === undefined ? [] : [user]))[0] ?? '';
  const payload = payloadOf(input);
  const start: EventOf<'run.start'> = {
    type: 'run.start',
    runId: 'run_test' as RunId,
    seq: 1,
    at,
    profile: parent?.profile ?? profile,
    title: titleOf(payload),
    input: payload,
    ...(given.request === undefined ? {} : { request: given.request }),
    profiles: tested.hash(files),
    limits: runLimits({}),
    engineVersion,
    frameSeed: 'test',
  };
  const tx = new Transaction(startRun(start), at, { hash: tested.hash, known: new Set() });
  const parentId = parent === undefined ? undefined : startAgent(tx, tested, parent, undefined);
  const agent = { profile, ...pick(given, ['flags', 'values', 'role', 'module']) };
  const agentId = startAgent(tx, tested, agent, parentId, given.initial_params);
  changeTeam(tx, given, agentId);
  for (const other of given.agents ?? []) if (other !== parent) rest(tx, startAgent(tx, tested, other, agentId), other);
  if (parent !== undefined && parentId !== undefined) rest(tx, parentId, parent);
  for (const item of items) tx.post(agentId, toItem(item));
  return { runId: start.runId, events: [start, ...tx.events], contents: [...contents, ...tx.contents], agentId };
}

/** Converts an item of a test to that of an inbox. */
export function toItem({ user, source = 'USER_PROMPT', payload, priority, ingestor_id: ingestorId }: GivenItem): ItemDraft {
  return {
    source,
    payload: user === undefined ? (payload ?? {}) : payloadOf(user),
    ...(priority === undefined ? {} : { priority }),
    ...(ingestorId === undefined ? {} : { ingestorId }),
  };
}

function payloadOf(user: JsonValue): JsonValue {
  return user === '' ? { prompt: '' } : toUserPayload(user);
}

function startAgent(
  tx: Transaction,
  tested: TestedProfiles,
  given: GivenAgent,
  parentAgentId: AgentId | undefined,
  initialParams: JsonObject = {},
): AgentId {
  const agentId = agentIdAt(given.profile, tx.run.counters.agents + 1);
  const parent = parentAgentId === undefined ? undefined : tx.run.agents.get(parentAgentId);
  tx.emit({
    type: 'agent.start',
    agentId,
    ...(parentAgentId === undefined ? {} : { parentAgentId }),
    profile: given.profile,
    profileType: tested.set.profiles.get(given.profile)?.type ?? 'agent',
    ...(given.role === undefined ? {} : { roleName: given.role }),
    ...(given.module === undefined ? {} : { moduleId: given.module }),
    depth: parent === undefined ? 0 : parent.meta.depth + 1,
    initialParams,
    flowId: `flow_${agentId}`,
  });
  changeState(tx, tx.run.agents.get(agentId), { by: 'test' }, (edit) => {
    for (const slice of ['flags', 'values'] as const)
      for (const [key, value = null] of Object.entries(given[slice] ?? {})) edit.apply({ op: 'add', path: [slice, key], value });
  });
  return agentId;
}

function changeTeam(tx: Transaction, given: Given, agentId: AgentId): void {
  changeState(tx, tx.run.agents.get(agentId), { by: 'test' }, (edit) => {
    for (const [key, value = null] of Object.entries(given.deliverables ?? {}))
      edit.apply({ op: 'add', path: ['deliverables', key], value });
    for (const [key, value = null] of Object.entries(given.shared ?? {}))
      edit.apply({ op: 'add', path: ['team', 'shared', key], value });
    for (const [id, fields] of Object.entries(given.work_modules ?? {})) {
      const module: WorkModule = { ...emptyModule(id, tx.at), ...fields };
      edit.apply({ op: 'add', path: ['team', 'work_modules', id], value: { ...module } as unknown as JsonObject });
    }
  });
}

/** Lets an agent wait for nothing that comes, or ends it. */
function rest(tx: Transaction, agentId: AgentId, { status, outcome = 'success', output = '' }: GivenAgent): void {
  if (status === 'ended') tx.emit({ type: 'agent.end', agentId, outcome, output, deliverables: {} });
  else tx.emit({ type: 'agent.await', agentId, on: nothingWakes });
}

function pick<T extends object, Key extends keyof T>(from: T, keys: readonly Key[]): Partial<Pick<T, Key>> {
  return Object.fromEntries(keys.flatMap((key) => (from[key] === undefined ? [] : [[key, from[key]]]))) as Partial<Pick<T, Key>>;
}
