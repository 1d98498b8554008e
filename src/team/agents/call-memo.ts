import type { AgentId } from '../../core/ids.ts';
import { isJsonObject, type JsonValue } from '../../core/json.ts';
import { textOf } from '../reports/text-of.ts';

/** Result of one request of a call: a started agent, or the reason there is none. */
export type MadeCall =
  | { readonly profile: string; readonly agentId: AgentId }
  | { readonly profile: string; readonly refused: string };

/** Converts the requests of a call to JSON to store while it waits, in the order they were made. */
export function toStoredCalls(calls: readonly MadeCall[]): JsonValue {
  return calls.map((call) =>
    'agentId' in call ? { profile: call.profile, agent_id: call.agentId } : { profile: call.profile, refused: call.refused },
  );
}

/** Reads requests that `toStoredCalls` stored. */
export function fromStoredCalls(stored: JsonValue): readonly MadeCall[] {
  if (!Array.isArray(stored)) return [];
  return (stored as readonly JsonValue[]).filter(isJsonObject).map((entry): MadeCall => {
    const profile = textOf(entry['profile']);
    const agentId = textOf(entry['agent_id']);
    return agentId === '' ? { profile, refused: textOf(entry['refused']) } : { profile, agentId: agentId as AgentId };
  });
}
