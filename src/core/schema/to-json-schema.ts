import type { JsonObject } from '../json.ts';
import { isOptional } from './records.ts';
import type { Form, Schema } from './schema.ts';

/** Returns the JSON Schema of a schema. It allows further fields, as later versions may add some. */
export function toJsonSchema({ form }: Schema): JsonObject {
  return schemaOf(form);
}

function schemaOf(form: Form): JsonObject {
  switch (form.kind) {
    case 'text':
      return form.pattern === undefined ? { type: 'string' } : { type: 'string', pattern: form.pattern.source };
    case 'flag':
      return { type: 'boolean' };
    case 'number':
      return { type: 'number' };
    case 'count':
      return { type: 'integer', minimum: 0 };
    case 'time':
      return { type: 'number', description: 'Milliseconds since 1970.' };
    case 'json':
      return {};
    case 'map':
      return { type: 'object' };
    case 'words':
      return form.words.length === 1 ? { const: form.words[0] } : { enum: [...form.words] };
    case 'nullable':
      return { anyOf: [toJsonSchema(form.of), { type: 'null' }] };
    case 'list':
      return { type: 'array', items: toJsonSchema(form.of) };
    case 'values':
      return { type: 'object', additionalProperties: toJsonSchema(form.of) };
    case 'record': {
      const entries = Object.entries(form.fields);
      return {
        type: 'object',
        properties: Object.fromEntries(entries.map(([key, field]) => [key, toJsonSchema(field)])),
        required: entries.flatMap(([key, field]) => (isOptional(field) ? [] : [key])),
      };
    }
    case 'variants':
      return { oneOf: Object.values(form.kinds).map(toJsonSchema) };
    case 'either':
      return { anyOf: [toJsonSchema(form.first), toJsonSchema(form.second)] };
  }
}
