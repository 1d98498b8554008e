import type { CadreEvent } from '../../../src/core/events/event.ts';
import { moduleChanges } from '../../../src/core/patches/module-changes.ts';
import type { World } from '../world/world.ts';

/** Checks that a module is ongoing only while an agent works on it. */
export function checkModules(world: World, events: readonly CadreEvent[]): void {
  const ongoing = new Set<string>();
  const workers = new Map<string, string>();
  const ended = new Set<string>();
  for (const event of events) {
    if (event.type === 'agent.start' && event.moduleId !== undefined) workers.set(event.moduleId, event.agentId);
    else if (event.type === 'agent.end') ended.add(event.agentId);
    for (const {
      moduleId,
      fields: { status },
    } of moduleChanges(event)) {
      if (status === undefined) continue;
      if (status === 'ongoing') ongoing.add(moduleId);
      else ongoing.delete(moduleId);
    }
  }
  for (const moduleId of ongoing)
    if (ended.has(workers.get(moduleId) ?? '')) world.violated(`module ${moduleId} is ongoing, and whoever worked on it has ended`);
}
