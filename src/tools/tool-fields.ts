import { closestName } from '../core/expression/closest-name.ts';
import { invalidTool, type RawDefinition, type ToolOptions } from './tool-options.ts';

/** All options; the type keeps the list in step with `ToolOptions`. */
const options = {
  toolset: true,
  effect: true,
  verify: true,
  on_unknown: true,
  needs_approval: true,
  fingerprint: true,
  concurrency: true,
  ends_flow: true,
  exclusive: true,
  polls: true,
  whole_result: true,
  by_name_only: true,
  timeout_ms: true,
  max_result_chars: true,
  handover_protocol: true,
  context_contributions: true,
  guide: true,
  trust: true,
  description_trust: true,
} as const satisfies { readonly [Key in keyof Required<ToolOptions>]: true };

/** Common misspellings and the option each of them means. */
const habits: ReadonlyMap<string, string> = new Map([
  ['endsFlow', 'ends_flow'],
  ['timeoutMs', 'timeout_ms'],
  ['timeout', 'timeout_ms'],
  ['maxResultChars', 'max_result_chars'],
  ['unique', 'exclusive'],
  ['onUnknown', 'on_unknown'],
  ['needsApproval', 'needs_approval'],
  ['requires_approval', 'needs_approval'],
  ['requiresApproval', 'needs_approval'],
  ['approval', 'needs_approval'],
  ['handoverProtocol', 'handover_protocol'],
  ['contextContributions', 'context_contributions'],
  ['toolset_name', 'toolset'],
  ['toolsetName', 'toolset'],
  ['inputSchema', 'parameters'],
  ['input_schema', 'parameters'],
  ['schema', 'parameters'],
]);

/** Form of a definition, which decides the fields it may have: `ai_sdk` has additional ones. */
export type DefinitionKind = 'effect' | 'transition' | 'ai_sdk';

const fields: Readonly<Record<Exclude<DefinitionKind, 'ai_sdk'>, readonly string[]>> = {
  effect: ['name', 'description', 'parameters', 'execute', ...Object.keys(options)],
  transition: ['name', 'description', 'parameters', 'run', 'resume', ...Object.keys(options)],
};

/**
 * Rejects unknown fields: with a misspelt `needs_approval`, no approval would be requested. An instance of a class may have additional
 * fields, and a tool of the AI SDK has those of that library; there, only near misses of Cadre's options are rejected.
 *
 * @throws CadreError `TOOL_INVALID` naming the field, the one probably meant, and the allowed ones
 */
export function checkToolFields(definition: object, kind: DefinitionKind, where: string): void {
  const known = fields[kind === 'transition' ? 'transition' : 'effect'];
  const isClosed = kind !== 'ai_sdk' && isPlain(definition);
  for (const [field, value] of Object.entries(definition as RawDefinition)) {
    if (value === undefined || known.includes(field)) continue;
    if (kind === 'ai_sdk' && field === 'inputSchema') continue;
    const habit = habits.get(field);
    if (habit !== undefined) throw invalidTool(where, field, `is called '${habit}'`);
    const close = closestName(field, [...(isClosed ? known : Object.keys(options)), ...habits.keys()]);
    const meant = close === undefined ? undefined : (habits.get(close) ?? close);
    const hint = meant === undefined ? '' : `; did you mean '${meant}'?`;
    if (isClosed || meant !== undefined)
      throw invalidTool(where, field, `is not a field of a tool${hint} (allowed: ${known.join(', ')})`);
  }
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
