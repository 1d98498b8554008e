import type { JsonObject, JsonValue } from '../core/json.ts';
import type { Tool } from '../core/tool/tool.ts';

/** All data fields of a tool, in recording order. */
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

/** Returns everything recordable about a tool: all but its code. Distinguishes two tools with the same name. */
export function toolFacts(tool: Tool): JsonObject {
  const entries = factKeys.flatMap((key) => (tool[key] === undefined ? [] : [[key, tool[key] as unknown as JsonValue] as const]));
  return Object.fromEntries(entries);
}
