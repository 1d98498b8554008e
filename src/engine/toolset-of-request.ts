import { CadreError } from '../core/error.ts';
import { isJsonObject, type JsonObject } from '../core/json.ts';
import type { EffectTool, ToolContext } from '../core/tool.ts';
import type { Toolset, ToolsetConfig, ToolsetKind, ToolsetRequest } from '../core/toolset.ts';
import { checkSchema } from '../tools/check-arguments.ts';

/** Most sets of settings of one toolset that are kept ready. */
const mostMade = 16;

/**
 * A toolset some of whose settings are values of the request: its tools are those of the settings without one, and each call runs
 * with the settings of its own run. What connects is there once for all runs, and keeps the settings it was made with.
 */
export function toolsetOfRequest(
  kind: ToolsetKind,
  request: ToolsetRequest,
  settingsFor: NonNullable<ToolsetConfig['settingsFor']>,
): Toolset {
  const usual = kind.create(request);
  if (usual.connect !== undefined) return usual;
  const usualKey = JSON.stringify(request.settings);
  const made = new Map<string, Toolset>([[usualKey, usual]]);
  const toolOf = (context: ToolContext, name: string): EffectTool | undefined => {
    const settings = settingsFor(context.request);
    const key = JSON.stringify(settings);
    let toolset = made.get(key);
    if (toolset === undefined) {
      toolset = kind.create({ ...request, settings: checked(kind, request.name, settings) });
      const [, oldest] = made.keys();
      if (made.size >= mostMade && oldest !== undefined) made.delete(oldest);
      made.set(key, toolset);
    }
    return toolset.tools.filter(isEffectTool).find((tool) => tool.name === name);
  };
  const bound = (tool: EffectTool): EffectTool => ({
    ...tool,
    execute: (args, context) => (toolOf(context, tool.name) ?? tool).execute(args, context),
  });
  return { ...usual, tools: usual.tools.map((tool) => (isEffectTool(tool) ? bound(tool) : tool)) };
}

function isEffectTool(tool: unknown): tool is EffectTool {
  return typeof tool === 'object' && tool !== null && 'execute' in tool && typeof tool.execute === 'function' && 'name' in tool;
}

/** What a request says is checked when it is used: nobody could at load. */
function checked(kind: ToolsetKind, name: string, settings: JsonObject): JsonObject {
  const result = checkSchema(kind.settings, settings);
  if (result.ok) return isJsonObject(result.args) ? result.args : settings;
  const problems = result.errors.map(({ path, message }) => `settings${path.replaceAll('/', '.')}: ${message}`);
  throw new CadreError(
    'OPTION_INVALID',
    `with the values of this run's request, toolset '${name}' cannot be used: ${problems.join('; ')}`,
  );
}
