import { createHash } from 'node:crypto';
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json.ts';
import { stableJson } from '../../tools/stable-json.ts';
import { cleanText as cleanOutside, cleanValue, type Cleaned } from '../../core/untrusted/clean-outside.ts';
import { cleanText } from './clean-text.ts';

/** Most tools accepted from one server. */
const maxTools = 512;
/** Longest schemas of all its tools together, in characters of JSON text: each of them is compiled, and sent to models with each prompt. */
const maxSchemaChars = 512 * 1024;
/** Longest description of a tool that reaches a model, in characters. */
const maxDescription = 4_000;

/** A server's hints about a tool's behaviour, which may be wrong. */
export interface ToolHints {
  readonly readOnly: boolean;
  readonly destructive: boolean;
  readonly idempotent: boolean;
}

/** A tool as a server describes it. */
export interface ServerTool {
  /** Name on the server. */
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  /** Length of its schema as JSON text. */
  readonly schemaChars: number;
  readonly hints: ToolHints;
  /** Hash that changes with the description, the schema and the hints. */
  readonly fingerprint: string;
  /** Number of invisible characters removed from description and schema. */
  readonly cleaned: number;
}

/** The usable tools of a server's list, and one sentence about each unusable one. */
export interface ServerTools {
  readonly tools: readonly ServerTool[];
  readonly leftOut: readonly string[];
}

/** Reads a server's list of tools; a broken tool does not affect the others. */
export function readServerTools(listed: readonly unknown[]): ServerTools {
  const tools = new Map<string, ServerTool>();
  const leftOut: string[] = [];
  let room = maxSchemaChars;
  for (const raw of listed.slice(0, maxTools)) {
    const tool = tryRead(raw);
    if (typeof tool === 'string') leftOut.push(tool);
    else if (tools.has(tool.name)) leftOut.push(`a second tool named '${tool.name}'`);
    else if (tool.schemaChars > room)
      leftOut.push(`'${tool.name}': the schemas of this server's tools are longer than ${maxSchemaChars} characters with its own`);
    else {
      tools.set(tool.name, tool);
      room -= tool.schemaChars;
    }
  }
  if (listed.length > maxTools) leftOut.push(`${listed.length - maxTools} tools beyond the first ${maxTools}`);
  return { tools: [...tools.values()], leftOut };
}

function tryRead(raw: unknown): ServerTool | string {
  try {
    return readServerTool(raw);
  } catch {
    // Nested too deeply to read.
    return 'an entry that cannot be read';
  }
}

/** Reads one tool, or returns why it cannot be used. */
function readServerTool(raw: unknown): ServerTool | string {
  if (!isJsonObject(raw)) return 'an entry that is not an object';
  const { name } = raw;
  if (typeof name !== 'string' || name === '' || name.length > 200) return 'a tool without a name of 1 to 200 characters';
  const shownName = cleanText(name, 200);
  const given = raw['inputSchema'] ?? {};
  if (!isJsonObject(given)) return `'${shownName}': its inputSchema is not an object`;
  const { value: inputSchema, removed, changed } = cleanSchema(given);
  if (changed !== undefined) return `'${shownName}': its inputSchema has invisible characters at ${changed}`;
  if (shownName !== name) return `'${shownName}': its name has invisible characters`;
  const described = typeof raw['description'] === 'string' ? raw['description'] : raw['title'];
  const description = typeof described === 'string' ? cleanText(described, maxDescription) : '';
  const annotations = isJsonObject(raw['annotations']) ? raw['annotations'] : {};
  return {
    name,
    description: description === '' ? `The tool '${name}'; its server does not describe it.` : description,
    inputSchema,
    schemaChars: JSON.stringify(inputSchema).length,
    hints: readHints(annotations),
    fingerprint: fingerprintOf({ name, description: described ?? null, inputSchema: given, annotations }),
    cleaned: removed + (typeof described === 'string' ? cleanOutside(described).removed : 0),
  };
}

/** Applies the protocol's defaults: a tool without hints may destroy, and must not be repeated. */
function readHints(annotations: JsonObject): ToolHints {
  const readOnly = annotations['readOnlyHint'] === true;
  return {
    readOnly,
    destructive: !readOnly && annotations['destructiveHint'] !== false,
    idempotent: readOnly || annotations['idempotentHint'] === true,
  };
}

function fingerprintOf(definition: JsonValue): string {
  return createHash('sha256').update(stableJson(definition)).digest('hex').slice(0, 32);
}

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
