import { callNames } from '../events/tool-parts.ts';
import type { JsonObject } from '../json.ts';
import type { SubContext } from './sub-context.ts';

/** Returns what those who wait for an agent are told of calls that may have happened; no field when there are none. */
export function unknownCalls({ result: { unknown } }: Pick<SubContext, 'result'>): JsonObject {
  return unknown.length === 0 ? {} : { may_have_happened: `${callNames(unknown)}. Find out before you repeat it.` };
}
