import { callNames } from '../events/call-names.ts';
import type { RunningCall } from '../events/tool-parts.ts';
import type { JsonObject } from '../json.ts';
import type { RunContext } from './run-context.ts';
import type { SubContext } from './sub-context.ts';

/** Returns the field of an agent's result that names calls which may have happened; no field when there are none. */
export function unknownCalls({ result: { unknown } }: Pick<SubContext, 'result'>): JsonObject {
  return unknown.length === 0 ? {} : { may_have_happened: `${callNames(unknown)}. Find out before you repeat it.` };
}

/** Returns the calls that may have happened and had no result when the run ended; a late result takes its call off. */
export function unknownOfRun({ agents, rootAgentId }: Pick<RunContext, 'agents' | 'rootAgentId'>): readonly RunningCall[] {
  return rootAgentId === undefined ? [] : (agents.get(rootAgentId)?.result.unknown ?? []);
}
