import type { JsonObject, JsonValue } from '../core/json.ts';
import type { Tool } from '../core/tool/tool.ts';

/** Everything of a tool that is data, in the order in which it is recorded. */
const factKeys = [
  'name',
  'kind',
  'toolset',
  'toolsetKind',
  'description',
  'parameters',
  'effect',
  'verify',
  'onUnknown',
  'concurrency',
  'endsFlow',
  'unique',
  'timeoutMs',
  'maxResultChars',
  'handoverProtocol',
  'contextContributions',
  'guide',
  'needsApproval',
  'fingerprint',
  'sandbox',
  'polls',
  'wholeResult',
  'byNameOnly',
  'trust',
  'descriptionTrust',
] as const satisfies readonly (keyof Tool)[];

/** What can be recorded of a tool: all of it but its code. It tells two tools of one name apart. */
export function toolFacts(tool: Tool): JsonObject {
  const entries = factKeys.flatMap((key) => (tool[key] === undefined ? [] : [[key, tool[key] as unknown as JsonValue] as const]));
  return Object.fromEntries(entries);
}
