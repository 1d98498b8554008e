import { isJsonObject, type JsonObject } from '../core/json.ts';
import type { ScriptedRequest } from '../models/scripted/scripted-replies.ts';

/** A tool that a request offers; `schema` is the JSON Schema of its arguments. */
export interface OfferedToChaos {
  readonly name: string;
  readonly schema: JsonObject;
}

/** Form of calls: the provider's own, or a text protocol. */
export type CallForm = 'native' | 'json_actions' | 'xml' | 'loose_json';

/** Reads the offered tools and the form of calls from a request's tool list, or from the section in its system text. */
export function readOffer(request: ScriptedRequest): { readonly tools: readonly OfferedToChaos[]; readonly form: CallForm } {
  const listed = (request.tools ?? []).flatMap((tool) =>
    tool.type === 'function' ? [{ name: tool.name, schema: tool.inputSchema as JsonObject }] : [],
  );
  if (listed.length > 0) return { tools: listed, form: 'native' };
  const system = systemOf(request);
  if (system.includes('"actions": [{"tool"')) return { tools: readSection(system), form: 'json_actions' };
  if (system.includes('<tool_call>\n{"name"')) return { tools: readSection(system), form: 'xml' };
  if (system.includes('{"name": "the tool"')) return { tools: readSection(system), form: 'loose_json' };
  return { tools: [], form: 'native' };
}

/** Returns the system text of a request. */
export function systemOf({ prompt }: ScriptedRequest): string {
  return prompt.flatMap((message) => (message.role === 'system' ? [message.content] : [])).join('\n');
}

function readSection(system: string): readonly OfferedToChaos[] {
  const tools: OfferedToChaos[] = [];
  for (const [, name = '', text = ''] of system.matchAll(
    /^### (\S+)\n(?:(?!### )[^\n]*\n)*?Parameters \(JSON Schema\): (\{.*\})$/gm,
  )) {
    const schema: unknown = JSON.parse(text);
    if (isJsonObject(schema)) tools.push({ name, schema });
  }
  return tools;
}
