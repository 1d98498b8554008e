/**
 * Checks the gates of profiles against the tools that their agents may call.
 *
 * Owns: what is wrong with a gate once tools and their parameters are known. Does not own: which tools a profile has (the engine), the meaning of
 * names (`tool-naming.ts`), of conditions over parameters (`argument-reads.ts`), and of an argument that a call leaves out (a gate fails closed).
 *
 * 1. A gate that several profiles inherit is judged by the tools of all of them.
 * 2. An argument that no tool of a gate has is an error; one that some have not, and everything that tools yet unknown could settle, is a warning.
 */
import type { CompiledProfile, Diagnostic, ToolGate } from '../../core/profile/profile.ts';
import type { JsonSchema } from '../../core/json.ts';
import { everyTool, meansTool, meansToolset, type NamedTool } from '../../core/tool/tool-naming.ts';
import { baseType } from '../compile/base-type.ts';
import type { DiagnosticCode } from '../diagnostic-code.ts';
import { listNames, nameHint, quote } from '../wording.ts';
import { type ArgumentReads, type MissingArgument, readArguments } from './argument-reads.ts';
import { implies } from './gate-coverage.ts';

/** A tool that agents of a profile may call. */
export interface CallableTool extends NamedTool {
  readonly parameters: JsonSchema;
}

/** Tools that agents of a profile may call, as far as known. */
export interface CallableTools {
  readonly tools: readonly CallableTool[];
  /** Toolsets whose tools are known only once they are connected. */
  readonly open: readonly Pick<NamedTool, 'toolset' | 'toolsetKind'>[];
}

/** Returns what is wrong with the gates of profiles. */
export function checkGates(
  profiles: Iterable<CompiledProfile>,
  callable: (profile: CompiledProfile) => CallableTools,
): readonly Diagnostic[] {
  const found = new Map<string, Diagnostic>();
  const tell = (diagnostic: Diagnostic): void => {
    const { source, message } = diagnostic;
    const key = `${source.file}:${source.line}:${source.column} ${message}`;
    if (!found.has(key)) found.set(key, diagnostic);
  };
  const gates = new Map<string, JudgedGate>();
  for (const profile of profiles) {
    if (profile.type === baseType || profile.isDeleted || profile.toolGates.length === 0) continue;
    const tools = callable(profile);
    for (const gate of profile.toolGates) addTools(gates, profile, gate, tools);
    for (const diagnostic of unreachableGates(profile, tools)) tell(diagnostic);
  }
  for (const gate of gates.values()) for (const diagnostic of argumentProblems(gate)) tell(diagnostic);
  return [...found.values()];
}

/** A gate as it is written, with the tools it matches in all profiles that have it. */
interface JudgedGate {
  readonly gate: ToolGate;
  readonly at: Diagnostic['source'];
  readonly tools: Map<string, CallableTool>;
  /** True when it may match tools that are not known yet. */
  isOpen: boolean;
}

function addTools(gates: Map<string, JudgedGate>, profile: CompiledProfile, gate: ToolGate, { tools, open }: CallableTools): void {
  const at = profile.origins.get(`tool_gates[${gate.id}].condition`) ?? gate.source;
  const key = JSON.stringify([at, gate.id, gate.tools, gate.toolsets, gate.condition?.source]);
  const judged = gates.get(key) ?? { gate, at, tools: new Map<string, CallableTool>(), isOpen: false };
  gates.set(key, judged);
  for (const tool of tools) if (isAbout(gate, tool, tools)) judged.tools.set(`${tool.toolset} ${tool.name}`, tool);
  judged.isOpen ||= open.some((toolset) => mayMean(gate, toolset));
}

/** True when a gate matches a tool, as when a call is judged. */
function isAbout(gate: ToolGate, tool: NamedTool, tools: readonly NamedTool[]): boolean {
  return referencesOf(gate).some((reference) => means(reference, tool, tools, gate.verdict === 'allow'));
}

/** A name in a gate: of a tool, or of a toolset. */
interface Reference {
  readonly kind: 'tool' | 'toolset';
  readonly name: string;
}

function referencesOf({ tools, toolsets }: ToolGate): readonly Reference[] {
  return [
    ...tools.map((name): Reference => ({ kind: 'tool', name })),
    ...toolsets.map((name): Reference => ({ kind: 'toolset', name })),
  ];
}

function means({ kind, name }: Reference, tool: NamedTool, tools: readonly NamedTool[], isStrict: boolean): boolean {
  if (kind === 'toolset') return meansToolset(name, tool, () => tools, isStrict);
  return name === everyTool || meansTool(name, tool, () => tools, isStrict);
}

/** True when a gate may match tools of a toolset that are not known yet. */
function mayMean(gate: ToolGate, { toolset, toolsetKind = toolset }: CallableTools['open'][number]): boolean {
  return referencesOf(gate).some(({ kind, name }) =>
    kind === 'toolset'
      ? name === toolset || name === toolsetKind
      : name === everyTool || name.startsWith(`${toolset}_`) || name.startsWith(`${toolsetKind}_`),
  );
}

function argumentProblems({ gate, at, tools, isOpen }: JudgedGate): readonly Diagnostic[] {
  const { condition, message } = gate;
  if (tools.size === 0) return [];
  const known = [...tools.values()];
  const reads = known.map((tool) => ({ tool, reads: readArguments(condition?.source ?? 'true', tool.parameters) }));
  const told = known.map((tool) => ({ tool, reads: readsOfPaths(message?.paths ?? [], tool) }));
  return [
    ...missingProblems(reads).map((missing) => unknownArgument({ gate, at, isOpen, tools: known }, missing)),
    ...missingProblems(told).map(({ read, tools: without }) =>
      warningOf(
        gate.source,
        `the message of gate ${quote(gate.id)} quotes ${quote(read.path)}, which ${toolsWithout(without, known)}`,
        hintOf(read, without),
      ),
    ),
    ...impossibleProblems(gate, at, reads),
  ].filter((diagnostic) => diagnostic !== undefined);
}

interface ToolReads {
  readonly tool: CallableTool;
  readonly reads: ArgumentReads;
}

/** A read, and the tools that have no such argument. */
interface MissingIn {
  readonly read: MissingArgument;
  readonly tools: readonly CallableTool[];
}

function missingProblems(reads: readonly ToolReads[]): readonly MissingIn[] {
  const all = reads.flatMap(({ tool, reads: { missing } }) => missing.map((read) => ({ tool, read })));
  return [...Map.groupBy(all, ({ read }) => read.path).values()].flatMap(([first, ...others]) =>
    first === undefined ? [] : [{ read: first.read, tools: [first, ...others].map(({ tool }) => tool) }],
  );
}

/** A message quotes paths; the texts around them do not matter. */
function readsOfPaths(paths: readonly string[], { parameters }: CallableTool): ArgumentReads {
  const own = paths.filter((path) => path === 'args' || /^args[.[]/.test(path));
  const missing = own.flatMap((path) => readArguments(`v[${JSON.stringify(path)}]`, parameters).missing);
  return { missing, impossible: [] };
}

function unknownArgument(
  { gate, at, isOpen, tools }: Pick<JudgedGate, 'gate' | 'at' | 'isOpen'> & { readonly tools: readonly CallableTool[] },
  { read, tools: without }: MissingIn,
): Diagnostic | undefined {
  const isEverywhere = without.length === tools.length;
  // Over all tools, asking whether there is such an argument is the way to mean those that have one.
  if (read.isAsked && gate.tools.includes(everyTool) && (!isEverywhere || isOpen)) return undefined;
  const what = `gate ${quote(gate.id)} reads ${quote(read.path)}, which ${toolsWithout(without, tools)}`;
  if (isEverywhere && !isOpen)
    return { severity: 'error', code: 'UNKNOWN_ARGUMENT', message: what, source: at, hint: hintOf(read, without) };
  const rest = isOpen ? '; tools of toolsets that connect are checked when they do' : '';
  const outcome = gate.verdict === 'ask' ? 'a person is asked' : 'the call is denied';
  const effect = read.isAsked ? 'it passes over their calls' : `where it needs the value, ${outcome}`;
  return warningOf(at, `${what}: ${effect}${rest}`, `${hintOf(read, without)}; name the tools without it in a gate of their own`);
}

function toolsWithout(without: readonly CallableTool[], tools: readonly CallableTool[]): string {
  const names = without.map(({ name }) => quote(name));
  if (without.length === tools.length && without.length > 1) return `none of the tools it matches has: ${listNames(names)}`;
  return without.length === 1 ? `${names[0] ?? ''} does not have` : `these tools do not have: ${listNames(names)}`;
}

function hintOf({ name, owner, known }: MissingArgument, [first]: readonly CallableTool[]): string {
  const of = owner === 'args' ? `arguments of ${quote(first?.name ?? '')}` : `fields of ${quote(owner)}`;
  return nameHint(name, known, of);
}

function warningOf(
  source: Diagnostic['source'],
  message: string,
  hint?: string,
  code: DiagnosticCode = 'UNKNOWN_ARGUMENT',
): Diagnostic {
  return { severity: 'warning', code, message, source, ...(hint === undefined ? {} : { hint }) };
}

function impossibleProblems(
  { id, verdict }: ToolGate,
  at: Diagnostic['source'],
  reads: readonly ToolReads[],
): readonly Diagnostic[] {
  const all = reads.flatMap(({ tool, reads: { impossible } }) => impossible.map((problem) => ({ tool, ...problem })));
  return [...Map.groupBy(all, ({ message }) => message)].map(([message, [first, ...others]]) => {
    const names = [first, ...others].flatMap((each) => (each === undefined ? [] : [quote(each.tool.name)]));
    const what = `a comparison of gate ${quote(id)} ${message} (${listNames(names)})`;
    const effect = first?.fails === true ? `${what}: ${verdict === 'ask' ? 'a person is asked' : 'the call is denied'}` : what;
    return warningOf(at, effect, undefined, first?.fails === true ? 'CONDITION_FAILS' : 'NEVER_TRUE');
  });
}

/** Returns the gates, or names in gates, that never decide, since earlier gates match all their calls. */
function unreachableGates({ toolGates }: CompiledProfile, callable: CallableTools): readonly Diagnostic[] {
  return toolGates.flatMap((gate, index) => {
    const earlier = toolGates.slice(0, index).filter((before) => implies(gate.condition, before.condition));
    if (earlier.length === 0) return [];
    const references = referencesOf(gate);
    const hidden = references.flatMap((reference) => {
      const by = coveredBy(reference, gate, earlier, callable);
      return by === undefined ? [] : [{ reference, by }];
    });
    if (hidden.length === 0) return [];
    const by = [...new Set(hidden.flatMap((each) => each.by))];
    const places = by.map(({ id, source, verdict }) => `${quote(id)} (${source.file}:${source.line}, ${verdict})`).join(' and ');
    const what =
      hidden.length === references.length
        ? `gate ${quote(gate.id)} never decides`
        : `gate ${quote(gate.id)} never decides about ${listNames(hidden.map(({ reference }) => quote(reference.name)))}`;
    const message = `${what}: ${places} ${by.length === 1 ? 'matches' : 'match'} all these calls before it`;
    return [
      warningOf(
        gate.source,
        message,
        `the first gate that matches decides; write ${quote(gate.id)} before it, or remove it`,
        'UNREACHABLE_GATE',
      ),
    ];
  });
}

/** Returns the earlier gates that together match every call that a name in a gate means; undefined when some call is left. */
function coveredBy(
  reference: Reference,
  gate: ToolGate,
  earlier: readonly ToolGate[],
  { tools, open }: CallableTools,
): readonly ToolGate[] | undefined {
  const meant = tools.filter((tool) => means(reference, tool, tools, gate.verdict === 'allow'));
  const isOpen = open.some((toolset) => mayMean({ ...gate, ...onlyOf(reference) }, toolset));
  // A name that means nothing is reported as such.
  if (meant.length === 0 && !isOpen) return undefined;
  const same = earlier.find((before) => before.tools.includes(everyTool) || namesSame(before, reference));
  if (same !== undefined) return [same];
  // What else the name means is known once the toolset is connected.
  if (isOpen) return undefined;
  const by = meant.map((tool) => earlier.find((before) => isAbout(before, tool, tools)));
  return by.every((each) => each !== undefined) ? [...new Set(by)] : undefined;
}

function namesSame(gate: ToolGate, { kind, name }: Reference): boolean {
  return (kind === 'tool' ? gate.tools : gate.toolsets).includes(name);
}

function onlyOf({ kind, name }: Reference): Pick<ToolGate, 'tools' | 'toolsets'> {
  return kind === 'tool' ? { tools: [name], toolsets: [] } : { tools: [], toolsets: [name] };
}
