import type { InboxItem, WaitingItem } from '../inbox/inbox.ts';
import { globalStrategies } from '../inbox/strategy.ts';
import { isJsonObject } from '../json.ts';
import type { AgentId } from '../ids.ts';
import type { CompiledProfile } from '../profile/profile.ts';
import { untrustedSources } from '../prompt/prompt-sources.ts';
import type { RunContext } from '../state/run-context.ts';
import type { SubContext } from '../state/sub-context.ts';
import { isUntrusted, nameOfSource } from '../fold/sources.ts';
import { type Labels, labelsBelow, type StateTaint } from './taint.ts';
import { type Origins, trusted } from './watch-scope.ts';

/*
 * Where untrusted text is in the roots that expressions read.
 *
 * Owns: the origins of every root and field of `agentScope`. Does not own: what they hold (`agent-scope.ts`).
 * 1. Numbers, statuses, times, ids and names of profiles are the engine's own.
 * 2. What an agent said, and what it calls tools with, is untrusted once it has read untrusted text.
 * 3. A root, or a field of `state` and `team`, that is not listed here counts as untrusted. The fields of `meta`, `run` and `turn` that can hold
 *    text from outside are listed; the others are of rule 1.
 */

/** Profiles by name, which say what sources they do not trust. */
export interface OriginsEnv {
  readonly profiles: ReadonlyMap<string, CompiledProfile>;
}

/** Whose roots are read, and what for. */
export interface Reader {
  readonly run: RunContext;
  readonly agent: SubContext;
  /** Origins of roots that the agent's scope does not have. */
  readonly more?: Readonly<Record<string, Origins>> | undefined;
  /** The text gives an agent its task: what another agent told it to do is not framed, only counted. */
  readonly isTask?: true | undefined;
}

interface EnvReader extends Reader {
  readonly env: OriginsEnv;
}

/** Returns the origins of each root of an agent's scope. */
export function scopeOrigins(env: OriginsEnv, reader: Reader): (root: string) => Origins {
  const { more = {} } = reader;
  return (root) => {
    if (Object.hasOwn(more, root)) return more[root] ?? trusted;
    return rootOrigins.get(root)?.({ ...reader, env }) ?? everySource(env, reader);
  };
}

/** Returns the untrusted sources of all that an agent has read, and so of all that it says. */
export function saidOrigins({ history }: SubContext): Labels {
  return untrustedSources(history.sources);
}

/** Returns the untrusted sources of all that some agents say. */
export function saidBy(run: RunContext, agentIds: readonly AgentId[]): Labels {
  const labels = new Set<string>();
  for (const id of agentIds) {
    const agent = run.agents.get(id);
    if (agent !== undefined) for (const label of saidOrigins(agent)) labels.add(label);
  }
  return [...labels];
}

/** Returns the untrusted sources of everything that an agent's code can read: for text of which no more is known. */
export function everySource(env: OriginsEnv, { run, agent }: Pick<Reader, 'run' | 'agent'>): Labels {
  const labels = new Set(run.outside);
  // A strategy may distrust what waits in its inbox.
  for (const { item } of agent.inbox.items) for (const label of itemLabels({ env, run, agent }, item)) labels.add(label);
  return labels.size === 0 ? trusted : [...labels];
}

/** Returns the origins of the work modules of a run. `isTask`: without those of words that are a task for another agent. */
export function moduleOrigins({ team: { taint } }: RunContext, isTask = false): Origins {
  const labelsAt = (place: string): Labels => {
    const known = taint.get(place);
    return known === undefined || (isTask && known.said === true) ? trusted : known.labels;
  };
  return {
    field: (id) => ({
      field: (field) => {
        const place = `team.work_modules.${id}`;
        const whole = labelsAt(place);
        const own = labelsAt(`${place}.${field}`);
        return whole.length === 0 ? own : [...new Set([...whole, ...own])];
      },
    }),
  };
}

/** Returns the untrusted sources of the names of work modules. */
export function sourcesOfNames({ team: { taint } }: RunContext, moduleIds: readonly string[]): Labels {
  if (taint.size === 0) return trusted;
  return [...new Set(moduleIds.flatMap((id) => taint.get(`team.work_modules.${id}.name`)?.labels ?? []))];
}

type OriginsOf = (reader: EnvReader) => Origins;

const isTrustedRoot: OriginsOf = () => trusted;
const said: OriginsOf = ({ agent }) => saidOrigins(agent);

/** Fields of `state`; those with numbers, statuses, ids and names of profiles are not listed one by one. */
const stateFields: ReadonlyMap<string, OriginsOf> = new Map<string, OriginsOf>([
  ['messages', messageOrigins],
  ['archived_messages', said],
  ['inbox', inboxOrigins],
  [
    'dead_letters',
    ({ agent, ...reader }) => ({ field: (index) => itemOrigins({ ...reader, agent }, agent.inbox.deadLetters[Number(index)]) }),
  ],
  ...(['flags', 'values', 'deliverables'] as const).map((slice) => [slice, sliceOrigins(slice)] as const),
  ['current_action', said],
  ['last_reply', said],
  ['initial_params', paramOrigins],
  ['initial_parameters', paramOrigins],
  ['profiles_list_instance_ids', ({ run }) => run.team.taint.get('team.shared.profiles_list')?.labels ?? trusted],
  ...[
    ...['counters', 'status', 'turn_count', 'iteration', 'last_turn_id', 'current_turn_id', 'context_tokens'],
    ...['allowed_toolsets', 'agent_start_utc_timestamp'],
  ].map((field) => [field, isTrustedRoot] as const),
]);

const teamFields: ReadonlyMap<string, OriginsOf> = new Map<string, OriginsOf>([
  ['work_modules', ({ run, isTask }) => moduleOrigins(run, isTask)],
  ['shared', ({ run }) => keyOrigins(run.team.taint, 'team.shared')],
  ['profiles', ({ run }) => run.team.taint.get('team.shared.profiles_list')?.labels ?? trusted],
  ['dispatch_history', dispatchOrigins],
  ...['counters', 'is_principal_flow_running', 'question', 'agents'].map((field) => [field, isTrustedRoot] as const),
]);

const rootOrigins: ReadonlyMap<string, OriginsOf> = new Map<string, OriginsOf>([
  ['state', stateOrigins],
  // A role is a part of the task.
  ['meta', (reader) => ({ field: (field) => (field === 'role_name' ? paramOrigins({ ...reader, isTask: true }) : trusted) })],
  ['team', (reader) => fieldOrigins(reader, teamFields)],
  ['run', (reader) => ({ field: (field) => (field === 'title' ? titleOrigins(reader) : trusted) })],
  ['flags', sliceOrigins('flags')],
  ['inbox', inboxOrigins],
  ['initial_params', paramOrigins],
  ['turn', (reader) => ({ field: (field) => (field === 'reply' || field === 'tool_calls' ? said(reader) : trusted) })],
  ['principal', (reader) => otherOrigins(reader, reader.run.latestOfType.get('principal'))],
  ['partner', (reader) => otherOrigins(reader, reader.run.latestOfType.get('partner'))],
  ['parent', (reader) => otherOrigins(reader, reader.agent.meta.parentAgentId)],
  // The arguments of a call, in gates.
  ['args', said],
  ...['config', 'counters', 'request', 'prompt', 'payload'].map((root) => [root, isTrustedRoot] as const),
]);

function fieldOrigins(reader: EnvReader, fields: ReadonlyMap<string, OriginsOf>): Origins {
  return { field: (field) => fields.get(field)?.(reader) ?? everySource(reader.env, reader) };
}

function stateOrigins(reader: EnvReader): Origins {
  return fieldOrigins(reader, stateFields);
}

function otherOrigins({ env, run }: EnvReader, agentId: AgentId | undefined): Origins {
  const agent = agentId === undefined ? undefined : run.agents.get(agentId);
  return agent === undefined ? trusted : stateOrigins({ env, run, agent });
}

function sliceOrigins(slice: string): OriginsOf {
  return ({ agent }) => {
    // What an agent hands in as it ends is what it says.
    const words = slice === 'deliverables' && agent.status === 'ended' ? saidOrigins(agent) : trusted;
    return words.length > 0 ? words : keyOrigins(agent.stateTaint, slice);
  };
}

function keyOrigins(taint: StateTaint, slice: string): Origins {
  return { field: (key) => taint.get(`${slice}.${key}`)?.labels ?? trusted, names: () => labelsBelow(taint, `${slice}.`) };
}

function paramOrigins({ agent, isTask }: Reader): Origins {
  const given = agent.stateTaint.get('initial_params');
  return given === undefined || (isTask === true && given.said === true) ? trusted : given.labels;
}

/** A title that a model made of the conversation: its first words may be those of an agent that had read untrusted text. */
function titleOrigins({ run }: Reader): Origins {
  const root = run.rootAgentId === undefined ? undefined : run.agents.get(run.rootAgentId);
  return run.isTitled && root !== undefined ? saidOrigins(root) : trusted;
}

function dispatchOrigins({ env, run, agent: reader }: EnvReader): Origins {
  return {
    field: (index) => {
      const agent = run.agents.get(run.team.dispatchHistory[Number(index)]?.agent_id ?? ('' as AgentId));
      const words = agent === undefined ? everySource(env, { run, agent: reader }) : saidOrigins(agent);
      return { field: (field) => (['role_name', 'final_summary', 'error_details'].includes(field) ? words : trusted) };
    },
  };
}

/** Messages: what an agent said, results and items. What the user and the profile said stays trusted. */
export function messageOrigins({ run, agent }: Reader): Origins {
  const { messages, origins } = agent.history;
  return {
    field: (index) => {
      const origin = origins[Number(index)];
      const words = saidOrigins(agent);
      if (origin === undefined || words.length === 0 || messages[Number(index)]?.role === 'assistant') return words;
      const turn = run.turns.get(origin.turnId);
      const isOutside = turn?.start.inputs.some(
        (input, at) => origin.itemIds.includes(input.itemId) && (isUntrusted(input, turn.items[at]) || input.taint !== undefined),
      );
      return isOutside === false ? trusted : words;
    },
  };
}

function inboxOrigins(reader: EnvReader): Origins {
  const { items } = reader.agent.inbox;
  return { field: (index) => itemOrigins(reader, items[Number(index)]) };
}

/** Fields of an item that the engine or the profile wrote. */
const itemFields: ReadonlySet<string> = new Set([
  ...['item_id', 'itemId', 'consumption_policy', 'consumption', 'from', 'delivery', 'trust', 'repeats', 'edits'],
  ...['observerId', 'ruleId'],
]);

function itemOrigins(reader: EnvReader, waiting: WaitingItem | InboxItem | undefined): Origins {
  if (waiting === undefined) return trusted;
  const item = 'item' in waiting ? waiting.item : waiting;
  const labels = itemLabels(reader, item);
  return { field: (field) => (itemFields.has(field) ? trusted : labels) };
}

/** Returns the untrusted sources of an item's text. */
function itemLabels({ env, run, agent }: EnvReader, item: InboxItem): Labels {
  const own = env.profiles.get(agent.meta.profile)?.strategies.get(item.source) ?? globalStrategies.get(item.source);
  const payload = isJsonObject(item.payload) ? item.payload : {};
  const isOutside = item.trust === 'untrusted' || own?.untrusted === true || payload['trust'] === 'untrusted';
  const authors = item.from === undefined ? (item.quotes ?? []) : [item.from, ...(item.quotes ?? [])];
  const labels = new Set([...(isOutside ? [nameOfSource(item)] : []), ...(item.taint ?? []), ...saidBy(run, authors)]);
  return labels.size === 0 ? trusted : [...labels];
}
