import { CadreError } from '../core/error.ts';
import { agentRoots } from '../core/expression/agent-roots.ts';
import { compileExpression } from '../core/expression/expression.ts';
import type { ContextContribution, OnUnknown, ToolBase, ToolConcurrency, ToolEffect } from '../core/tool/tool.ts';

/** What a tool may say of itself besides what it does; YAML spelling, all optional. */
export interface ToolOptions {
  /** The group it belongs to; its own name when absent. */
  readonly toolset?: string;
  /** What recovery may assume about repeating it; default `unsafe`. */
  readonly effect?: ToolEffect;
  /** For `verifiable`: the tool that finds out whether a call happened. */
  readonly verify?: string;
  /** What to do about a call that was interrupted when nobody can tell whether it happened; default `tell_model`. */
  readonly on_unknown?: OnUnknown;
  /** A person must approve each call, unless a gate of the profile speaks of the tool. */
  readonly needs_approval?: boolean;
  /** Changes when the tool becomes another one: what a person allowed before, for good or for a call that waits, holds no longer. */
  readonly fingerprint?: string;
  /** How its calls may overlap with others; default `parallel`. */
  readonly concurrency?: ToolConcurrency;
  /** A successful call ends the agent that made it. */
  readonly ends_flow?: boolean;
  /** It must be the only call of its reply. */
  readonly exclusive?: boolean;
  /** It only looks whether something is ready: calling it again with the same result is no stagnation. */
  readonly polls?: boolean;
  /** Its results are shown as they are: `context_policy.result_preview` does not shorten them. */
  readonly whole_result?: boolean;
  /** `*` in a profile does not cover it: the profile must name the tool or its toolset. */
  readonly by_name_only?: boolean;
  /** Longest run in milliseconds; default 120,000. */
  readonly timeout_ms?: number;
  /** Longest result in characters that reaches the model; default 32,768. */
  readonly max_result_chars?: number;
  /** The handover protocol whose parameters callers must fill in too. */
  readonly handover_protocol?: string;
  /** Texts for the system prompt of agents that may call it. */
  readonly context_contributions?: readonly (Omit<ContextContribution, 'order'> & { readonly order?: number })[];
  /** A longer text on how to use it. */
  readonly guide?: string;
  /** `trusted`: its results stand in prompts as they are. Default `untrusted`: they are framed as data from outside, and taint. */
  readonly trust?: 'trusted' | 'untrusted';
  /** `untrusted`: its description and schema come from outside, and prompts that offer it count as tainted. */
  readonly description_trust?: 'trusted' | 'untrusted';
}

/** What is common to all tools and does not depend on their parameters. */
export type CommonFields = Omit<ToolBase, 'parameters' | 'check' | 'description'>;

const effects = ['pure', 'idempotent', 'verifiable', 'unsafe'] as const;
const unknowns = ['tell_model', 'ask_human', 'fail'] as const;
const concurrencies = ['parallel', 'serial', 'exclusive'] as const;
const trusts = ['trusted', 'untrusted'] as const;
/** Longest time a timer can wait, in milliseconds. */
const maxTimeout = 2_147_483_647;

/** A definition as it comes, before anything about it is known. */
export type RawDefinition = Readonly<Record<string, unknown>>;

/**
 * A definition as something whose fields can be read.
 *
 * @throws CadreError `TOOL_INVALID` when it is no object
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
 * Reads name and options of a definition, with their defaults. `defaultTrust` holds for a tool that does not say how far its results
 * are trusted.
 *
 * @throws CadreError `TOOL_INVALID` naming the field that is wrong and what it may be
 */
export function readToolOptions(
  definition: RawDefinition,
  givenName?: string,
  defaultTrust: ToolBase['trust'] = 'untrusted',
): CommonFields {
  const name = readToolName(definition['name'] ?? givenName);
  const where = `tool '${name}'`;
  const effect = oneOf(definition, 'effect', effects, where) ?? 'unsafe';
  const verify = text(definition, 'verify', where);
  if ((effect === 'verifiable') !== (verify !== undefined)) {
    throw invalidTool(
      where,
      'verify',
      "must name the tool that finds out whether a call happened, for effect 'verifiable' and only for that",
    );
  }
  const onUnknown = oneOf(definition, 'on_unknown', unknowns, where);
  const handoverProtocol = text(definition, 'handover_protocol', where);
  const guide = text(definition, 'guide', where);
  const fingerprint = text(definition, 'fingerprint', where);
  return {
    name,
    toolset: text(definition, 'toolset', where) ?? name,
    effect,
    concurrency: oneOf(definition, 'concurrency', concurrencies, where) ?? 'parallel',
    endsFlow: flag(definition, 'ends_flow', where),
    unique: flag(definition, 'exclusive', where),
    timeoutMs: count(definition, 'timeout_ms', maxTimeout, where) ?? 120_000,
    maxResultChars: count(definition, 'max_result_chars', 10_000_000, where) ?? 32_768,
    contextContributions: contributions(definition['context_contributions'], where),
    trust: oneOf(definition, 'trust', trusts, where) ?? defaultTrust,
    ...(oneOf(definition, 'description_trust', trusts, where) === 'untrusted' ? { descriptionTrust: 'untrusted' } : {}),
    ...(flag(definition, 'needs_approval', where) ? { needsApproval: true } : {}),
    ...(flag(definition, 'polls', where) ? { polls: true } : {}),
    ...(flag(definition, 'by_name_only', where) ? { byNameOnly: true } : {}),
    ...(flag(definition, 'whole_result', where) ? { wholeResult: true } : {}),
    ...(verify === undefined ? {} : { verify }),
    ...(onUnknown === undefined ? {} : { onUnknown }),
    ...(handoverProtocol === undefined ? {} : { handoverProtocol }),
    ...(guide === undefined ? {} : { guide }),
    ...(fingerprint === undefined ? {} : { fingerprint }),
  };
}

/** Checks the name of a tool: a text without control characters that is not the wildcard; it need not be legal on the wire. */
export function readToolName(name: unknown): string {
  if (typeof name !== 'string' || name.trim() === '' || name.length > 1_000) {
    throw new CadreError(
      'TOOL_INVALID',
      `A tool needs a name of 1 to 1000 characters, but got ${JSON.stringify(name) ?? 'none'}.`,
      { details: { field: 'name' } },
    );
  }
  // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
  if (name === '*' || /[\u0000-\u001f\u007f]/.test(name)) {
    throw new CadreError(
      'TOOL_INVALID',
      `${JSON.stringify(name)} cannot be the name of a tool: '*' means all tools, and control characters are not allowed.`,
      { details: { field: 'name' } },
    );
  }
  return name;
}

/** An error about one field of a tool. */
export function invalidTool(where: string, field: string, what: string): CadreError {
  return new CadreError('TOOL_INVALID', `${where.charAt(0).toUpperCase()}${where.slice(1)}: ${field} ${what}.`, {
    details: { field },
  });
}

/** Reads a text that must not be blank, when it is there. */
export function text(definition: RawDefinition, field: string, where: string): string | undefined {
  const value = definition[field];
  if (value === undefined) return undefined;
  if (typeof value !== 'string' || value.trim() === '') throw invalidTool(where, field, 'must be a text that is not empty');
  return value;
}

function flag(definition: RawDefinition, field: string, where: string): boolean {
  const value = definition[field] ?? false;
  if (typeof value !== 'boolean') throw invalidTool(where, field, 'must be true or false');
  return value;
}

function count(definition: RawDefinition, field: string, max: number, where: string): number | undefined {
  const value = definition[field];
  if (value === undefined) return undefined;
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 1 || value > max)
    throw invalidTool(where, field, `must be a whole number from 1 to ${max}`);
  return value;
}

function oneOf<const Value extends string>(
  definition: RawDefinition,
  field: string,
  allowed: readonly Value[],
  where: string,
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
    const id = text(raw, 'id', `${where} ${at}`);
    const words = text(raw, 'text', `${where} ${at}`);
    if (id === undefined || words === undefined) throw invalidTool(where, at, 'needs an id and a text');
    const order = raw['order'] ?? 99;
    if (typeof order !== 'number' || !Number.isFinite(order)) throw invalidTool(where, `${at}.order`, 'must be a number');
    const condition = text(raw, 'condition', `${where} ${at}`);
    if (condition !== undefined) checkCondition(condition, `${where} ${at}`);
    return { id, order, text: words, ...(condition === undefined ? {} : { condition }) };
  });
}

function checkCondition(source: string, where: string): void {
  const compiled = compileExpression(source, agentRoots);
  if (!compiled.ok)
    throw invalidTool(
      where,
      'condition',
      `is no condition: ${compiled.problems.map(({ message, hint }) => (hint === undefined ? message : `${message} (${hint})`)).join('; ')}`,
    );
}
