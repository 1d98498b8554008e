import { CadreError } from '../../core/error.ts';
import type { JsonObject } from '../../core/json.ts';
import type { Secrets } from '../../core/secrets/secrets.ts';
import type { Tool } from '../../core/tool/tool.ts';
import { toolFacts } from '../../tools/tool-facts.ts';
import { type CodePorts, type CodeTools, type CodeToolset, givenToolset, type GivenSettings, withTeam } from './code-tools.ts';
import { toolDifferences, toolsetDifferences } from './given-differences.ts';
import { type GivenTools, type GivenToolset, withoutSecrets } from './given-tools.ts';
import { readJson } from '../../core/read-json.ts';

/**
 * Returns the code tools that a run continues with: those recorded when it began, matched with `now`, those of this program.
 *
 * 1. Settings come from the record: a toolset that code gave as a kind with settings is created again from them.
 * 2. Secrets are not recorded. A toolset with a secret is the program's own, provided that no other setting differs.
 * 3. Code is not recorded either. A tool, or a toolset created by code, is the program's of the same name; a removed one is missing, a
 *    later one is not available to this run, and one whose settings differ by its own account is refused.
 *
 * @throws CadreError `TOOLSETS_CHANGED` naming every reason why a recorded toolset cannot be restored
 */
export function recordedCodeTools(now: CodeTools, recorded: GivenTools, ports: CodePorts): CodeTools {
  const found = Object.entries(recorded.toolsets).map(([name, given]) =>
    findToolset(
      name,
      given,
      now.toolsets.find((toolset) => toolset.name === name),
      ports,
    ),
  );
  const problems = found.flatMap(({ problem }) => problem ?? []);
  if (problems.length > 0) throw new CadreError('TOOLSETS_CHANGED', problems.join('; '), { details: { problems } });
  const tools = recorded.tools.map((facts) => findTool(facts, now.own, ports.secrets));
  const own = tools.flatMap(({ tool }) => tool ?? []);
  const { team } = recorded;
  const given: GivenTools = { team, tools: tools.map(({ facts }) => facts), toolsets: recorded.toolsets };
  const text = JSON.stringify(given);
  const entry = { hash: ports.hash(text), text };
  return {
    team,
    own,
    // A recorded tool's name is not reused for another tool when the code that gave it is gone.
    base: withTeam(
      own,
      team,
      recorded.tools.map(({ name }) => String(name)),
    ),
    toolsets: found.flatMap(({ toolset }) => toolset ?? []),
    recorded: found.flatMap(({ recorded }) => recorded ?? []),
    record: () => entry,
    differences: [...found.flatMap(({ differences }) => differences), ...tools.flatMap(({ differences }) => differences)],
  };
}

interface FoundToolset {
  readonly toolset?: CodeToolset;
  /** The toolset's settings, when the program does not give the same. */
  readonly recorded?: GivenSettings;
  readonly problem?: string;
  readonly differences: readonly string[];
}

function findToolset(name: string, given: GivenToolset, now: CodeToolset | undefined, ports: CodePorts): FoundToolset {
  const differences = now === undefined ? [] : differencesOf(given, now, ports);
  const told = differences.map((difference) => `toolset '${name}': ${difference}`);
  const { kind, settings = {}, secrets = [] } = given;
  if (kind !== undefined && secrets.length === 0) {
    const toolset = { name, kind, settings };
    const isGiven = now !== undefined && differences.length === 0;
    return { toolset, ...(isGiven ? {} : { recorded: toolset }), differences: told };
  }
  if (now === undefined) return kind === undefined ? { differences: [] } : { problem: lacking(name, given), differences: [] };
  if (differences.length === 0) return { toolset: now, differences: [] };
  return { problem: `the toolset '${name}' that code gives is another one: ${differences.join(', ')}`, differences: [] };
}

function lacking(name: string, { kind = name, secrets = [] }: GivenToolset): string {
  const places = secrets.map((path) => `settings.${path}`).join(', ');
  return `the toolset '${name}' (kind ${kind}) was given in code with secrets, which are not on record (${places}), and this program gives no toolset of that name`;
}

/** Lists how a toolset of today's code differs from the recorded one, apart from secrets of either. */
function differencesOf(given: GivenToolset, now: CodeToolset, { secrets }: CodePorts): readonly string[] {
  const today = givenToolset(now, secrets);
  const hidden = [...(given.secrets ?? []), ...(today.secrets ?? [])];
  const clean = ({ settings, ...rest }: GivenToolset): GivenToolset =>
    settings === undefined ? rest : { ...rest, settings: withoutSecrets(settings, hidden) };
  return toolsetDifferences(clean(given), clean(today));
}

interface FoundTool {
  readonly tool?: Tool;
  readonly facts: JsonObject;
  readonly differences: readonly string[];
}

function findTool(recorded: JsonObject, now: readonly Tool[], secrets: Secrets): FoundTool {
  const tool = now.find(({ name }) => name === recorded['name']);
  // The tool stays recorded: the next process that has it finds it.
  if (tool === undefined) return { facts: recorded, differences: [] };
  // Parsed like the record, so that values that JSON drops make no difference.
  const facts = readJson(JSON.stringify(secrets.json(toolFacts(tool)))) as JsonObject;
  return { tool, facts, differences: toolDifferences(recorded, facts).map((difference) => `tool '${tool.name}': ${difference}`) };
}
