import { isJsonObject } from './json.ts';
import { moduleTransitions, type WorkModule } from './work-module.ts';

const isText = (value: unknown): boolean => typeof value === 'string';
const isTime = (value: unknown): boolean => typeof value === 'number' && Number.isFinite(value);
const isList =
  (isEntry: (entry: unknown) => boolean) =>
  (value: unknown): boolean =>
    Array.isArray(value) && value.every(isEntry);

/** What each field of a work module must be. */
const fields: { readonly [Field in keyof WorkModule]-?: (value: unknown) => boolean } = {
  module_id: isText,
  name: isText,
  description: isText,
  status: (value) => isText(value) && Object.hasOwn(moduleTransitions, value as string),
  notes_from_principal: isText,
  depends_on: isList(isText),
  executor: (value) => value === undefined || isText(value),
  deliverables: isJsonObject,
  context_archive: isList(isJsonObject),
  assignee_history: isList((entry) => isJsonObject(entry) && isText(entry['agent_id'])),
  review_info: (value) => value === null || isJsonObject(value),
  created_at: isTime,
  updated_at: isTime,
};

/** The first field of a work module that is missing or of the wrong kind; undefined when the module under this id is sound. */
export function wrongModuleField(id: string, module: unknown): string | undefined {
  if (!isJsonObject(module)) return 'module_id';
  if (module['module_id'] !== id) return 'module_id';
  return Object.entries(fields).find(([name, isRight]) => !isRight(module[name]))?.[0];
}
