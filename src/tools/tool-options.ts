import { CadreError } from '../core/error.ts';
import { agentRoots } from '../core/expression/agent-roots.ts';
import { compileExpression } from '../core/expression/expression.ts';
import type { ContextContribution, OnUnknown, ToolBase, ToolConcurrency } from '../core/tool/tool.ts';
import type { ToolEffect } from '../core/tool/tool-effect.ts';

/** Optional properties of a tool besides its work, in YAML spelling. */
export interface ToolOptions {
  /** Group the tool belongs to; default: its own name. */
  readonly toolset?: string;
  /** Guarantee about repeating a call, used by recovery; default `unsafe`. */
  readonly effect?: ToolEffect;
  /** For `verifiable`: the tool that checks whether a call took effect. */
  readonly verify?: string;
  /** Handling of an interrupted call whose outcome cannot be determined; default `tell_model`. */
  readonly on_unknown?: OnUnknown;
  /** Requires a person's approval for each call, unless a gate of the profile covers the tool. */
  readonly needs_approval?: boolean;
  /** Identifies the tool's implementation: when it changes, earlier approvals (lasting ones and those of waiting calls) no longer apply. */
  readonly fingerprint?: string;
  /** Limits on overlap with other calls; default `parallel`. */
  readonly concurrency?: ToolConcurrency;
  /** A successful call ends the agent that made it. */
  readonly ends_flow?: boolean;
  /** Requires that it is the only call of its reply. */
  readonly exclusive?: boolean;
  /** Marks a tool that only checks whether something is ready: repeating it with the same result is not stagnation. */
  readonly polls?: boolean;
  /** Shows its results in full: `context_policy.result_preview` does not shorten them. */
  readonly whole_result?: boolean;
  /** Excludes it from `*` in a profile: the profile must name the tool or its toolset. */
  readonly by_name_only?: boolean;
  /** Longest run in milliseconds; default 120,000. */
  readonly timeout_ms?: number;
  /** Longest result in characters that reaches the model; default 32,768. */
  readonly max_result_chars?: number;
  /** Handover protocol whose parameters callers must fill in too. */
  readonly handover_protocol?: string;
  /** Texts for the system prompt of agents that may call it. */
  readonly context_contributions?: readonly (Omit<ContextContribution, 'order'> & { readonly order?: number })[];
  /** A longer text on how to use it. */
  readonly guide?: string;
  /** `trusted`: prompts contain its results as they are. Default `untrusted`: results are framed as external data, and taint. */
  readonly trust?: 'trusted' | 'untrusted';
  /** `untrusted`: its description and schema come from outside, and prompts that offer it count as tainted. */
  readonly description_trust?: 'trusted' | 'untrusted';
}

/** Properties common to all tools that do not depend on their parameters. */
export type CommonFields = Omit<ToolBase, 'parameters' | 'check' | 'description'>;

const effects = ['pure', 'idempotent', 'verifiable', 'unsafe'] as const;
const unknowns = ['tell_model', 'ask_human', 'fail'] as const;
const concurrencies = ['parallel', 'serial', 'exclusive'] as const;
const trusts = ['trusted', 'untrusted'] as const;
/** Longest delay of a timer, in milliseconds. */
const maxTimeout = 2_147_483_647;

/** A definition before any check. */
export type RawDefinition = Readonly<Record<string, unknown>>;

/**
 * Returns a definition as an object whose fields can be read.
 *
 * @throws CadreError `TOOL_INVALID` when it is not an object
 */
export function asDefinition(value: unknown, where: string): RawDefinition {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as RawDefinition;
  throw new CadreError(
    'TOOL_INVALID',
    `${where} needs a definition { name, description, parameters, … }, but got ${value === null ? 'null' : Array.isArray(value) ? 'a list' : typeof value}.`,
    { details: { field: '' } },
  );
}

/**
 * Reads the name and options of a definition and applies defaults. `defaultTrust` applies to a tool that does not declare the trust of
 * its results.
 *
 * @throws CadreError `TOOL_INVALID` naming the field that is wrong and its allowed values
 */
export function readToolOptions(
  definition: RawDefinition,
  givenName?: string,
  defaultTrust: ToolBase['trust'] = 'untrusted',
): CommonFields {
  const name = readToolName(definition['name'] ?? givenName);
  const where = `tool '${name}'`;
  const source: FieldSource = { definition, where };
  const effect = oneOf(source, 'effect', effects) ?? 'unsafe';
  const verify = text(source, 'verify');
  if ((effect === 'verifiable') !== (verify !== undefined)) {
    throw invalidTool(
      where,
      'verify',
      "must name the tool that finds out whether a call happened, for effect 'verifiable' and only for that",
    );
  }
  const onUnknown = oneOf(source, 'on_unknown', unknowns);
  const handoverProtocol = text(source, 'handover_protocol');
  const guide = text(source, 'guide');
  const fingerprint = text(source, 'fingerprint');
  return {
    name,
    toolset: text(source, 'toolset') ?? name,
    effect,
    concurrency: oneOf(source, 'concurrency', concurrencies) ?? 'parallel',
    endsFlow: flag(source, 'ends_flow'),
    unique: flag(source, 'exclusive'),
    timeoutMs: count(source, 'timeout_ms', maxTimeout) ?? 120_000,
    maxResultChars: count(source, 'max_result_chars', 10_000_000) ?? 32_768,
    contextContributions: contributions(definition['context_contributions'], where),
    trust: oneOf(source, 'trust', trusts) ?? defaultTrust,
    ...(oneOf(source, 'description_trust', trusts) === 'untrusted' ? { descriptionTrust: 'untrusted' } : {}),
    ...(flag(source, 'needs_approval') ? { needsApproval: true } : {}),
    ...(flag(source, 'polls') ? { polls: true } : {}),
    ...(flag(source, 'by_name_only') ? { byNameOnly: true } : {}),
    ...(flag(source, 'whole_result') ? { wholeResult: true } : {}),
    ...(verify === undefined ? {} : { verify }),
    ...(onUnknown === undefined ? {} : { onUnknown }),
    ...(handoverProtocol === undefined ? {} : { handoverProtocol }),
    ...(guide === undefined ? {} : { guide }),
    ...(fingerprint === undefined ? {} : { fingerprint }),
  };
}

/** Checks the name of a tool: a text without control characters other than the wildcard; it need not be valid on the wire. */
export function readToolName(name: unknown): string {
  if (typeof name !== 'string' || name.trim() === '' || name.length > 1_000) {
    throw new CadreError(
      'TOOL_INVALID',
      `A tool needs a name of 1 to 1000 characters, but got ${JSON.stringify(name) ?? 'none'}.`,
      { details: { field: 'name' } },
    );
  }
  // oxlint-disable-next-line no-control-regex -- control characters are searched for
  if (name === '*' || /[\u0000-\u001f\u007f]/.test(name)) {
    throw new CadreError(
      'TOOL_INVALID',
      `${JSON.stringify(name)} cannot be the name of a tool: '*' means all tools, and control characters are not allowed.`,
      { details: { field: 'name' } },
    );
  }
  return name;
}

/** Returns an error about one field of a tool. */
export function invalidTool(where: string, field: string, what: string): CadreError {
  return new CadreError('TOOL_INVALID', `${where.charAt(0).toUpperCase()}${where.slice(1)}: ${field} ${what}.`, {
    details: { field },
  });
}

/** A definition whose fields are read, and its owner in errors. */
export interface FieldSource {
  readonly definition: RawDefinition;
  readonly where: string;
}

/** Reads an optional text that must not be blank. */
export function text({ definition, where }: FieldSource, field: string): string | undefined {
  const value = definition[field];
  if (value === undefined) return undefined;
  if (typeof value !== 'string' || value.trim() === '') throw invalidTool(where, field, 'must be a text that is not empty');
  return value;
}

function flag({ definition, where }: FieldSource, field: string): boolean {
  const value = definition[field] ?? false;
  if (typeof value !== 'boolean') throw invalidTool(where, field, 'must be true or false');
  return value;
}

function count({ definition, where }: FieldSource, field: string, max: number): number | undefined {
  const value = definition[field];
  if (value === undefined) return undefined;
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 1 || value > max)
    throw invalidTool(where, field, `must be a whole number from 1 to ${max}`);
  return value;
}

function oneOf<const Value extends string>(
  { definition, where }: FieldSource,
  field: string,
  allowed: readonly Value[],
): Value | undefined {
  const value = definition[field];
  if (value === undefined) return undefined;
  const found = allowed.find((candidate) => candidate === value);
  if (found === undefined)
    throw invalidTool(where, field, `must be one of ${allowed.join(', ')}, but is ${JSON.stringify(value) ?? typeof value}`);
  return found;
}

function contributions(value: unknown, where: string): readonly ContextContribution[] {
  if (value === undefined) return [];
  const field = 'context_contributions';
  if (!Array.isArray(value)) throw invalidTool(where, field, 'must be a list of { id, text, order, condition }');
  return (value as readonly unknown[]).map((item, index) => {
    const at = `${field}[${index}]`;
    if (typeof item !== 'object' || item === null) throw invalidTool(where, at, 'must be { id, text, order, condition }');
    const raw = item as RawDefinition;
    const source: FieldSource = { definition: raw, where: `${where} ${at}` };
    const id = text(source, 'id');
    const words = text(source, 'text');
    if (id === undefined || words === undefined) throw invalidTool(where, at, 'needs an id and a text');
    const order = raw['order'] ?? 99;
    if (typeof order !== 'number' || !Number.isFinite(order)) throw invalidTool(where, `${at}.order`, 'must be a number');
    const condition = text(source, 'condition');
    if (condition !== undefined) checkCondition(condition, source.where);
    return { id, order, text: words, ...(condition === undefined ? {} : { condition }) };
  });
}

function checkCondition(source: string, where: string): void {
  const compiled = compileExpression(source, agentRoots);
  if (!compiled.ok)
    throw invalidTool(
      where,
      'condition',
      `is not a valid condition: ${compiled.problems.map(({ message, hint }) => (hint === undefined ? message : `${message} (${hint})`)).join('; ')}`,
    );
}
