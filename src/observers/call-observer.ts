import type { CodedObserver, ObserverResult } from '../core/env.ts';
import type { JsonObject } from '../core/json.ts';
import { readOnlyView } from '../core/read-only-view.ts';
import { changeState } from '../core/change-state.ts';
import type { AgentState } from '../core/state.ts';
import { toWire } from '../core/to-wire.ts';
import { boundOf, type ToolBound } from '../core/tool-bound.ts';
import type { Transaction } from '../core/transaction.ts';
import type { ObserverRecord } from '../core/turn.ts';
import { updateState } from '../core/update-state.ts';
import { targetOf } from './observer-target.ts';

/** Most things one coded observer may want done at once. */
const maxResults = 64;

/** An observer of a profile that is written in code, and when it is called. */
interface ObserverCall {
  readonly id: string;
  readonly name: string;
  readonly params: JsonObject;
  readonly phase: ObserverRecord['phase'];
}

/**
 * Calls an observer written in code and does what it wants: all of it, or nothing when any of it cannot be done. Returns what it makes of the
 * tools of the turn.
 */
export function callObserver(
  tx: Transaction,
  agent: AgentState,
  { id, name, params, phase }: ObserverCall,
  find: (name: string) => CodedObserver | undefined,
): ToolBound | undefined {
  const coded = find(name);
  if (coded === undefined) throw new Error(`there is no observer '${name}'`);
  const results = resultsOf(name, coded.observe({ run: readOnlyView(tx.run), agent: readOnlyView(agent), params }));
  if (results.length > maxResults) throw new Error(`it wants ${results.length} things done at once; ${maxResults} are allowed`);
  const items: (() => void)[] = [];
  const bounds: ToolBound[] = [];
  changeState(tx, agent, { turnId: agent.currentTurnId, by: id }, (edit) => {
    for (const result of results) {
      if (result.type === 'set_tool_choice' || result.type === 'filter_tools') bounds.push(toBound(result, phase));
      else if (result.type === 'update_state')
        updateState(edit, { ...result, value: result.value === undefined ? undefined : toWire(result.value) });
      else items.push(itemOf(tx, agent, id, result));
    }
  });
  for (const post of items) post();
  return boundOf(bounds.map((tools) => ({ id, phase, fired: true, tools })));
}

/** What an action makes of the tools of a turn; once the reply is there, it is too late for that. */
export function toBound(
  action: Extract<ObserverResult, { type: 'set_tool_choice' | 'filter_tools' }>,
  phase: ObserverRecord['phase'],
): ToolBound {
  if (phase === 'post') throw new Error(`${action.type} is for observers that run before a turn`);
  if (action.type === 'set_tool_choice') return { choice: action.toolChoice };
  const { only, except } = action;
  return { ...(only === undefined ? {} : { only }), ...(except === undefined ? {} : { except }) };
}

function resultsOf(name: string, returned: unknown): readonly ObserverResult[] {
  if (returned instanceof Promise) returned.catch(() => undefined);
  if (Array.isArray(returned)) return returned as readonly ObserverResult[];
  throw new Error(
    `observer '${name}' must return a list, and return it at once; it returned ${returned instanceof Promise ? 'a promise' : typeof returned}`,
  );
}

/** Checks an item that an observer adds; the function it returns posts it. */
function itemOf(
  tx: Transaction,
  agent: AgentState,
  observerId: string,
  result: Extract<ObserverResult, { type: 'add_to_inbox' }>,
): () => void {
  if (typeof result.source !== 'string' || result.source === '') throw new Error('an item needs a source');
  const to = targetOf(tx.run, agent, result.target ?? 'self');
  const item = { source: result.source, payload: toWire(result.payload), observerId };
  return () => tx.post(to, item);
}
