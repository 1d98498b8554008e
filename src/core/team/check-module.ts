import { isJsonObject, type JsonValue } from '../json.ts';
import { emptyModule, moduleTransitions, type WorkModule } from './work-module.ts';

const model = Object.entries(emptyModule('', 0));

/** True when a value has every required field of a work module with this id: a journal may have been forged. */
export function isWorkModule(id: string, value: unknown): value is WorkModule {
  if (!isJsonObject(value) || value['module_id'] !== id || !Object.hasOwn(moduleTransitions, String(value['status']))) return false;
  const isLike = (key: string, like: unknown): boolean =>
    kind(value[key]) === kind(like) || (like === null && isJsonObject(value[key]));
  const entries = (key: string): readonly JsonValue[] => value[key] as readonly JsonValue[];
  return (
    model.every(([key, like]) => isLike(key, like)) &&
    [...entries('context_archive'), ...entries('assignee_history')].every(isJsonObject) &&
    [...entries('depends_on'), value['executor'] ?? ''].every((entry) => kind(entry) === 'string')
  );
}

function kind(value: unknown): string {
  return Array.isArray(value) ? 'list' : value === null ? 'null' : typeof value;
}
