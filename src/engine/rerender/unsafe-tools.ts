import { allowedTools } from '../../tools/access.ts';
import type { RunContext } from '../../core/state/run-context.ts';
import type { ProfileRuntime } from '../engine-parts.ts';
import type { DecisionContext } from '../run/decision-context.ts';

/**
 * Lists the tools with the effect `unsafe` that agents of a profile set may call, and the toolsets whose tools are known only once they
 * connect: a run that goes on with these profiles may do something outside again.
 */
export function unsafeTools(run: RunContext, { set, decisions }: ProfileRuntime, { env }: DecisionContext): readonly string[] {
  const profiles = [...set.profiles.values()].filter(({ type, isActive, isDeleted }) => type !== 'base' && isActive && !isDeleted);
  const tools = profiles.flatMap(({ allowedToolsets, allowedTools: named }) =>
    allowedTools(env.catalog, { allowedToolsets, allowedTools: named }),
  );
  const unsafe = tools.flatMap(({ name, kind, effect }) => (kind === 'effect' && effect === 'unsafe' ? [name] : []));
  const allowed = new Set(profiles.flatMap(({ allowedToolsets }) => allowedToolsets));
  const unknown = decisions.connecting.flatMap(({ name, initialTools }) =>
    allowed.has(name) && !run.meta.toolsets.has(name) && initialTools.tools.length === 0
      ? [`${name} (a toolset that connects)`]
      : [],
  );
  return [...new Set([...unsafe, ...unknown])].toSorted();
}
