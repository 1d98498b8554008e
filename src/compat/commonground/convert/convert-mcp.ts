import { stringify } from 'yaml';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../core/json.ts';
import type { Finding, FindingKind } from '../finding.ts';
import { isAnnotation } from '../list-items.ts';
import { readJson } from '../../../core/read-json.ts';

/** Toolsets for the MCP servers of a project, by name, as YAML. */
export interface ConvertedServers {
  readonly toolsets: ReadonlyMap<string, string>;
  readonly findings: readonly Finding[];
}

interface Conversion {
  readonly file: string;
  readonly text: string;
  readonly findings: Finding[];
}

const transports: Readonly<Record<string, string>> = {
  stdio: 'stdio',
  http: 'http',
  'streamable-http': 'http',
  streamable_http: 'http',
  sse: 'sse',
};

/** Returns the names of the servers in `mcp.json` that become toolsets, before converting anything. */
export function serverNames(text: string): readonly string[] {
  const servers = readServers({ file: '', text, findings: [] });
  return Object.entries(servers).flatMap(([name, server]) =>
    isJsonObject(server) && !isOff(server) && isName(name) ? [name] : [],
  );
}

const isName = (name: string): boolean => /^[A-Za-z0-9][\w-]{0,40}$/.test(name);
const isOff = (server: JsonObject): boolean => server['enabled'] === false || server['disabled'] === true;

/**
 * Converts `mcp.json`: each server becomes a toolset of the kind `mcp`. `descriptions` replace the servers' tool descriptions.
 */
export function convertServers(file: string, text: string, descriptions: ReadonlyMap<string, JsonObject>): ConvertedServers {
  const conversion: Conversion = { file, text, findings: [] };
  const toolsets = new Map<string, string>();
  const servers = readServers(conversion);
  for (const [name, server] of Object.entries(servers)) {
    if (!isJsonObject(server)) {
      note(conversion, 'not_converted', {
        name,
        message: `the server ${name} is not a map`,
        hint: 'expected { "command": … } or { "url": … }',
      });
      continue;
    }
    if (isOff(server)) {
      note(conversion, 'left_out', { name, message: `the server ${name} is switched off` });
      continue;
    }
    if (!isName(name)) {
      note(conversion, 'not_converted', {
        name,
        message: `${name} cannot be the name of a toolset`,
        hint: 'letters, digits, _ and -, at most 41; the names of its tools change with it',
      });
      continue;
    }
    const tools = descriptions.get(name);
    const settings = { ...settingsOf(conversion, name, server), ...(tools === undefined ? {} : { tools }) };
    toolsets.set(name, stringify({ type: 'toolset', name, kind: 'mcp', settings }, { lineWidth: 0 }));
    note(conversion, 'changed', {
      name,
      message: `the tools of ${name} require approval for each call, and their results are framed as untrusted text`,
      hint: 'docs/mcp.md: trust, needs_approval, results',
    });
  }
  return { toolsets, findings: conversion.findings };
}

function readServers(conversion: Conversion): JsonObject {
  try {
    const value = readJson(conversion.text) as JsonValue;
    if (isJsonObject(value)) {
      const { mcpServers, servers } = value;
      if (isJsonObject(mcpServers)) return mcpServers;
      if (isJsonObject(servers)) return servers;
    }
  } catch {
    // Reported below, like JSON of another shape.
  }
  note(conversion, 'not_converted', {
    name: undefined,
    message: 'this is not a list of MCP servers',
    hint: 'expected { "mcpServers": { "name": { … } } }',
  });
  return {};
}

function settingsOf(conversion: Conversion, name: string, server: JsonObject): JsonObject {
  const settings: Record<string, JsonValue> = {};
  for (const [key, value] of Object.entries(server)) {
    switch (key) {
      case 'transport':
      case 'type': {
        const transport = typeof value === 'string' && Object.hasOwn(transports, value) ? transports[value] : undefined;
        if (transport !== undefined) settings['transport'] = transport;
        else
          note(conversion, 'not_converted', {
            name,
            message: `${name}: the transport ${JSON.stringify(value)}`,
            hint: 'stdio, http or sse',
          });
        break;
      }
      case 'command':
      case 'url':
      case 'cwd':
        if (typeof value === 'string') settings[key] = value;
        else otherForm(conversion, { name, key, form: 'a text' });
        break;
      case 'args':
        if (Array.isArray(value)) settings[key] = value.map(String);
        else otherForm(conversion, { name, key, form: 'a list' });
        break;
      case 'env':
      case 'headers':
        if (isJsonObject(value)) settings[key] = secretsOut(conversion, name, value);
        else otherForm(conversion, { name, key, form: 'a map' });
        break;
      case 'enabled':
      case 'disabled':
        break;
      default:
        if (value === null || isAnnotation(key) || key === 'description' || key === 'name')
          note(conversion, 'left_out', { name, message: `${name}: Cadre has no setting \`${key}\`` });
        else
          note(conversion, 'not_converted', {
            name,
            message: `${name}: Cadre has no setting \`${key}\``,
            hint: 'docs/mcp.md lists them',
          });
    }
  }
  return settings;
}

function otherForm(
  conversion: Conversion,
  { name, key, form }: { readonly name: string; readonly key: string; readonly form: string },
): void {
  note(conversion, 'not_converted', { name, message: `${name}: \`${key}\` is not ${form}`, hint: `write it as ${form}` });
}

/** Replaces values that are, or look like, secrets with lookups in the environment. */
function secretsOut(conversion: Conversion, name: string, values: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(values).map(([key, value]) => {
      const text = String(value);
      const variable = /^\$\{?(?:env:)?([A-Za-z_]\w*)\}?$/.exec(text)?.[1];
      if (variable !== undefined) return [key, { _type: 'from_env', var: variable }];
      if (!/key|token|secret|passw|auth|credential/i.test(key)) return [key, text];
      const own = `${name}_${key}`.toUpperCase().replaceAll(/[^A-Z0-9]+/g, '_');
      note(conversion, 'changed', {
        name,
        message: `${name}: ${key} is left out of the file, and comes from the variable ${own}`,
        hint: `set ${own}`,
      });
      return [key, { _type: 'from_env', var: own }];
    }),
  );
}

function note(
  conversion: Conversion,
  kind: FindingKind,
  { name, message, hint }: { readonly name: string | undefined; readonly message: string; readonly hint?: string | undefined },
): void {
  const { file, text } = conversion;
  const offset = Math.max(0, name === undefined ? 0 : text.indexOf(`"${name}"`));
  const before = text.slice(0, offset).split('\n');
  const place = { line: before.length, column: (before.at(-1) ?? '').length + 1 };
  conversion.findings.push({ kind, file, ...place, message, ...(hint === undefined ? {} : { hint }) });
}

/** Reads `mcp_prompt_override.yaml`: descriptions by `server.tool` or `server_tool`. */
export function readDescriptions(data: JsonObject, servers: readonly string[]): ReadonlyMap<string, JsonObject> {
  const found = new Map<string, JsonObject>();
  // `a_b_tool` may belong to `a_b` even when `a` is a server as well.
  const longestFirst = servers.toSorted((a, b) => b.length - a.length);
  for (const [key, description] of Object.entries(data)) {
    const server = longestFirst.find((name) => key.startsWith(`${name}.`) || key.startsWith(`${name}_`));
    if (server === undefined || typeof description !== 'string') continue;
    found.set(server, { ...found.get(server), [key.slice(server.length + 1)]: { description } });
  }
  return found;
}
