import { CadreError } from '../../core/error.ts';
import { isJsonObject, type JsonObject } from '../../core/json.ts';
import type { EffectTool, Tool, TransitionTool } from '../../core/tool/tool.ts';
import type { Toolset, ToolsetKind, ToolsetRequest } from '../../core/tool/toolset.ts';
import type { ToolsetConfig } from '../../core/tool/toolset-config.ts';
import type { TransitionContext } from '../../core/tool/transition.ts';
import { checkSchema } from '../../tools/schema/check-arguments.ts';

/** Most instances of one toolset, by settings, that are kept ready. */
const mostMade = 16;

/** Finds a tool, and its kind, for the settings of a request. */
type FindTool = <Found extends Tool>(values: JsonObject, tool: Found, isKind: (tool: unknown) => tool is Found) => Found;

/**
 * Toolset with settings whose values come from the request: agents are offered the tools of the settings without a request, and each call
 * runs with the settings of its run. A connection is shared by all runs and keeps the settings it was made with.
 *
 * 1. A call never runs with another run's settings: if its own settings make no such tool, it fails.
 * 2. Trust in results is decided once for all runs, since the engine reads it from the offered tool.
 */
export function toolsetOfRequest(
  kind: ToolsetKind,
  request: ToolsetRequest,
  settingsFor: NonNullable<ToolsetConfig['settingsFor']>,
): Toolset {
  const usual = kind.create(request);
  if (usual.connect !== undefined) return { ...usual, settingsFor: () => request.settings };
  const usualKey = JSON.stringify(request.settings);
  const made = new Map<string, Toolset>([[usualKey, usual]]);
  const find: FindTool = (values, tool, isKind) => {
    const settings = settingsFor(values);
    const key = JSON.stringify(settings);
    let toolset = made.get(key);
    if (toolset === undefined) {
      toolset = kind.create({ ...request, settings: checked(kind, request.name, settings) });
      const [, oldest] = made.keys();
      if (made.size >= mostMade && oldest !== undefined) made.delete(oldest);
      made.set(key, toolset);
    }
    const found = toolset.tools.filter(isKind).find(({ name }) => name === tool.name);
    if (found === undefined) throw unusable(request.name, `has no tool '${tool.name}'`);
    if (found.trust !== tool.trust)
      throw unusable(request.name, `cannot be used: no request may change \`trust\` of '${tool.name}'`);
    return found;
  };
  return { ...usual, settingsFor, tools: usual.tools.map((tool) => (isTool(tool) ? bound(tool, find) : tool)) };
}

function bound(tool: Tool, find: FindTool): Tool {
  const { forProfile } = tool;
  const adapted: Pick<Tool, 'forProfile'> =
    forProfile === undefined
      ? {}
      : {
          forProfile: (profile, profiles) => {
            const own = forProfile(profile, profiles);
            return own === undefined ? undefined : bound(own, find);
          },
        };
  switch (tool.kind) {
    case 'effect':
      return { ...tool, ...adapted, ...boundEffect(tool, find) };
    case 'transition':
      return { ...tool, ...adapted, ...boundTransition(tool, find) };
  }
}

function boundEffect(tool: EffectTool, find: FindTool): Pick<EffectTool, 'execute'> {
  return {
    execute: (args, context) => find(context.request, tool, isEffectTool).execute(args, context),
  };
}

function boundTransition(tool: TransitionTool, find: FindTool): Pick<TransitionTool, 'run' | 'resume' | 'cancel'> {
  const { resume, cancel } = tool;
  const own = ({ run }: TransitionContext): TransitionTool => find(run.meta.request, tool, isTransitionTool);
  return {
    run: (args, context) => own(context).run(args, context),
    ...(resume === undefined
      ? {}
      : { resume: (args, context, happening, memo) => (own(context).resume ?? resume)(args, context, happening, memo) }),
    ...(cancel === undefined ? {} : { cancel: (args, context, memo) => (own(context).cancel ?? cancel)(args, context, memo) }),
  };
}

/** True for tools of built-in kinds; other tools that code hands in have no settings. */
function isTool(tool: unknown): tool is Tool {
  return isEffectTool(tool) || isTransitionTool(tool);
}

function isEffectTool(tool: unknown): tool is EffectTool {
  return typeof tool === 'object' && tool !== null && 'kind' in tool && tool.kind === 'effect';
}

function isTransitionTool(tool: unknown): tool is TransitionTool {
  return typeof tool === 'object' && tool !== null && 'kind' in tool && tool.kind === 'transition';
}

/** Checks settings that come from the request, at first use: at load their values are unknown. */
function checked(kind: ToolsetKind, name: string, settings: JsonObject): JsonObject {
  const result = checkSchema(kind.settings, settings);
  if (result.ok) return isJsonObject(result.args) ? result.args : settings;
  const problems = result.errors.map(({ path, message }) => `settings${path.replaceAll('/', '.')}: ${message}`);
  throw unusable(name, `cannot be used: ${problems.join('; ')}`);
}

function unusable(toolset: string, why: string): CadreError {
  return new CadreError('OPTION_INVALID', `with the values of this run's request, toolset '${toolset}' ${why}`);
}
