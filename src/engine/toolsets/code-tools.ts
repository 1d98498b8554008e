import { CadreError } from '../../core/error.ts';
import { isJsonObject, type JsonObject } from '../../core/json.ts';
import type { ContentEntry } from '../../core/events/journal.ts';
import type { Secrets } from '../../core/secrets/secrets.ts';
import type { Tool } from '../../core/tool/tool.ts';
import { createToolRegistry } from '../../tools/registry.ts';
import { createTeamTools } from '../../team/create-team-tools.ts';
import { toolFacts } from '../../tools/tool-facts.ts';
import type { ContentHash } from '../../core/ids.ts';
import { toolNaming, type ToolsetOption } from './toolset-options.ts';
import { kindOf } from './known-toolset-kinds.ts';
import { type GivenTools, type GivenToolset, recordSettings } from './given-tools.ts';
import type { ToolsetInstance } from './toolset-instance.ts';
import type { ToolsetPool } from './toolset-pool.ts';

/** Options of the built-in team tools; `false` leaves them out. */
export type TeamOption = false | { readonly maxParallel?: number };

/** Tools and toolsets that code passes to an engine, as it passes them. */
export interface CodeOptions {
  readonly team?: TeamOption | undefined;
  readonly tools?: Readonly<Record<string, unknown>> | readonly unknown[] | undefined;
  readonly toolsets?: Readonly<Record<string, ToolsetOption>> | undefined;
}

/** A toolset as settings of a kind. */
export interface GivenSettings {
  readonly name: string;
  readonly kind: string;
  readonly settings: JsonObject;
}

/** A toolset given by code: settings of a kind, or a factory. */
export type CodeToolset = GivenSettings | { readonly name: string; readonly instance: () => ToolsetInstance };

/** Tools that a profile set has besides those its files declare: from code and from the team. Immutable. */
export interface CodeTools {
  readonly team: TeamOption;
  /** Individually given tools, in order. */
  readonly own: readonly Tool[];
  /** Tools from code, and the team's tools whose names are free. */
  readonly base: readonly Tool[];
  readonly toolsets: readonly CodeToolset[];
  /** Returns the entry that is recorded with a run. */
  readonly record: () => ContentEntry;
  /** Toolsets among `toolsets` that were created from a record and that this program's code does not define in the same way. */
  readonly recorded: readonly GivenSettings[];
  /** Differences from the record, one phrase each; for people. */
  readonly differences: readonly string[];
}

/** Services for describing the tools that code gives. */
export interface CodePorts {
  readonly pool: ToolsetPool;
  readonly hash: (text: string) => ContentHash;
  readonly secrets: Secrets;
}

/** Creates the tools and toolsets that code gives. Fails with TOOL_INVALID for an unusable tool. */
export function codeTools(options: CodeOptions, ports: CodePorts): CodeTools {
  const registry = createToolRegistry(options.tools ?? []);
  const own = registry.names().flatMap((name) => registry.get(name) ?? []);
  const { team = {} } = options;
  const toolsets = Object.entries(options.toolsets ?? {}).map(([name, option]) => codeToolset(name, option, ports.pool));
  let record: ContentEntry | undefined;
  return {
    team,
    own,
    base: withTeam(own, team),
    toolsets,
    record: () => (record ??= recordOf({ team, own, toolsets }, ports)),
    recorded: [],
    differences: [],
  };
}

/** Adds the team's tools; a tool of code wins over one of the same name. `taken`: further names that no team tool gets. */
export function withTeam(own: readonly Tool[], team: TeamOption, taken: readonly string[] = []): readonly Tool[] {
  if (team === false) return own;
  const names = new Set([...own.map(({ name }) => name), ...taken]);
  return [...own, ...createTeamTools(team).filter(({ name }) => !names.has(name))];
}

function codeToolset(name: string, option: ToolsetOption, pool: ToolsetPool): CodeToolset {
  if (typeof option === 'function')
    return { name, instance: () => pool.ofCode(name, () => option({ name, toolName: toolNaming(name, undefined) })) };
  const { kind = name, settings = {} } = option;
  if (!isJsonObject(settings))
    throw new CadreError(
      'OPTION_INVALID',
      `toolsets: the settings of '${name}' must be an object; got ${JSON.stringify(settings)}`,
    );
  kindOf(name, kind);
  return { name, kind, settings };
}

function recordOf(
  { team, own, toolsets }: Pick<CodeTools, 'team' | 'own' | 'toolsets'>,
  { hash, secrets }: CodePorts,
): ContentEntry {
  const given: GivenTools = {
    team,
    tools: secrets.json(own.map(toolFacts)),
    toolsets: Object.fromEntries(toolsets.map((toolset) => [toolset.name, givenToolset(toolset, secrets)])),
  };
  const text = JSON.stringify(given);
  return { hash: hash(text), text };
}

/** Returns a toolset given by code in the form in which it is recorded. */
export function givenToolset(toolset: CodeToolset, secrets: Secrets): GivenToolset {
  if ('kind' in toolset) return { kind: toolset.kind, ...recordSettings(toolset.settings, secrets) };
  const { settings } = toolset.instance();
  return settings === undefined ? {} : recordSettings(settings, secrets);
}
