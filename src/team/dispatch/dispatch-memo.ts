import type { AgentId } from '../../core/ids.ts';
import { type JsonObject, type JsonValue, isJsonObject } from '../../core/json.ts';
import type { FailedPreparation } from './check-assignment.ts';
import { textOf } from '../reports/text-of.ts';

/** A running assignment: the agent and its module. */
export interface StartedAssignment {
  readonly moduleId: string;
  readonly agentId: AgentId;
}

/** Memo of a suspended dispatch. It never changes while the dispatch waits, so it is stored once. */
export interface DispatchMemo {
  readonly started: readonly StartedAssignment[];
  readonly failed: readonly FailedPreparation[];
}

/** Converts a memo to JSON for storage with the suspended call. */
export function toStoredMemo(memo: DispatchMemo): JsonValue {
  return {
    started: memo.started.map(({ moduleId, agentId }) => ({ module_id: moduleId, agent_id: agentId })),
    failed: memo.failed.map(({ input, reason }) => ({ input, reason })),
  };
}

/** Reads a memo that `toStoredMemo` stored. */
export function fromStoredMemo(stored: JsonValue): DispatchMemo {
  const memo = isJsonObject(stored) ? stored : {};
  const known = readMemos.get(memo) ?? readMemo(memo);
  readMemos.set(memo, known);
  return known;
}

/** Parsed memos, since a dispatch of many associates reads its memo each time one of them ends. */
// Pure cache: keyed by a memo, which never changes.
const readMemos = new WeakMap<JsonObject, DispatchMemo>();

function readMemo(memo: JsonObject): DispatchMemo {
  return {
    started: objectsOf(memo['started']).map((entry) => ({
      moduleId: textOf(entry['module_id']),
      agentId: textOf(entry['agent_id']) as AgentId,
    })),
    failed: objectsOf(memo['failed']).map((entry) => ({ input: entry['input'] ?? null, reason: textOf(entry['reason']) })),
  };
}

function objectsOf(value: JsonValue | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}
