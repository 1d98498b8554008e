import { CadreError } from '../../core/error.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json.ts';
import type { ContentHash } from '../../core/ids.ts';
import type { Tool } from '../../core/tool/tool.ts';
import { argumentCheck } from '../../tools/schema/check-arguments.ts';
import { normalizeTool } from '../../tools/normalize-tool.ts';
import type { CodePorts, CodeTools } from '../toolsets/code-tools.ts';
import type { GivenTools } from '../toolsets/given-tools.ts';
import type { ToolList } from '../toolsets/tool-list.ts';
import { ToolsetInstance } from '../toolsets/toolset-instance.ts';
import { readJson } from '../../core/read-json.ts';

/*
 * Tools without code, made from their record: enough to write a prompt and to judge a call, and never run.
 */

/** Returns the code tools of this program, and for each recorded one that it lacks a tool made from the record. */
export function withStandIns(now: CodeTools, recorded: GivenTools, { hash, secrets }: CodePorts): CodeTools {
  const own = new Set(now.own.map(({ name }) => name));
  const missing = recorded.tools.filter(({ name }) => !own.has(String(name))).flatMap((facts) => standIn(facts) ?? []);
  const named = new Set(now.toolsets.map(({ name }) => name));
  const toolsets = Object.entries(recorded.toolsets).flatMap(([name, { kind, secrets: hidden = [] }]) =>
    named.has(name) || (kind !== undefined && hidden.length === 0)
      ? []
      : [
          {
            name,
            // It counts as connecting: the journal has its tools, and nothing connects it.
            instance: () =>
              new ToolsetInstance(
                name,
                `${name}#recorded`,
                { tools: [], connect: () => undefined },
                { hash, redact: secrets.json },
              ),
          },
        ],
  );
  return { ...now, own: [...now.own, ...missing], toolsets: [...now.toolsets, ...toolsets] };
}

/** Returns the tools of a toolset as a run recorded them. */
export function recordedToolList(hash: ContentHash, text: string): ToolList {
  const facts: unknown = readJson(text);
  const tools = (Array.isArray(facts) ? (facts as readonly JsonValue[]) : []).filter(isJsonObject);
  return { tools: tools.flatMap((each) => standIn(each) ?? []), text, hash, leftOut: [] };
}

/** Returns a tool that is its record; undefined for a record that describes none, as in a damaged journal. */
function standIn(facts: JsonObject): Tool | undefined {
  const { name, kind, parameters } = facts;
  if (typeof name !== 'string' || !isJsonObject(parameters)) return undefined;
  const run = (): never => {
    throw new CadreError('TOOL_MISSING', `'${name}' is known by its record only; it cannot run here`);
  };
  const check = argumentCheck(parameters, `tool '${name}'`);
  return normalizeTool(kind === 'transition' ? { ...facts, check, run } : { ...facts, kind: 'effect', check, execute: run });
}
