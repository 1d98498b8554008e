import type { KnownNames } from '../../../core/profile/known-names.ts';
import type { ToolsetConfig } from '../../../core/tool/toolset-config.ts';
import { toolsetToolNames } from './compile-toolset.ts';
import { knownToolset } from '../profile-tools.ts';

/** Adds to the known names what the kinds of toolsets and the declared toolsets define. */
export function withToolsets(known: Partial<KnownNames>, declared: ReadonlyMap<string, ToolsetConfig>): Partial<KnownNames> {
  const { toolsetKinds: kinds } = known;
  if (kinds === undefined) return known;
  const toolsets = new Set(known.toolsets);
  const tools = new Set(known.tools);
  const observers = new Set(known.observers);
  const prefixes = new Set(known.toolPrefixes);
  const toolsetTools = new Map(known.toolsetTools);
  const add = (name: string, kindName: string): void => {
    const kind = kinds.get(kindName);
    if (kind === undefined) return;
    toolsets.add(name);
    if (kind.tools.length === 0) prefixes.add(`${name}_`);
    const own = toolsetToolNames(name, kindName, kind);
    for (const tool of own) tools.add(tool);
    toolsetTools.set(name, knownToolset(own, kindName));
    for (const observer of kind.observers) observers.add(observer);
  };
  // A kind without built-in tools must connect first, and has no default settings for that.
  for (const [name, { tools: own }] of kinds) if (own.length > 0) add(name, name);
  for (const { name, kind } of declared.values()) add(name, kind);
  return {
    ...known,
    toolPrefixes: prefixes,
    ...(known.toolsets === undefined ? {} : { toolsets }),
    ...(known.tools === undefined ? {} : { tools }),
    ...(known.observers === undefined ? {} : { observers }),
    ...(known.toolsetTools === undefined ? {} : { toolsetTools }),
  };
}
