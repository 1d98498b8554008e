import { CadreError } from '../../core/error.ts';
import { isJsonObject, type JsonObject, type JsonValue, type Writable } from '../../core/json.ts';
import { compileSchema } from '../../tools/schema/compile-schema.ts';
import { toSandboxPolicy } from '../sandbox/sandbox-policy.ts';
import { durationOf, numberOf, textOf, textsOf } from '../settings.ts';
import { mcpSettingsSchema, type HttpAddress, type McpSettings, type McpToolSettings, type StdioAddress } from './mcp-settings.ts';

const defaultMaxResultChars = 32_768;
const defaultMaxMessageBytes = 4 * 1024 * 1024;

/**
 * Reads the settings of the toolset `name` and applies defaults.
 *
 * @throws CadreError `OPTION_INVALID` naming the setting that is wrong and its allowed values
 */
export function readMcpSettings(name: string, settings: JsonObject, unreadable: readonly string[] = []): McpSettings {
  const [problem] = compileSchema(mcpSettingsSchema, 'the settings of an MCP server').problems(settings);
  if (problem !== undefined) throw wrong(name, `settings${problem.path.replaceAll('/', '.')} ${problem.message}`);
  const result: Writable<McpSettings> = {
    address: readAddress(name, settings, unreadable),
    protocol: pick(settings['protocol'], ['legacy', 'modern']) ?? 'auto',
    trust: pick(settings['trust'], ['trusted']) ?? 'untrusted',
    results: pick(settings['results'], ['trusted']) ?? 'untrusted',
    maxResultChars: numberOf(settings['max_result_chars']) ?? defaultMaxResultChars,
    maxMessageBytes: numberOf(settings['max_message_bytes']) ?? defaultMaxMessageBytes,
    timeouts: readTimeouts(objectOf(settings['timeouts'])),
    tools: new Map(Object.entries(objectOf(settings['tools'])).map(([tool, value]) => [tool, readTool(objectOf(value))])),
  };
  const effect = pick(settings['effect'], ['pure', 'idempotent', 'unsafe']);
  if (effect !== undefined) result.effect = effect;
  if (typeof settings['needs_approval'] === 'boolean') result.needsApproval = settings['needs_approval'];
  if (Array.isArray(settings['only'])) result.only = new Set(textsOf(settings['only']));
  return result;
}

function readAddress(name: string, settings: JsonObject, unreadable: readonly string[]): StdioAddress | HttpAddress {
  const command = textOf(settings['command']);
  const url = textOf(settings['url']);
  const transport = pick(settings['transport'], ['stdio', 'http', 'sse']) ?? (url === undefined ? 'stdio' : 'http');
  if (command !== undefined && url !== undefined)
    throw wrong(name, 'settings have both a command and a url; a server is either started or called');
  if (transport === 'stdio') {
    if (command === undefined)
      throw wrong(name, 'settings need a command that starts the server (transport: stdio), or a url (transport: http or sse)');
    const cwd = textOf(settings['cwd']);
    const sandbox = settings['sandbox'] === true ? toSandboxPolicy(settings, unreadable) : undefined;
    return {
      transport,
      command,
      args: textsOf(settings['args']),
      ...(cwd === undefined ? {} : { cwd }),
      env: textMap(settings['env']),
      inheritEnv: textsOf(settings['inherit_env']),
      ...(sandbox === undefined ? {} : { sandbox }),
    };
  }
  if (url === undefined) throw wrong(name, `settings need a url for transport: ${transport}`);
  const allowInsecure = settings['allow_insecure'] === true;
  const problem = checkServerUrl(url, allowInsecure);
  if (problem !== undefined) throw wrong(name, `settings.url ${problem}`);
  return { transport, url, headers: textMap(settings['headers']), allowInsecure };
}

function readTimeouts(timeouts: JsonObject): McpSettings['timeouts'] {
  const connect = durationOf(timeouts, 'connect', 30_000);
  return {
    connect,
    probe: durationOf(timeouts, 'probe', Math.min(10_000, Math.round(connect / 3))),
    list: durationOf(timeouts, 'list', 30_000),
    call: durationOf(timeouts, 'call', 120_000),
    close: durationOf(timeouts, 'close', 4_000),
  };
}

function readTool(settings: JsonObject): McpToolSettings {
  const tool: Writable<McpToolSettings> = {};
  if (typeof settings['enabled'] === 'boolean') tool.enabled = settings['enabled'];
  if (typeof settings['needs_approval'] === 'boolean') tool.needsApproval = settings['needs_approval'];
  const description = textOf(settings['description']);
  if (description !== undefined) tool.description = description;
  const effect = pick(settings['effect'], ['pure', 'idempotent', 'unsafe']);
  if (effect !== undefined) tool.effect = effect;
  if (settings['timeout'] !== undefined) tool.timeoutMs = durationOf(settings, 'timeout', 0);
  const maxChars = numberOf(settings['max_result_chars']);
  if (maxChars !== undefined) tool.maxResultChars = maxChars;
  const results = pick(settings['results'], ['trusted', 'untrusted']);
  if (results !== undefined) tool.results = results;
  const pin = textOf(settings['pin']);
  if (pin !== undefined) tool.pin = pin;
  return tool;
}

function wrong(name: string, what: string): CadreError {
  return new CadreError('OPTION_INVALID', `toolset '${name}': ${what}`);
}

function pick<const Value extends string>(value: JsonValue | undefined, allowed: readonly Value[]): Value | undefined {
  return allowed.find((candidate) => candidate === value);
}

function objectOf(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

function textMap(value: JsonValue | undefined): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(objectOf(value)).flatMap(([key, item]) => (typeof item === 'string' ? [[key, item]] : [])),
  );
}

/** Returns the problem of a server's address, or undefined: https may go anywhere, plain http only to this machine unless allowed. */
function checkServerUrl(text: string, allowInsecure: boolean): string | undefined {
  if (!URL.canParse(text)) return `is not a URL: ${JSON.stringify(text.slice(0, 200))}; write https://host/path`;
  const url = new URL(text);
  if (url.username !== '' || url.password !== '') return 'must not contain a password; put it into headers, from the environment';
  if (url.protocol === 'https:') return undefined;
  if (url.protocol !== 'http:') return `must begin with https:// or http://, not ${url.protocol}`;
  if (allowInsecure || isLoopback(url.hostname)) return undefined;
  return `is plain http to ${url.hostname}, which others on the network can read and change; use https, or set allow_insecure: true`;
}

/** True when a host name, in the spelling of `URL`, is this machine. */
function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}
