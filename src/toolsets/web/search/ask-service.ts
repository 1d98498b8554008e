import { CadreError } from '../../../core/error.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../core/json.ts';
import { decodeBody } from '../decode-body.ts';
import { fetchResource } from '../fetch-resource.ts';
import type { HostResolver } from '../resolve-host.ts';
import { readJson } from '../../../core/read-json.ts';

/** Dependencies for calling a search service. */
export interface ServicePorts {
  readonly resolver: HostResolver;
  readonly timeoutMs: number;
  readonly userAgent: string;
}

/** One request to a search service. */
export interface ServiceQuestion {
  readonly url: URL;
  readonly headers?: Readonly<Record<string, string>>;
  /** Body, which makes the request a POST. */
  readonly json?: JsonValue;
  readonly accept: string;
}

/** Largest answer of a service, in bytes. */
const maxBytes = 1_000_000;

/**
 * Calls a search service at the configured address and nowhere else; it may be on this machine. Messages contain no query and no key.
 *
 * @throws CadreError `TOOL_FAILED` when it does not answer properly
 */
export async function askService(question: ServiceQuestion, ports: ServicePorts, signal: AbortSignal): Promise<string> {
  const { url, headers, json, accept } = question;
  const options = {
    policy: { allowHosts: [], denyHosts: [], allowPrivate: true },
    ...ports,
    maxBytes,
    // A request with a key goes to one place only.
    maxRedirects: 0,
    accept,
    ...(headers === undefined ? {} : { headers }),
    ...(json === undefined ? {} : { json: JSON.stringify(json) }),
  };
  const resource = await fetchResource(url.href, options, signal).catch((thrown: unknown): never => {
    if (!(thrown instanceof CadreError)) throw thrown;
    throw new CadreError(thrown.code, thrown.message.replace(url.href.slice(0, 200), 'it'), { cause: thrown });
  });
  if (resource.truncated) throw new CadreError('TOOL_FAILED', `it answered with more than ${maxBytes} bytes`);
  return decodeBody(resource.body, resource.headers['content-type'] ?? '').text;
}

/** A request for JSON that contains a list. */
export interface ListQuestion extends Omit<ServiceQuestion, 'accept'> {
  /** Keys that lead to the list in the answer. */
  readonly path: readonly string[];
}

/** Requests JSON and returns the list at a path of the answer. */
export async function askForList(
  { path, ...question }: ListQuestion,
  ports: ServicePorts,
  signal: AbortSignal,
): Promise<readonly JsonObject[]> {
  const text = await askService({ ...question, accept: 'application/json' }, ports, signal);
  let value: JsonValue | undefined;
  try {
    value = readJson(text) as JsonValue;
  } catch {
    throw new CadreError('TOOL_FAILED', 'its answer is not JSON');
  }
  for (const key of path) {
    // Services omit an empty list.
    if (value === undefined || value === null) return [];
    if (!isJsonObject(value)) throw new CadreError('TOOL_FAILED', `its answer has no list at ${path.join('.')}`);
    value = value[key];
  }
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw new CadreError('TOOL_FAILED', `its answer has no list at ${path.join('.')}`);
  return (value as readonly JsonValue[]).filter(isJsonObject);
}

/** Returns a text field of an answer; empty when it is anything else. */
export function textField(item: JsonObject, name: string): string {
  const value = item[name];
  return typeof value === 'string' ? value : '';
}
