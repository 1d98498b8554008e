import type { Ingestor } from '../core/inbox/ingestor.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../core/json.ts';
import { readableModule } from '../core/team/readable-module.ts';
import { isStructured, renderMarkdown } from './text/markdown.ts';

const defaultTitle = '### Current Work Modules';

/** Fields of a module that come first, in this order. */
const moduleOrder: JsonObject = {
  properties: {
    module_id: {},
    name: {},
    status: {},
    description: {},
    notes_from_principal: {},
    depends_on: {},
    deliverables: {},
    review_info: {},
    assignee_history: {},
    context_archive: {},
  },
};

/** Renders work modules as nested Markdown under a title (A1.4): times in UTC, no empty values. Takes a map, list or `{ work_modules }`. */
export const workModules: Ingestor = {
  name: 'work_modules',
  ingest: (payload, params) => {
    const modules = isJsonObject(payload) && isStructured(payload['work_modules']) ? payload['work_modules'] : payload;
    if (!isStructured(modules) || isEmptyWrapper(modules)) return 'No work modules are currently defined.';
    const title = typeof params['title'] === 'string' ? params['title'] : defaultTitle;
    const body = renderMarkdown(readable(modules), schemaFor(modules));
    return title === '' ? body : `${title}\n${body}`;
  },
};

function readable(modules: JsonObject | readonly JsonValue[]): JsonValue {
  const read = (module: JsonValue | undefined): JsonValue => (isJsonObject(module) ? readableModule(module) : (module ?? null));
  if (!isJsonObject(modules)) return modules.map(read);
  return Object.fromEntries(Object.entries(modules).map(([id, module]) => [id, read(module)]));
}

function isEmptyWrapper(modules: JsonValue): boolean {
  return isJsonObject(modules) && Object.keys(modules).length === 1 && Object.hasOwn(modules, 'work_modules');
}

/** Ids stay as they are: `WM_1` is a name, not words. */
function schemaFor(modules: JsonObject | readonly JsonValue[]): JsonObject {
  if (!isJsonObject(modules)) return { items: moduleOrder };
  const ids = Object.keys(modules).map((id): [string, JsonObject] => [id, { ...moduleOrder, 'x-handover-title': id }]);
  return { properties: Object.fromEntries(ids) };
}
