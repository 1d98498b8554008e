import type { CadreEvent } from '../events/event.ts';
import { isJsonObject } from '../json.ts';
import type { WorkModule } from '../team/work-module.ts';

/** Change of one work module by an event. */
export interface ModuleChange {
  readonly moduleId: string;
  /** Fields with a new value. */
  readonly fields: Partial<WorkModule>;
  /** Names of all changed fields, also of those that changed within. */
  readonly names: readonly string[];
}

/** Returns the changes of work modules by an event, including events of old journals; one per module. */
export function moduleChanges(event: CadreEvent): readonly ModuleChange[] {
  if (event.type === 'module.update') return [{ moduleId: event.moduleId, fields: event.patch, names: Object.keys(event.patch) }];
  if (event.type !== 'state.patch') return [];
  const changed = new Map<string, { readonly fields: Record<string, unknown>; readonly names: Set<string> }>();
  for (const { path, value } of event.patches) {
    const [, slice, id, name, ...below] = path.map(String);
    if (slice !== 'work_modules' || id === undefined) continue;
    const { fields, names } = changed.get(id) ?? { fields: {}, names: new Set<string>() };
    changed.set(id, { fields, names });
    const set = name === undefined ? value : below.length === 0 ? { [name]: value } : {};
    if (isJsonObject(set)) Object.assign(fields, set);
    for (const one of name === undefined ? Object.keys(fields) : [name]) names.add(one);
  }
  return [...changed].map(([moduleId, { fields, names }]) => ({ moduleId, fields, names: [...names] }));
}
