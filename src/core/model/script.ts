/**
 * Scripts: replies of a scripted model, as rules over its input.
 *
 * Owns: the form of a script, and the choice of the answering rule. Does not own: the view of the request that rules read (the
 * scripted model builds it), nor the streaming of replies.
 *
 * 1. Rules are tried in order; the first whose condition holds replies. A condition that fails does not hold.
 * 2. `let` values, of a script and of its rules, are computed on first read; each sees those declared before it.
 * 3. Compilation is complete, and every problem is reported with its path; answering compiles nothing.
 * 4. A rule may `fail` instead of replying: the model call then fails permanently with this message.
 */
import { describeThrown } from '../error.ts';
import type { ExpressionRoots, RootDeclaration, Scope } from '../expression/expression.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../json.ts';
import { ScriptCompiler, type Computed, type ScriptPath, type ScriptProblem } from './script-value.ts';

/** One tool call of a script; `tool` is the tool's real name. */
export interface ScriptCall {
  readonly tool: string;
  readonly args: unknown;
}

/** Answer of a script to a request: a reply, or the reason for none. */
export type ScriptAnswer =
  | {
      readonly kind: 'reply';
      readonly rule: string;
      readonly text: string;
      readonly reasoning: string;
      readonly calls: readonly ScriptCall[];
    }
  | { readonly kind: 'failure'; readonly message: string };

/** A compiled script; stateless, so it can be shared. */
export interface Script {
  /** Answers a request, given as the view that `scriptRoots` names. Never throws. */
  answer(view: Scope): ScriptAnswer;
}

/** A compiled script, or all problems of its source. */
export type ScriptResult =
  | { readonly ok: true; readonly script: Script }
  | { readonly ok: false; readonly problems: readonly ScriptProblem[] };

const open: RootDeclaration = { kind: 'open' };

/**
 * Roots that expressions of a script may read, besides `vars`:
 *
 * - `system` (text), `messages` (each `role, text, tool_calls, tool_results`), `last` (the last message);
 * - `first_user`, `last_user` (text), `user_texts` (list);
 * - `tools` (names offered), `calls` (all calls so far, each `tool, args`), `call_names`;
 * - `tool_results` (all so far, each `tool, text, content, is_error, data, call_args`), `last_results` (the most recent ones);
 * - `turn` (1 for the first reply).
 */
export const scriptRoots: ExpressionRoots = {
  system: open,
  messages: open,
  last: open,
  first_user: open,
  last_user: open,
  user_texts: open,
  tools: open,
  calls: open,
  call_names: open,
  tool_results: open,
  last_results: open,
  turn: open,
};

interface Variable {
  readonly name: string;
  readonly compute: Computed<unknown>;
}

interface Reply {
  /** Failure message instead of a reply. */
  readonly fail: Computed<string> | undefined;
  readonly text: Computed<string>;
  readonly reasoning: Computed<string>;
  readonly calls: readonly Computed<readonly ScriptCall[]>[];
}

interface Rule {
  readonly id: string;
  readonly variables: readonly Variable[];
  readonly when: Computed<boolean>;
  readonly reply: Reply;
}

/** Compiles a script: `{ let?, rules: [{ id, when?, let?, reply }], otherwise? }`. */
export function compileScript(source: JsonObject): ScriptResult {
  const compiler = new ScriptCompiler();
  compiler.checkKeys(source, [], ['name', 'description', 'let', 'rules', 'otherwise']);
  const variables = compileVariables(compiler, source['let'], { path: ['let'], outer: [] });
  const rules = compileRules(compiler, source['rules'], variables);
  const otherwise = source['otherwise'];
  const fallback =
    otherwise === undefined ? undefined : compileReply(compiler, otherwise, { path: ['otherwise'], roots: rootsWith(variables) });
  if (compiler.problems.length > 0) return { ok: false, problems: compiler.problems };
  return { ok: true, script: { answer: (view) => answer(view, { variables, rules, otherwise: fallback }) } };
}

/** The compiled parts of a script. */
interface ScriptParts {
  readonly variables: readonly Variable[];
  readonly rules: readonly Rule[];
  readonly otherwise: Reply | undefined;
}

function answer(view: Scope, { variables, rules, otherwise }: ScriptParts): ScriptAnswer {
  const scope = withVariables(view, variables);
  const tried: string[] = [];
  for (const rule of rules) {
    const own = rule.variables.length === 0 ? scope : withVariables(scope, rule.variables);
    try {
      if (!rule.when(own)) {
        tried.push(rule.id);
        continue;
      }
    } catch (thrown) {
      tried.push(`${rule.id} (its condition failed: ${describeThrown(thrown)})`);
      continue;
    }
    return render(rule.id, rule.reply, own);
  }
  if (otherwise !== undefined) return render('otherwise', otherwise, scope);
  const which = tried.length === 0 ? 'it has none' : `tried in this order: ${tried.join(', ')}`;
  return {
    kind: 'failure',
    message: `No rule of the script holds for this request (${which}). Add a rule, or an "otherwise" reply.`,
  };
}

function render(rule: string, reply: Reply, scope: Scope): ScriptAnswer {
  try {
    if (reply.fail !== undefined) return { kind: 'failure', message: reply.fail(scope) };
    const calls = reply.calls.flatMap((call) => call(scope));
    return { kind: 'reply', rule, text: reply.text(scope), reasoning: reply.reasoning(scope), calls };
  } catch (thrown) {
    return { kind: 'failure', message: `The reply of the script's rule "${rule}" cannot be built: ${describeThrown(thrown)}` };
  }
}

/** Adds fields under `vars`, each computed on first read and then kept for this answer. */
function withVariables(outer: Scope, variables: readonly Variable[]): Scope {
  const vars: Record<string, unknown> = {};
  const known = outer['vars'];
  if (isJsonObject(known)) Object.defineProperties(vars, Object.getOwnPropertyDescriptors(known));
  const scope = extendScope(outer, 'vars', vars);
  for (const { name, compute } of variables) {
    let value: { readonly computed: unknown } | undefined;
    Object.defineProperty(vars, name, { enumerable: true, get: () => (value ??= { computed: compute(scope) }).computed });
  }
  return scope;
}

/** Adds one root to a scope; the getters of the outer one stay getters. */
function extendScope(outer: Scope, name: string, value: unknown): Scope {
  const scope: Record<string, unknown> = {};
  Object.defineProperties(scope, Object.getOwnPropertyDescriptors(outer));
  Object.defineProperty(scope, name, { enumerable: true, configurable: true, value });
  return scope;
}

function rootsWith(variables: readonly Variable[]): ExpressionRoots {
  return { ...scriptRoots, vars: { kind: 'closed', fields: Object.fromEntries(variables.map(({ name }) => [name, open])) } };
}

function compileVariables(
  compiler: ScriptCompiler,
  source: JsonValue | undefined,
  { path, outer }: { readonly path: ScriptPath; readonly outer: readonly Variable[] },
): readonly Variable[] {
  if (source === undefined) return [];
  if (!isJsonObject(source)) {
    compiler.report(path, 'must be a map of names to values');
    return [];
  }
  const variables: Variable[] = [];
  for (const [name, value] of Object.entries(source)) {
    const known = [...outer, ...variables];
    if (!/^[A-Za-z_]\w*$/.test(name)) compiler.report([...path, name], `"${name}" is not a name: use letters, digits and _`);
    if (known.some((variable) => variable.name === name)) compiler.report([...path, name], `"${name}" is declared already`);
    variables.push({ name, compute: compiler.value(value, [...path, name], rootsWith(known)) });
  }
  return variables;
}

function compileRules(compiler: ScriptCompiler, source: JsonValue | undefined, variables: readonly Variable[]): readonly Rule[] {
  if (!isList(source)) {
    compiler.report(
      ['rules'],
      'a script needs a list of rules',
      'rules: [{ id: greet, when: "turn == 1", reply: { text: Hello } }]',
    );
    return [];
  }
  const seen = new Set<string>();
  return source.map((rule, index) => {
    const compiled = compileRule(compiler, rule, { index, outer: variables });
    if (seen.has(compiled.id)) compiler.report(['rules', index, 'id'], `another rule has the id "${compiled.id}"`);
    seen.add(compiled.id);
    return compiled;
  });
}

function compileRule(
  compiler: ScriptCompiler,
  source: JsonValue,
  { index, outer }: { readonly index: number; readonly outer: readonly Variable[] },
): Rule {
  const path = ['rules', index];
  const rule = isJsonObject(source) ? source : {};
  if (!isJsonObject(source)) compiler.report(path, 'a rule must be a map with id, when and reply');
  compiler.checkKeys(rule, path, ['id', 'when', 'let', 'reply', 'description']);
  const variables = compileVariables(compiler, rule['let'], { path: [...path, 'let'], outer });
  const roots = rootsWith([...outer, ...variables]);
  const { id: given, when = true, reply } = rule;
  const id = typeof given === 'string' ? given : `rule ${index + 1}`;
  if (given !== undefined && typeof given !== 'string') compiler.report([...path, 'id'], 'must be a text');
  if (reply === undefined) compiler.report(path, `the rule "${id}" has no reply`);
  return {
    id,
    variables,
    when: compiler.condition(when, [...path, 'when'], roots),
    reply: compileReply(compiler, reply ?? {}, { path: [...path, 'reply'], roots }),
  };
}

/** Place of a part of a script: its path, and the roots that its expressions may read. */
interface PartPlace {
  readonly path: ScriptPath;
  readonly roots: ExpressionRoots;
}

function compileReply(compiler: ScriptCompiler, source: JsonValue, { path, roots }: PartPlace): Reply {
  const reply = typeof source === 'string' ? { text: source } : isJsonObject(source) ? source : {};
  if (typeof source !== 'string' && !isJsonObject(source))
    compiler.report(path, 'a reply must be a text, or a map with text and tool_calls');
  compiler.checkKeys(reply, path, ['text', 'reasoning', 'tool_calls', 'fail']);
  const { text = '', reasoning = '', tool_calls: calls = [], fail } = reply;
  if (fail !== undefined && Object.keys(reply).length > 1)
    compiler.report([...path, 'fail'], 'a reply with `fail` has no other keys');
  if (!isList(calls)) compiler.report([...path, 'tool_calls'], 'must be a list');
  const list: readonly JsonValue[] = isList(calls) ? calls : [];
  return {
    fail: fail === undefined ? undefined : compiler.text(fail, [...path, 'fail'], roots),
    text: compiler.text(text, typeof source === 'string' ? path : [...path, 'text'], roots),
    reasoning: compiler.text(reasoning, [...path, 'reasoning'], roots),
    calls: list.map((call, index) => compileCall(compiler, call, { path: [...path, 'tool_calls', index], roots })),
  };
}

function compileCall(
  compiler: ScriptCompiler,
  source: JsonValue,
  { path, roots: outer }: PartPlace,
): Computed<readonly ScriptCall[]> {
  const call = isJsonObject(source) ? source : {};
  if (!isJsonObject(source)) compiler.report(path, 'a tool call must be a map with tool and args');
  compiler.checkKeys(call, path, ['tool', 'args', 'when', 'for_each', 'as']);
  const { for_each: forEach, as = 'item', when = true, args = {} } = call;
  const item = typeof as === 'string' && /^[A-Za-z_]\w*$/.test(as) && outer[as] === undefined ? as : undefined;
  if (item === undefined) compiler.report([...path, 'as'], 'must be a name of letters, digits and _ that is not taken');
  if (call['as'] !== undefined && forEach === undefined)
    compiler.report([...path, 'as'], 'has a meaning only together with for_each');
  if (call['tool'] === undefined) compiler.report(path, 'a tool call needs the name of a tool');
  const roots = forEach === undefined || item === undefined ? outer : { ...outer, [item]: open };
  const holds = compiler.condition(when, [...path, 'when'], roots);
  const tool = compiler.text(call['tool'] ?? '', [...path, 'tool'], roots);
  const value = compiler.value(args, [...path, 'args'], roots);
  const build = (scope: Scope): readonly ScriptCall[] => (holds(scope) ? [{ tool: tool(scope), args: value(scope) }] : []);
  if (forEach === undefined || item === undefined) return build;
  const list = compiler.expression(forEach, [...path, 'for_each'], outer);
  return (scope) => toItems(list(scope)).flatMap((element) => build(extendScope(scope, item, element)));
}

function toItems(value: unknown): readonly unknown[] {
  if (value === null || value === undefined) return [];
  if (Array.isArray(value)) return value;
  throw new TypeError('for_each needs a list');
}

function isList(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}
