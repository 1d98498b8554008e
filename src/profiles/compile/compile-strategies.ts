import type { JsonObject } from '../../core/json.ts';
import { fallbackStrategy, globalStrategies, type Strategy } from '../../core/inbox/strategy.ts';
import type { MapNode } from '../yaml/source-node.ts';
import { ingestorName, type CompileContext } from './compile-context.ts';
import { mapItems, mapNode, readFlag, readNumber, readObject, readText, textNode } from './read-node.ts';

/** Compiles the profile's strategies by source; the global table supplies missing settings. */
export function compileStrategies(context: CompileContext, profile: MapNode): ReadonlyMap<string, Strategy> {
  const strategies = new Map<string, Strategy>();
  for (const node of mapItems(profile, 'inbox_handling_strategies')) {
    const source = textNode(node, 'source');
    if (source === undefined) continue;
    strategies.set(source.value, compileStrategy(context, node, source.value));
  }
  return strategies;
}

function compileStrategy(context: CompileContext, node: MapNode, source: string): Strategy {
  const basis = globalStrategies.get(source) ?? fallbackStrategy;
  const ingestor = textNode(node, 'ingestor');
  const name = ingestor === undefined ? basis.ingestor : ingestorName(context, ingestor);
  const mode = readText(node, 'injection_mode');
  const params = mapNode(node, 'params');
  const role = readText(params, 'role');
  const priority = readNumber(node, 'priority');
  const wakes = readFlag(node, 'wakes');
  const sameIngestor = name === basis.ingestor || name === `${basis.ingestor}_ingestor`;
  return {
    ingestor: name,
    mode: mode === 'append_as_new_message' || mode === 'prepend_to_role' ? mode : basis.mode,
    role: role === 'user' || role === 'tool' ? role : basis.role,
    persistent: readFlag(params, 'is_persistent_in_memory') ?? basis.persistent,
    params: { ...(sameIngestor ? basis.params : {}), ...ownParams(readObject(node, 'params') ?? {}) },
    ...(priority === undefined ? {} : { priority }),
    ...(wakes === undefined ? {} : { wakes }),
    ...(readText(node, 'trust') === 'untrusted' ? { untrusted: true } : {}),
  };
}

function ownParams(params: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(params).filter(([key]) => key !== 'is_persistent_in_memory' && key !== 'role'));
}
