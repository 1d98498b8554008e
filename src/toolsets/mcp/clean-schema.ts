import { cleanValue, type Cleaned } from '../../core/untrusted/clean-outside.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json.ts';

/** Keywords whose text is only for readers: removing characters does not change the schema's meaning. */
const forReaders: ReadonlySet<string> = new Set(['title', 'description', '$comment', 'markdownDescription', 'deprecationMessage']);

/**
 * Removes invisible characters from a server's schema, at all depths. `changed` names the first place where that alters an argument's
 * name or its allowed values: such a schema is unusable, since the server would receive something else than it declared.
 */
export function cleanSchema(schema: JsonObject): Cleaned<JsonObject> & { readonly changed?: string } {
  const { value, removed } = cleanValue(schema);
  const changed = removed === 0 ? undefined : firstChange(schema, '');
  return changed === undefined ? { value, removed } : { value, removed, changed };
}

function firstChange(value: JsonValue | undefined, path: string): string | undefined {
  if (typeof value === 'string') return cleanValue(value).removed > 0 ? path : undefined;
  if (Array.isArray(value)) {
    for (const [index, item] of (value as readonly JsonValue[]).entries()) {
      const found = firstChange(item, `${path}/${index}`);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  if (!isJsonObject(value)) return undefined;
  for (const [key, inner] of Object.entries(value)) {
    const name = cleanValue(key);
    if (name.removed > 0) return `${path}/${name.value}`;
    const found = typeof inner === 'string' && forReaders.has(key) ? undefined : firstChange(inner, `${path}/${key}`);
    if (found !== undefined) return found;
  }
  return undefined;
}
