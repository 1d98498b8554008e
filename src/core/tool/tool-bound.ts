import { meansTool, meansToolset, type NamedTool } from './tool-naming.ts';
import type { ObserverRecord, ToolBound } from '../state/turn.ts';

const modes: ReadonlySet<string> = new Set(['auto', 'none', 'required']);

/** Combines the changes that all observers of a turn make to its tools: the last choice, and every filter. */
export function boundOf(observers: readonly ObserverRecord[]): ToolBound | undefined {
  let bound: ToolBound | undefined;
  for (const { tools } of observers) {
    if (tools === undefined) continue;
    const { choice = bound?.choice } = tools;
    const only = bothOf(bound?.only, tools.only);
    const except = [...(bound?.except ?? []), ...(tools.except ?? [])];
    bound = { ...(choice === undefined ? {} : { choice }), ...(only === undefined ? {} : { only }), except };
  }
  return bound;
}

function bothOf(one: readonly string[] | undefined, other: readonly string[] | undefined): readonly string[] | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return one.filter((name) => other.includes(name));
}

/** True when a turn with this bound offers a tool; `others` are the tools that its profile allows. */
export function isWithin(bound: ToolBound | undefined, tool: NamedTool, others: Iterable<NamedTool>): boolean {
  if (bound === undefined) return true;
  const isNamed = (names: readonly string[]): boolean =>
    names.some((name) => meansTool(name, tool, () => others) || meansToolset(name, tool, () => others));
  return (bound.only === undefined || isNamed(bound.only)) && !isNamed(bound.except ?? []);
}

/** Returns the one tool that a turn with this bound may call; undefined when it may call any offered one. */
export function forcedTool(bound: ToolBound | undefined): string | undefined {
  return bound?.choice === undefined || modes.has(bound.choice) ? undefined : bound.choice;
}
