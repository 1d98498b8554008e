import { CadreError } from '../../../core/error.ts';
import type { TurnState } from '../../../core/state/turn-state.ts';
import { createContentHash } from '../../../engine/recovery/content-hash.ts';
import { agentNamed } from '../../../inspect/agent-named.ts';
import { agentHistory } from '../../../inspect/history.ts';
import { board } from '../../../inspect/board.ts';
import { conversation } from '../../../inspect/conversation.ts';
import { diffTurns } from '../../../inspect/turn/diff-turns.ts';
import { fromPlainFacts, type ProfileFacts } from '../../../inspect/turn/profile-facts.ts';
import { timeline } from '../../../inspect/timeline/timeline.ts';
import { tree } from '../../../inspect/tree.ts';
import { turnOfId } from '../../../inspect/turn/other-turns.ts';
import { filterTurns, turnTypes } from '../../../inspect/filter-turns.ts';
import { turnList } from '../../../inspect/turn-list.ts';
import { toTurnRecord, type TurnRecord, type TurnStatus } from '../../../inspect/turn/turn-record.ts';
import { why, whyAt, type WhyOptions } from '../../../inspect/why/why.ts';
import { parsePlace } from '../../../inspect/why/why-place.ts';
import { readChoice, readText } from '../read-query.ts';
import type { RunRecord } from '../run-record.ts';
import type { Routes } from '../routes.ts';
import type { ServerParts } from '../server-parts.ts';

const contentHash = createContentHash();

const turnStatuses = Object.keys({
  running: true,
  completed: true,
  error: true,
  cancelled: true,
  interrupted: true,
} satisfies Record<TurnStatus, true>) as readonly TurnStatus[];

/** Adds the views of a run, each from the function behind the command of the same name. */
export function addViewRoutes(routes: Routes, { engine, records }: ServerParts): void {
  const view = (name: 'state' | 'timeline' | 'board' | 'tree' | 'conversation', show: (record: RunRecord) => unknown): void => {
    routes.get(`/api/runs/:id/${name}`, async (context) => context.json(await show(await records.get(context.req.param('id')))));
  };
  view('state', ({ state }) => toPlain(state));
  view('timeline', ({ state, eventAt }) => timeline(state, { eventAt }));
  view('board', ({ state }) => board(state));
  view('tree', async (record) => tree(record.state, await factsOf(record)));
  view('conversation', ({ state }) => conversation(state));

  routes.get('/api/runs/:id/pending', async (context) => context.json(await (await engine.open(context.req.param('id'))).cards()));

  routes.get('/api/runs/:id/history', async (context) => {
    const { state } = await records.get(context.req.param('id'));
    return context.json(agentHistory(state, agentNamed(state, context.req.query('agent'))));
  });

  routes.get('/api/runs/:id/turns', async (context) => {
    const { state } = await records.get(context.req.param('id'));
    const agent = context.req.query('agent');
    const agentId = agent === undefined ? undefined : agentNamed(state, agent);
    const status = readChoice(context, 'status', turnStatuses);
    const type = readChoice(context, 'type', turnTypes);
    return context.json(
      turnList(
        state,
        filterTurns(state, {
          ...(agentId === undefined ? {} : { agentId }),
          ...(status === undefined ? {} : { status }),
          ...(type === undefined ? {} : { type }),
        }),
      ),
    );
  });

  routes.get('/api/runs/:id/turns/:turnId', async (context) => {
    const record = await records.get(context.req.param('id'));
    return context.json(await recordOf(record, context.req.param('turnId')));
  });

  routes.get('/api/runs/:id/turns/:turnId/why', async (context) => {
    const record = await records.get(context.req.param('id'));
    const { turnId } = turnOf(record, context.req.param('turnId'));
    const { content, eventAt } = record;
    const options: WhyOptions = { content, eventAt, profiles: await factsOf(record) };
    const at = context.req.query('at');
    if (at === undefined) return context.json(why(record.state, turnId, readText(context, 'text'), options));
    const place = parsePlace(at);
    if (place === undefined)
      throw new CadreError('REQUEST_INVALID', '?at= takes a place such as 120-180 (of the prompt), reply:0-40 or tool_call[0]:0-9');
    const answer = whyAt(record.state, turnId, place, options);
    return context.json(answer === undefined ? [] : [answer]);
  });

  routes.get('/api/runs/:id/diff', async (context) => {
    const record = await records.get(context.req.param('id'));
    const [before, after] = [readText(context, 'before'), readText(context, 'after')];
    return context.json(diffTurns(await recordOf(record, before), await recordOf(record, after)));
  });
}

async function factsOf(record: RunRecord): Promise<ReadonlyMap<string, ProfileFacts>> {
  return new Map(Object.entries(await record.profiles()).map(([name, facts]) => [name, fromPlainFacts(facts)]));
}

async function recordOf(record: RunRecord, turnId: string): Promise<TurnRecord> {
  const profiles = await factsOf(record);
  const turn = turnOfId(record.state, turnId) ?? turnOf(record, turnId);
  return toTurnRecord(record.state, turn, record.content, profiles, contentHash);
}

function turnOf({ state }: RunRecord, turnId: string): TurnState {
  for (const turn of state.turns.values()) if (turn.turnId === turnId) return turn;
  const last = [...state.turns.keys()].at(-1);
  throw new CadreError(
    'TURN_UNKNOWN',
    `the run has no turn '${turnId}'; ${last === undefined ? 'it has none yet' : `its last is ${last}`}`,
  );
}

/** Converts a state to JSON values: maps to objects by their keys, sets to lists. */
function toPlain(value: unknown): unknown {
  if (value instanceof Map) return Object.fromEntries([...value].map(([key, entry]) => [String(key), toPlain(entry)]));
  if (value instanceof Set) return [...value].map(toPlain);
  if (Array.isArray(value)) return value.map(toPlain);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, toPlain(entry)]));
}
