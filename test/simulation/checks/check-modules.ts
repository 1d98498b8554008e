import type { CadreEvent } from '../../../src/core/event.ts';
import type { World } from '../world/world.ts';

interface StatusChange {
  readonly moduleId: string;
  readonly status: unknown;
}

/** A module is ongoing only as long as somebody is at work on it. */
export function checkModules(world: World, events: readonly CadreEvent[]): void {
  const ongoing = new Set<string>();
  const workers = new Map<string, string>();
  const ended = new Set<string>();
  for (const event of events) {
    if (event.type === 'agent.start' && event.moduleId !== undefined) workers.set(event.moduleId, event.agentId);
    else if (event.type === 'agent.end') ended.add(event.agentId);
    for (const { moduleId, status } of statusChanges(event)) {
      if (status === 'ongoing') ongoing.add(moduleId);
      else ongoing.delete(moduleId);
    }
  }
  for (const moduleId of ongoing)
    if (ended.has(workers.get(moduleId) ?? '')) world.violated(`module ${moduleId} is ongoing, and whoever worked on it has ended`);
}

/** The modules whose status an event sets. */
function statusChanges(event: CadreEvent): readonly StatusChange[] {
  if (event.type === 'module.update')
    return event.patch.status === undefined ? [] : [{ moduleId: event.moduleId, status: event.patch.status }];
  if (event.type !== 'state.patch') return [];
  return event.patches.flatMap(({ path, value }): readonly StatusChange[] => {
    const [team, modules, moduleId, field] = path;
    if (team !== 'team' || modules !== 'work_modules' || moduleId === undefined) return [];
    if (field === 'status') return [{ moduleId: String(moduleId), status: value }];
    const whole = field === undefined ? (value as { readonly status?: unknown } | undefined) : undefined;
    return whole?.status === undefined ? [] : [{ moduleId: String(moduleId), status: whole.status }];
  });
}
