import { callNames } from '../events/call-names.ts';
import type { JsonObject } from '../json.ts';
import type { SubContext } from './sub-context.ts';

/** Returns the field of an agent's result that names calls which may have happened; no field when there are none. */
export function unknownCalls({ result: { unknown } }: Pick<SubContext, 'result'>): JsonObject {
  return unknown.length === 0 ? {} : { may_have_happened: `${callNames(unknown)}. Find out before you repeat it.` };
}
