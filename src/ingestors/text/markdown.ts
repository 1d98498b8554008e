import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json.ts';

/** Text shown for an empty value. */
export const emptyText = '(empty)';
/** Deepest nesting that is rendered. */
const maxDepth = 40;

/**
 * Renders data as nested Markdown (A1.4, the recursive rule): with a schema its order and `x-handover-title`s, other keys
 * sorted and in title case; two spaces per level; empty values as "(empty)".
 */
export function renderMarkdown(value: JsonValue | undefined, schema?: JsonValue, level = 0): string {
  if (!isStructured(value)) return scalarText(value);
  return lines(value, schema, level).join('\n');
}

/** A key as a title: `user_query` becomes `User Query`. An id like `WM_1` is a name and stays as it is. */
export function titleOf(key: string): string {
  const known = titles.get(key);
  if (known !== undefined) return known;
  const title = makeTitle(key);
  if (titles.size >= rememberedTitles) titles.clear();
  titles.set(key, title);
  return title;
}

/** The same few keys come in every payload of a kind. */
const rememberedTitles = 500;
// Pure cache: keyed by the text of a key.
const titles = new Map<string, string>();

function makeTitle(key: string): string {
  if (/^[A-Z]+_\d+$/.test(key)) return key;
  return key
    .split('_')
    .filter((word) => word !== '')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join(' ');
}

/** A value that is no list and no map, as text. */
export function scalarText(value: JsonValue | undefined): string {
  if (value === undefined || value === null || value === '') return emptyText;
  if (typeof value === 'object') return Object.keys(value).length === 0 ? emptyText : JSON.stringify(value);
  return String(value);
}

/** True when a value takes several lines: a list or map that is not empty. */
export function isStructured(value: JsonValue | undefined): value is JsonObject | readonly JsonValue[] {
  return typeof value === 'object' && value !== null && Object.keys(value).length > 0;
}

/** The keys of a map in reading order: those of the schema first, in its order, then the others, sorted. */
export function orderedKeys(value: JsonObject, schema: JsonValue | undefined): readonly string[] {
  const properties = propertiesOf(schema);
  const ordered = Object.keys(properties).filter((key) => Object.hasOwn(value, key) && value[key] !== undefined);
  const others = Object.keys(value).filter((key) => value[key] !== undefined && !Object.hasOwn(properties, key));
  return others.length === 0 ? ordered : ordered.concat(others.sort());
}

/** The schema of one property, and its title. */
export function propertyOf(
  schema: JsonValue | undefined,
  key: string,
): { readonly schema: JsonValue | undefined; readonly title: string } {
  const properties = propertiesOf(schema);
  const property = Object.hasOwn(properties, key) ? properties[key] : undefined;
  const title = isJsonObject(property) ? property['x-handover-title'] : undefined;
  return { schema: property, title: typeof title === 'string' && title !== '' ? title : titleOf(key) };
}

function propertiesOf(schema: JsonValue | undefined): JsonObject {
  const properties = isJsonObject(schema) ? schema['properties'] : undefined;
  return isJsonObject(properties) ? properties : {};
}

function lines(value: JsonObject | readonly JsonValue[], schema: JsonValue | undefined, level: number): readonly string[] {
  const indent = '  '.repeat(level);
  if (level > maxDepth) return [`${indent}…`];
  if (!isJsonObject(value)) return value.flatMap((item: JsonValue, index) => listItem(item, index, itemsOf(schema), level));
  return orderedKeys(value, schema).flatMap((key) => {
    const property = propertyOf(schema, key);
    return labelled(`${indent}* **${property.title}:**`, value[key], property.schema, level);
  });
}

function itemsOf(schema: JsonValue | undefined): JsonValue | undefined {
  return isJsonObject(schema) ? schema['items'] : undefined;
}

function listItem(item: JsonValue, index: number, schema: JsonValue | undefined, level: number): readonly string[] {
  const indent = '  '.repeat(level);
  if (isStructured(item)) return [`${indent}- Item ${index + 1}:`, ...lines(item, schema, level + 1)];
  return labelled(`${indent}-`, item, undefined, level);
}

/** Returns a label followed by its value, or with a multi-line value below it, unindented: indenting would change a patch or Makefile. */
function labelled(label: string, value: JsonValue | undefined, schema: JsonValue | undefined, level: number): readonly string[] {
  if (isStructured(value)) return [label, ...lines(value, schema, level + 1)];
  const text = scalarText(value);
  return text.includes('\n') ? [label, text] : [`${label} ${text}`];
}
