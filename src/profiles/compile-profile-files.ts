/**
 * Compiles profile files into everything an engine needs, in one synchronous pass.
 *
 * Owns: the order of the steps. Does not own: reading disk (read-profile-files.ts), or the steps themselves.
 *
 * 1. Every file is parsed and its shape checked, even when other files have errors.
 * 2. LLM configs, protocols and profiles are resolved and compiled as far as possible, so that all problems of all files are found
 *    together; each problem is reported once, however many profiles inherit it.
 * 3. A set is returned only when there are no errors. The same files and environment give the same set.
 */
import type { KnownNames } from '../core/profile/known-names.ts';
import type { Diagnostic, HandoverProtocol, ProfileFile, ProfileSet, CompiledProfile } from '../core/profile/profile.ts';
import type { LlmConfig } from '../core/model/llm-config.ts';
import { agentsToolset } from '../core/tool/agents-toolset.ts';
import { checkToolReferences } from './compile/checks/check-tool-references.ts';
import { checkAgentCalls } from './compile/checks/check-agent-calls.ts';
import { compileAliases, isAlias } from './compile/compile-aliases.ts';
import { checkLlmConfigs, refuseLookups } from './compile/checks/check-llm-configs.ts';
import { checkScript, checkScriptTools } from './compile/checks/check-script.ts';
import type { CompileContext } from './compile/compile-context.ts';
import { compileHandoverProtocol } from './compile/configs/compile-handover.ts';
import { compileLlmConfig } from './compile/configs/compile-llm-config.ts';
import { compilePrices } from './compile/configs/compile-prices.ts';
import { compileTeams } from './compile/configs/compile-teams.ts';
import { compileToolset } from './compile/configs/compile-toolset.ts';
import { withToolsets } from './compile/profile-tools.ts';
import { baseType } from './compile/base-type.ts';
import { compileProfile } from './compile/compile-profile.ts';
import { mapNode, textNode } from './compile/read-node.ts';
import { reportDuplicateIds } from './files/duplicate-ids.ts';
import { expandVariables, variablesAsLookups } from './files/expand-variables.ts';
import { indexNames } from './files/index-names.ts';
import { mergeToolsets } from './merge/merge-toolsets.ts';
import { resolveBases } from './merge/resolve-bases.ts';
import { parseProfileFiles, type ParsedFiles } from './files/parse-profile-files.ts';
import { Report } from './report.ts';
import { profileSchema } from './schema/profile-schema.ts';
import { validateShape } from './schema/validate-shape.ts';
import type { MapNode, Place } from './yaml/source-node.ts';

/** Inputs of a compilation besides the files. */
export interface CompileOptions {
  /** Names defined outside the files; absent categories are not checked. */
  readonly known?: Partial<KnownNames> | undefined;
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** Locations of code files on this machine, by path. */
  readonly codePlaces?: ReadonlyMap<string, string> | undefined;
  /** Reasons why code could not be read, by `codeKey`. */
  readonly codeProblems?: ReadonlyMap<string, string> | undefined;
  /** True for files that a run recorded: they were compiled before, so their shapes are not checked again. */
  readonly isRecorded?: boolean | undefined;
}

/** Compiled set (only when there are no errors), and all diagnostics including warnings. */
export interface CompileOutcome {
  readonly set?: ProfileSet;
  readonly diagnostics: readonly Diagnostic[];
}

const ownProfileKeys = new Set([
  'profile_id',
  'name',
  'base_profile',
  'rev',
  'timestamp',
  'is_active',
  'is_deleted',
  'exposable_as_tool',
  'tests',
]);
const ownConfigKeys = new Set(['name', 'alias_of', 'base_llm_config', 'type', 'description_for_human']);

/** Compiles profile files; reports every problem in them as a diagnostic and never throws for one. */
export function compileProfileFiles(files: readonly ProfileFile[], options: CompileOptions = {}): CompileOutcome {
  const report = new Report({ checksShape: options.isRecorded !== true });
  const parsed = withVariables(parseProfileFiles(files, report), options.env ?? {}, report);
  for (const kind of ['profile', 'llm_config', 'handover_protocol', 'toolset', 'team'] as const) {
    for (const node of parsed.roots[kind]) validateShape(kind, node, report);
  }
  for (const node of parsed.roots.profile) {
    reportDuplicateIds(node, report);
    refuseLookups(node, report);
  }
  const usedJson = new Set<string>();
  const toolsets = compileToolsets(parsed, { options, report, usedJson });
  const known = withToolsets(options.known ?? {}, toolsets);
  for (const node of parsed.roots.script) checkScript(report, node);
  const llm = compileLlmConfigs(parsed, { known, env: options.env ?? {}, report, usedJson });
  const prices = compilePrices(report, parsed.prices);
  const protocols = compileProtocols(parsed, report);
  const profiles = compileProfiles(parsed, { report, environment: options.env ?? {}, known, ...llm, protocols });
  const team = compileTeams(parsed.roots.team, profiles, { report, known, ...llm });
  const tools = known.tools === undefined ? undefined : new Set([...known.tools, ...exposedNames(profiles)]);
  for (const node of parsed.roots.script) checkScriptTools(report, node, { ...known, ...(tools === undefined ? {} : { tools }) });
  const { diagnostics } = report;
  if (report.hasErrors) return { diagnostics };
  const kept = files.filter((file) => parsed.used.has(file.path) || usedJson.has(file.path));
  const set = { profiles, llmConfigs: llm.configs, prices, protocols, toolsets, files: kept, warnings: diagnostics };
  return { set: { ...set, ...(team === undefined ? {} : { team }) }, diagnostics };
}

/** Expands variables outside texts; variables in an LLM config become lookups. */
function withVariables(parsed: ParsedFiles, environment: NonNullable<CompileOptions['env']>, report: Report): ParsedFiles {
  const { roots } = parsed;
  const profile = roots.profile.map((root) => expandVariables(root, environment, report));
  return { ...parsed, roots: { ...roots, profile, llm_config: roots.llm_config.map(variablesAsLookups) } };
}

function exposedNames(profiles: ReadonlyMap<string, CompiledProfile>): readonly string[] {
  return [...profiles.values()].flatMap((profile) => profile.exposableAsTool?.name ?? []);
}

interface LlmResult {
  readonly configs: ReadonlyMap<string, LlmConfig>;
  readonly llmConfigs: ReadonlySet<string>;
  readonly abstractLlmConfigs: ReadonlySet<string>;
  readonly broken: ReadonlySet<string>;
}

function compileLlmConfigs(
  parsed: ParsedFiles,
  options: Required<Pick<CompileOptions, 'env'>> & {
    readonly known: Partial<KnownNames>;
    readonly report: Report;
    readonly usedJson: Set<string>;
  },
): LlmResult {
  const { report, known, usedJson } = options;
  const { broken } = parsed;
  const named = indexNames(parsed.roots.llm_config, report, { key: 'name', what: 'LLM config' });
  const nodes = resolveBases(named, { baseKey: 'base_llm_config', what: 'LLM config', ownKeys: ownConfigKeys, broken }, report);
  const models = known.models ?? new Set<string>();
  const values = { env: options.env ?? {}, jsonFiles: parsed.jsonFiles, onUsed: (path: string) => usedJson.add(path), report };
  const scripts = new Map<string, MapNode | undefined>([...parsed.unreadable].map((path) => [path, undefined]));
  for (const node of parsed.roots.script) scripts.set(node.at.file.path, node);
  const aliasNodes = new Map([...nodes].filter(([, node]) => isAlias(node)));
  const written = new Map([...nodes].filter(([, node]) => !isAlias(node)));
  const context = { report, values, models, scripts };
  const own = new Map([...written].map(([name, node]) => [name, compileLlmConfig(context, node, name)]));
  const aliases = compileAliases(aliasNodes, { ...context, configs: own, broken });
  // Unresolved aliases were reported already; references to them are not reported again.
  const unusable = new Set([...broken, ...[...aliasNodes.keys()].filter((name) => !aliases.has(name))]);
  const configs = new Map([...own, ...aliases]);
  const abstractLlmConfigs = checkLlmConfigs({ configs, nodes: written, models, broken: unusable }, report);
  return { configs, llmConfigs: new Set(configs.keys()), abstractLlmConfigs, broken: unusable };
}

function compileToolsets(
  parsed: ParsedFiles,
  { options, report, usedJson }: { readonly options: CompileOptions; readonly report: Report; readonly usedJson: Set<string> },
): ProfileSet['toolsets'] {
  const named = mergeToolsets(parsed.roots, report);
  const values = { env: options.env ?? {}, jsonFiles: parsed.jsonFiles, onUsed: (path: string) => usedJson.add(path), report };
  const kinds = options.known?.toolsetKinds;
  const profileNames = new Set(parsed.roots.profile.flatMap((root) => textNode(root, 'name')?.value ?? []));
  const { jsonFiles, codeFiles } = parsed;
  const code = { files: new Map([...jsonFiles, ...codeFiles]), places: options.codePlaces, problems: options.codeProblems };
  const context = { report, values, kinds, profileNames, broken: parsed.broken, code };
  return new Map([...named].map(([name, node]) => [name, compileToolset(context, node, name)]));
}

function compileProtocols(parsed: ParsedFiles, report: Report): ReadonlyMap<string, HandoverProtocol> {
  const named = indexNames(parsed.roots.handover_protocol, report, { key: 'protocol_name', what: 'handover protocol' });
  return new Map([...named].map(([name, node]) => [name, compileHandoverProtocol(report, node, name)]));
}

function compileProfiles(
  parsed: ParsedFiles,
  context: Omit<CompileContext, 'exposedTools' | 'exposedToolsets' | 'profileNames'>,
): ReadonlyMap<string, CompiledProfile> {
  const named = indexNames(parsed.roots.profile, context.report, { key: 'name', what: 'profile' });
  const rules = { baseKey: 'base_profile', what: 'profile', ownKeys: ownProfileKeys, broken: parsed.broken };
  const resolved = resolveBases(named, rules, context.report);
  const exposedTools = new Map<string, Place>();
  const exposedToolsets = new Set<string>();
  for (const node of resolved.values()) {
    const exposed = mapNode(node, 'exposable_as_tool');
    const tool = textNode(exposed, 'name');
    if (tool !== undefined && !exposedTools.has(tool.value)) exposedTools.set(tool.value, tool.at);
    if (exposed !== undefined) exposedToolsets.add(textNode(exposed, 'toolset')?.value ?? agentsToolset);
  }
  const full: CompileContext = { ...context, exposedTools, exposedToolsets, profileNames: new Set(named.keys()) };
  const profiles = new Map([...resolved].map(([name, node]) => [name, compileProfile(full, inOrder(node, named.get(name)), name)]));
  checkAgentCalls(context.report, profiles, resolved);
  checkToolReferences(context.report, { toolsets: context.known.toolsetTools, profiles, nodes: resolved });
  return profiles;
}

const keyOrder = Object.keys((profileSchema['properties'] ?? {}) as object);

/** Puts the keys of a profile in their usual order. Drops an inherited `type: base`: only the file that says it is a base. */
function inOrder(node: MapNode, own: MapNode | undefined): MapNode {
  const isBase = textNode(node, 'type')?.value === baseType && own?.entries.has('type') !== true;
  const kept = [...node.entries].filter(([key]) => !(isBase && key === 'type'));
  return { ...node, entries: new Map(kept.toSorted(([a], [b]) => keyOrder.indexOf(a) - keyOrder.indexOf(b))) };
}
