import type { KnownNames } from '../../../core/profile/known-names.ts';
import type { CompiledProfile } from '../../../core/profile/profile.ts';
import { meansTool, meansToolset, type NamedTool, otherName } from '../../../core/tool/tool-naming.ts';
import { agentsToolset } from '../../../core/tool/agents-toolset.ts';
import { moduleKind } from '../../files/read-code-files.ts';
import type { Report } from '../../report.ts';
import { nameHint, quote } from '../../wording.ts';
import { type MapNode, type Place, childOf } from '../../yaml/source-node.ts';
import { baseType } from '../base-type.ts';
import { profileTools, type ProfileTools } from '../profile-tools.ts';
import { mapItems, textItems, textNode } from '../read-node.ts';

/** Mention of a tool or toolset in a gate, filter or tool choice. */
interface Reference {
  readonly at: Place;
  /** Name of the referring part for messages: "gate `no_shell`". */
  readonly what: string;
  /** First name in the reference, for the hint. */
  readonly name: string;
  readonly isMet: (tools: ProfileTools) => boolean;
}

const toolChoices: ReadonlySet<string> = new Set(['auto', 'none', 'required']);

/**
 * Warns of gates, filters and tool choices that match no tool their profile may call: a gate that denies a misspelled tool guards
 * nothing. An inherited reference is fine when it matches in at least one inheriting profile.
 */
export function checkToolReferences(
  report: Report,
  {
    toolsets,
    profiles,
    nodes,
  }: {
    readonly toolsets: KnownNames['toolsetTools'];
    readonly profiles: ReadonlyMap<string, CompiledProfile>;
    readonly nodes: ReadonlyMap<string, MapNode>;
  },
): void {
  if (toolsets === undefined) return;
  const exposed = exposedTools(profiles);
  const unmet = new Map<string, Unmet>();
  const met = new Set<string>();
  for (const [name, profile] of profiles) {
    const node = nodes.get(name);
    if (node === undefined || profile.type === baseType) continue;
    const tools = profileTools(profile, toolsets, exposed);
    for (const reference of referencesOf(node)) {
      const key = `${reference.at.file.path} ${reference.at.start}`;
      if (reference.isMet(tools)) met.add(key);
      const found = unmet.get(key) ?? { reference, profiles: [], known: [], open: new Set() };
      found.profiles.push(name);
      found.known.push(...tools.tools, ...tools.open.map((of) => ({ name: of.toolset, ...of })));
      for (const { toolset, toolsetKind } of tools.open) if (toolsetKind === moduleKind) found.open.add(toolset);
      unmet.set(key, found);
    }
  }
  for (const [key, { reference, profiles: owners, known, open }] of unmet) {
    if (met.has(key)) continue;
    const whose = owners.map(quote).slice(0, 3).join(', ');
    report.warning('MEANS_NO_TOOL', {
      at: reference.at,
      message: `${reference.what} matches no tool that ${whose} may call`,
      hint: hintFor(reference.name, known) + openWords(open),
    });
  }
}

interface Unmet {
  readonly reference: Reference;
  readonly profiles: string[];
  readonly known: NamedTool[];
  /** Toolsets whose code may still define the tool: code is not loaded here. */
  readonly open: Set<string>;
}

function openWords(open: ReadonlySet<string>): string {
  const [first] = open;
  if (first === undefined) return '';
  return `; the tools of ${[...open].map(quote).join(', ')} are only known once their code is loaded: name them with its prefix, ${quote(`${first}_NAME`)}`;
}

function exposedTools(profiles: ReadonlyMap<string, CompiledProfile>): readonly NamedTool[] {
  return [...profiles.values()].flatMap(({ exposableAsTool: tool }) =>
    tool === undefined ? [] : [{ name: tool.name, toolset: tool.toolset === '' ? agentsToolset : tool.toolset }],
  );
}

/** Collects all references to tools in a profile. */
function referencesOf(profile: MapNode): readonly Reference[] {
  return [
    ...mapItems(profile, 'tool_gates').flatMap(gateReference),
    ...mapItems(profile, 'pre_turn_observers').flatMap((observer) => {
      const action = childOf(observer, 'action');
      return action?.kind === 'map' ? filterReferences(action) : [];
    }),
    ...choiceReferences(profile),
  ];
}

function gateReference(gate: MapNode): readonly Reference[] {
  const tools = textItems(gate, 'tools').map(({ value }) => value);
  const toolsets = textItems(gate, 'toolsets').map(({ value }) => value);
  const [name] = [...tools, ...toolsets];
  if (name === undefined || tools.includes('*')) return [];
  const isMet = (known: ProfileTools): boolean =>
    tools.some((tool) => meansAny(tool, known)) || toolsets.some((toolset) => meansAnyToolset(toolset, known));
  return [{ at: gate.at, what: `gate ${quote(textNode(gate, 'id')?.value ?? '')}`, name, isMet }];
}

function filterReferences(action: MapNode): readonly Reference[] {
  if (textNode(action, 'type')?.value !== 'filter_tools') return [];
  return ['only', 'except'].flatMap((key) => {
    const [first, ...others] = textItems(action, key);
    if (first === undefined) return [];
    const names = [first, ...others].map(({ value }) => value);
    const isMet = (known: ProfileTools): boolean => names.some((name) => meansAny(name, known) || meansAnyToolset(name, known));
    return [{ at: first.at, what: `\`${key}\` of filter_tools`, name: first.value, isMet }];
  });
}

/** Returns references from tool choices. The choice is sent to the model, so it must be the tool's exact name. */
function choiceReferences(profile: MapNode): readonly Reference[] {
  const actions = [...mapItems(profile, 'pre_turn_observers'), ...mapItems(profile, 'flow_decider')].flatMap((owner) => {
    const action = childOf(owner, 'action');
    return action?.kind === 'map' && textNode(action, 'type')?.value === 'set_tool_choice' ? [action] : [];
  });
  return [profile, ...actions].flatMap((owner) => {
    const choice = textNode(owner, 'tool_choice');
    if (choice === undefined || toolChoices.has(choice.value)) return [];
    const isMet = ({ tools, open }: ProfileTools): boolean =>
      tools.some(({ name }) => name === choice.value) || open.some(({ toolset }) => choice.value.startsWith(`${toolset}_`));
    return [{ at: choice.at, what: `tool choice ${quote(choice.value)}`, name: choice.value, isMet }];
  });
}

function meansAny(name: string, { tools, open }: ProfileTools): boolean {
  return (
    tools.some((tool) => meansTool(name, tool, () => tools)) ||
    open.some(({ toolset, toolsetKind = toolset }) => name.startsWith(`${toolset}_`) || name.startsWith(`${toolsetKind}_`))
  );
}

function meansAnyToolset(name: string, { tools, open }: ProfileTools): boolean {
  return (
    tools.some((tool) => meansToolset(name, tool, () => tools)) ||
    open.some(({ toolset, toolsetKind }) => name === toolset || name === toolsetKind)
  );
}

/** Suggests the other form of the name when it matches a known tool, otherwise a similar name. */
function hintFor(name: string, known: readonly NamedTool[]): string {
  const meant = known.find((tool) => otherName(tool) === name)?.name;
  const names = new Set(known.flatMap((tool) => [tool.name, tool.toolset]));
  return meant === undefined ? nameHint(name, names, 'what it may call') : `did you mean ${quote(meant)}?`;
}
