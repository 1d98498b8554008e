import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json.ts';
import { lookAlikes } from '../look-alikes.ts';
import { type CodeLanguage, codeLanguage } from './code-language.ts';
import { type OutsideText, originsOf } from './value-origins.ts';

/** Value of a field, in the form in which it is shown: always whole. */
export type FieldValue =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'code'; readonly language: CodeLanguage | 'json'; readonly text: string }
  /** A number, a truth value, null, a list of such values or short words, or an empty object, as JSON. */
  | { readonly kind: 'plain'; readonly text: string }
  | { readonly kind: 'fields'; readonly fields: readonly CardField[] };

/** One argument of a call, with what its schema says about it. */
export interface CardField {
  /** Place in the arguments: `items[0].price`. */
  readonly path: string;
  /** The argument's own name; for an item of a list, its number from 1. */
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly format?: string;
  /** True when the tool's schema does not name the argument. */
  readonly isExtra?: true;
  readonly value: FieldValue;
  /** Untrusted sources with the same text. */
  readonly origins?: readonly string[];
  /** Properties that a reader does not see: foreign letters, spaces at the ends, text from right to left. */
  readonly notes?: readonly string[];
}

/** What the fields of a call are made from. */
export interface FieldFacts {
  readonly tool: string;
  readonly schema: JsonValue | undefined;
  readonly outside: readonly OutsideText[];
}

/** Deepest nesting, most fields, and most items of a list that are shown as fields; beyond, a value is shown as JSON. */
const deepest = 4;
const mostFields = 200;
const mostItems = 20;

/** Returns the arguments of a call as fields, in the order of the tool's schema; those it does not name come last. */
export function cardFields(args: JsonObject, facts: FieldFacts): readonly CardField[] {
  const left = { fields: mostFields };
  return fieldsOf(args, { facts, left, schema: facts.schema, path: '', depth: 0 });
}

interface Place {
  readonly facts: FieldFacts;
  /** How many fields may still be added. */
  readonly left: { fields: number };
  readonly schema: JsonValue | undefined;
  readonly path: string;
  readonly depth: number;
}

function fieldsOf(object: JsonObject, place: Place): readonly CardField[] {
  const schema = resolved(place.schema, place.facts.schema);
  const known = isJsonObject(schema?.['properties']) ? schema['properties'] : undefined;
  const inOrder = Object.keys(known ?? {}).filter((name) => Object.hasOwn(object, name));
  const others = Object.keys(object).filter((name) => known === undefined || !Object.hasOwn(known, name));
  return [...inOrder, ...others].map((name) => {
    const isExtra = known !== undefined && !Object.hasOwn(known, name);
    const path = place.path === '' ? name : `${place.path}.${name}`;
    return fieldOf(name, object[name] ?? null, { ...place, path, schema: known?.[name] }, isExtra);
  });
}

function fieldOf(name: string, value: JsonValue, place: Place, isExtra: boolean): CardField {
  const { facts, path, left } = place;
  left.fields -= 1;
  const { title, description, format } = {
    ...resolved(place.schema, facts.schema),
    ...(isJsonObject(place.schema) ? place.schema : {}),
  };
  const shown = valueOf(name, value, place);
  const text = shown.kind === 'fields' ? '' : shown.text;
  const origins = originsOf(text, facts.outside);
  const notes = [...notesOf(name), ...notesOf(text)];
  return {
    path,
    name,
    ...(typeof title === 'string' && title !== name ? { title } : {}),
    ...(typeof description === 'string' ? { description } : {}),
    ...(typeof format === 'string' ? { format } : {}),
    ...(isExtra ? { isExtra: true as const } : {}),
    value: shown,
    ...(origins.length === 0 ? {} : { origins }),
    ...(notes.length === 0 ? {} : { notes }),
  };
}

function valueOf(name: string, value: JsonValue, place: Place): FieldValue {
  const { facts, left, depth } = place;
  const schema = resolved(place.schema, facts.schema);
  if (typeof value === 'string') {
    const language = codeLanguage({ tool: facts.tool, name, text: value, schema });
    return language === undefined ? { kind: 'text', text: value } : { kind: 'code', language, text: value };
  }
  const size = Array.isArray(value) ? value.length : isJsonObject(value) ? Object.keys(value).length : 0;
  if (size === 0) return { kind: 'plain', text: JSON.stringify(value) };
  const isList = Array.isArray(value);
  if (isList && isPlainList(value)) return { kind: 'plain', text: JSON.stringify(value) };
  if (depth >= deepest || size > left.fields || (isList && size > mostItems))
    return { kind: 'code', language: 'json', text: jsonText(value) };
  const inside = { ...place, depth: depth + 1 };
  if (!isList) return { kind: 'fields', fields: fieldsOf(value as JsonObject, inside) };
  const items = schema?.['items'];
  return {
    kind: 'fields',
    fields: (value as readonly JsonValue[]).map((item, index) =>
      fieldOf(String(index + 1), item, { ...inside, schema: items, path: `${place.path}[${index}]` }, false),
    ),
  };
}

/** Most references that are followed: a schema from outside may refer to itself. */
const mostReferences = 16;

/** Returns a schema with its reference into the whole schema followed; undefined when there is none. */
function resolved(schema: JsonValue | undefined, whole: JsonValue | undefined): JsonObject | undefined {
  let found = schema;
  for (let left = mostReferences; left > 0 && isJsonObject(found); left -= 1) {
    const reference = found['$ref'];
    if (typeof reference !== 'string' || !reference.startsWith('#')) return found;
    found = reference
      .slice(1)
      .split('/')
      .filter((part) => part !== '')
      .reduce<JsonValue | undefined>(
        (at, part) => (isJsonObject(at) ? at[part.replaceAll('~1', '/').replaceAll('~0', '~')] : undefined),
        whole,
      );
  }
  return isJsonObject(found) ? found : undefined;
}

/** True for a list of numbers, truth values and short words, which reads best as one line of JSON. */
function isPlainList(list: JsonValue): boolean {
  return (list as readonly JsonValue[]).every((item) => typeof item !== 'object' && String(item).length <= 40);
}

/** Deepest JSON that is indented: beyond, the indents would be longer than the value. */
const deepestIndent = 12;

function jsonText(value: JsonValue): string {
  return isDeeper(value, deepestIndent) ? JSON.stringify(value) : JSON.stringify(value, null, 2);
}

function isDeeper(value: JsonValue | undefined, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return depth === 0 || Object.values(value).some((inner) => isDeeper(inner, depth - 1));
}

/** Matches letters that are written from right to left. */
export const rightToLeft = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;

/** Returns what a reader of a text would not notice. */
function notesOf(text: string): readonly string[] {
  const notes = lookAlikes(text).map((word) => `mixes letters of several scripts: ${word}`);
  // Texts of several lines usually end with a line break: a note on each of them would go unread.
  const shown = /\n.*\S\n$/u.test(text) ? text.slice(0, -1) : text;
  if (/^[^\S\n]|\s$/u.test(shown)) notes.push('begins or ends with spaces or line breaks');
  if (rightToLeft.test(text)) notes.push('has letters that are written from right to left: the order on screen may differ');
  return notes;
}
