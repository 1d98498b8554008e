import type { Tool } from '../core/tool/tool.ts';
import { globalStrategies } from '../core/inbox/strategy.ts';
import { createIngestorRegistry } from '../ingestors/registry.ts';
import { bundledTeams } from '../profiles/files/bundled-teams.ts';
import type { NamesOfFiles } from '../profiles/names-of-files.ts';
import type { KnownThings } from '../profiles/schema/with-names.ts';
import { createTeamTools } from '../team/create-team-tools.ts';
import { builtInToolsets } from './toolsets/toolset-kinds.ts';

/** A name and its description in one line. */
type Thing = readonly [name: string, about: string];

/** Returns the names that profiles may use: Cadre's own, tools given by code, and those declared in the project's files. */
export function knownThings({ names, toolsetKinds }: NamesOfFiles, given: readonly Tool[] = []): KnownThings {
  const coded = [...given, ...createTeamTools()];
  const kinds = Object.keys(builtInToolsets).filter((kind) => builtInToolsets[kind]?.tools.length !== 0);
  const toolsets: readonly Thing[] = [...kinds.map((kind): Thing => [kind, kind]), ...toolsetKinds];
  // An ingestor has two spellings; one is enough to choose from.
  const ingestors = createIngestorRegistry()
    .names()
    .filter((name) => !name.endsWith('_ingestor'));
  return {
    ...names,
    tools: new Map([
      ...toolsets.flatMap(([name, kind]) => toolsOf(name, kind).map((tool): Thing => [tool, `of the toolset ${name}`])),
      ...coded.map((tool): Thing => [tool.name, tool.description]),
      ...names.tools,
    ]),
    toolsets: new Map([
      ...toolsets.map(([name, kind]): Thing => [name, toolsOf(name, kind).join(', ')]),
      ...[...Map.groupBy(coded, ({ toolset }) => toolset)].map(([name, tools]): Thing => [
        name,
        tools.map((tool) => tool.name).join(', '),
      ]),
      ...[...names.toolsets].filter(([, about]) => about !== ''),
    ]),
    ingestors: new Map(ingestors.map((name): Thing => [name, ''])),
    observers: new Map(
      toolsets.flatMap(([, kind]) =>
        (builtInToolsets[kind]?.observers ?? []).map((name): Thing => [name, `of toolsets of the kind ${kind}`]),
      ),
    ),
    sources: new Map([
      ...names.sources,
      ...[...globalStrategies].map(([source, { ingestor }]): Thing => [source, `comes with Cadre; read by ${ingestor}`]),
    ]),
    teams: new Map(bundledTeams().map((team): Thing => [team, 'comes with Cadre'])),
  };
}

function toolsOf(name: string, kind: string): readonly string[] {
  const tools = builtInToolsets[kind]?.tools ?? [];
  return tools.map((tool) => (name === kind ? tool : `${name}_${tool}`));
}
