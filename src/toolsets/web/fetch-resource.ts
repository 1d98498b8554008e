import { STATUS_CODES } from 'node:http';
import { CadreError } from '../../core/error.ts';
import { httpExchange, type HttpAnswer } from './http-exchange.ts';
import { resolveChecked, type HostResolver } from './resolve-host.ts';
import { checkUrl, type UrlPolicy } from './url-policy.ts';

/** Cost limits and URL policy of a fetch. */
export interface FetchOptions {
  readonly policy: UrlPolicy;
  readonly resolver: HostResolver;
  /** Time for everything together: names, connections, redirects, the body. */
  readonly timeoutMs: number;
  readonly maxBytes: number;
  readonly maxRedirects: number;
  readonly userAgent: string;
  /** Headers of the first request, never sent to another origin: keys of a search service. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly accept?: string;
  /** Body of the first request, which makes it a POST. */
  readonly json?: string;
}

/** Answer found at a URL. */
export interface WebResource extends HttpAnswer {
  /** Final URL, after redirects. */
  readonly url: string;
  /** Earlier URLs of a chain of redirects, if any. */
  readonly redirects: readonly string[];
}

const redirectStatuses: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/**
 * Fetches a URL and follows redirects, each of them checked like the first (FAULTS S5).
 *
 * @throws CadreError `URL_REFUSED` for a URL, redirect or address that is not allowed; `TOOL_FAILED` when no usable answer arrives in
 * time
 */
export async function fetchResource(url: string, options: FetchOptions, signal: AbortSignal): Promise<WebResource> {
  const deadline = AbortSignal.timeout(options.timeoutMs);
  try {
    return await follow(url, options, AbortSignal.any([signal, deadline]));
  } catch (thrown) {
    if (!deadline.aborted || signal.aborted || (thrown instanceof CadreError && thrown.code === 'URL_REFUSED')) throw thrown;
    throw new CadreError('TOOL_FAILED', `${url.slice(0, 200)} did not answer in full within ${options.timeoutMs / 1000} s.`);
  }
}

async function follow(first: string, options: FetchOptions, signal: AbortSignal): Promise<WebResource> {
  const redirects: string[] = [];
  let next = first;
  for (;;) {
    const target = checkUrl(next, options.policy);
    const addresses = await resolveChecked(target, { policy: options.policy, resolver: options.resolver, signal });
    const headers = headersFor(options, redirects.length === 0);
    const answer = await httpExchange({
      target,
      addresses,
      headers,
      maxBytes: options.maxBytes,
      signal,
      // Only the first address gets the request body.
      ...(options.json === undefined || redirects.length > 0 ? {} : { json: options.json }),
    });
    const { href } = target.url;
    const location = redirectStatuses.has(answer.status) ? answer.headers.location : undefined;
    if (location === undefined) return accept({ ...answer, url: href, redirects });
    if (redirects.length === options.maxRedirects)
      throw new CadreError('TOOL_FAILED', `${first.slice(0, 200)} redirects more than ${options.maxRedirects} times.`);
    redirects.push(href);
    next = URL.parse(location, href)?.href ?? location;
  }
}

function headersFor(options: FetchOptions, isFirst: boolean): Readonly<Record<string, string>> {
  return {
    'user-agent': options.userAgent,
    accept: options.accept ?? 'text/html, application/xhtml+xml, text/*;q=0.9, application/json;q=0.9, */*;q=0.5',
    'accept-language': 'en, *;q=0.5',
    'accept-encoding': 'gzip, deflate, br',
    ...(isFirst ? options.headers : undefined),
  };
}

function accept(resource: WebResource): WebResource {
  const { status } = resource;
  if (status >= 200 && status < 300) return resource;
  // The server's reason phrase is untrusted text, and errors are not framed as such.
  const words = STATUS_CODES[status] ?? 'unknown status';
  throw new CadreError('TOOL_FAILED', `${resource.url.slice(0, 200)} answered ${status} (${words}).`, { details: { status } });
}
