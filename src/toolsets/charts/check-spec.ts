import { CadreError } from '../../core/error.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json.ts';

/** Maximum nesting of a spec. */
const maxDepth = 40;

/**
 * Refuses specs that would load from outside (data from URLs, images), and specs in other languages (Vega).
 *
 * @throws CadreError `TOOL_FAILED` with the place as a JSON pointer
 */
export function checkSpec(spec: JsonObject): void {
  const schema = spec['$schema'];
  if (typeof schema === 'string' && !schema.includes('/vega-lite/'))
    throw wrong('/$schema', `is ${JSON.stringify(schema.slice(0, 100))}; charts are drawn from Vega-Lite`);
  visit(spec, '', 0);
}

function visit(value: JsonValue | undefined, path: string, depth: number): void {
  if (depth > maxDepth) throw wrong(path.slice(0, 100), `is nested deeper than ${maxDepth}`);
  if (Array.isArray(value)) {
    for (const [index, item] of (value as readonly JsonValue[]).entries()) visit(item, `${path}/${index}`, depth + 1);
    return;
  }
  if (!isJsonObject(value)) return;
  for (const [key, item] of Object.entries(value)) {
    const at = `${path}/${key}`;
    // Rows are only data, whatever the names of their keys.
    if ((key === 'values' && path.endsWith('/data')) || path === '/datasets') continue;
    if (key === 'url' && path.endsWith('/data'))
      throw wrong(at, 'loads data; give rows in data.values, or a file of the workspace in "tables" and its name in data.name');
    if (key === 'mark' && (item === 'image' || (isJsonObject(item) && item['type'] === 'image')))
      throw wrong(at, 'draws images from URLs, which is not done');
    visit(item, at, depth + 1);
  }
}

function wrong(path: string, what: string): CadreError {
  return new CadreError('TOOL_FAILED', `The spec cannot be drawn: ${path} ${what}.`);
}
