import http, { type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import https from 'node:https';
import { pipeline } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { CadreError, describeThrown } from '../../core/error.ts';
import { fixedLookup } from './fixed-lookup.ts';
import type { HostAddress } from './resolve-host.ts';
import type { CheckedUrl } from './url-policy.ts';

/** One answer of a server, with its body up to the limit. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** True when the body continues after `maxBytes`. */
  readonly truncated: boolean;
}

/** One request to addresses already checked: a GET, or a POST when it has JSON to send. */
export interface HttpQuestion {
  readonly target: CheckedUrl;
  readonly addresses: readonly HostAddress[];
  readonly headers: Readonly<Record<string, string>>;
  readonly json?: string;
  /** Most bytes of the body, after decompression. */
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

/**
 * Sends one request on a separate connection: no cookies, no credentials, no proxy, no shared connection. A redirect is returned as an
 * answer, without its body.
 *
 * @throws CadreError `TOOL_FAILED` when no complete answer arrived; the signal's reason when it aborts
 */
export async function httpExchange(question: HttpQuestion): Promise<HttpAnswer> {
  try {
    const response = await request(question);
    const { statusCode: status = 0, headers } = response;
    if (status >= 300 && status < 400) {
      response.destroy();
      return { status, headers, body: Buffer.alloc(0), truncated: false };
    }
    return { status, headers, ...(await readBody(response, question.maxBytes)) };
  } catch (thrown) {
    question.signal.throwIfAborted();
    throw new CadreError(
      'TOOL_FAILED',
      `${question.target.url.href.slice(0, 200)} could not be read: ${describeFailure(thrown)}.`,
      {
        cause: thrown,
      },
    );
  }
}

function request({ target, addresses, headers, json, signal }: HttpQuestion): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const { url, host } = target;
  const module = url.protocol === 'https:' ? https : http;
  const sent = module.request(
    {
      method: json === undefined ? 'GET' : 'POST',
      protocol: url.protocol,
      hostname: host,
      port: url.port === '' ? undefined : Number(url.port),
      path: `${url.pathname}${url.search}`,
      headers: { host: url.host, ...headers, ...(json === undefined ? {} : { 'content-type': 'application/json' }) },
      // A fresh agent takes no proxy from the environment, and shares no socket.
      agent: new module.Agent({ keepAlive: false }),
      lookup: fixedLookup(addresses),
      maxHeaderSize: 32_768,
      signal,
    },
    resolve,
  );
  // Later errors of the connection surface as errors of the body.
  sent.on('error', reject);
  // A server that announces answers without end is given up.
  let announced = 0;
  sent.on('information', () => {
    announced += 1;
    if (announced > 20) sent.destroy(new Error('it announces an answer again and again'));
  });
  sent.end(json);
  return promise;
}

async function readBody(response: IncomingMessage, maxBytes: number): Promise<Pick<HttpAnswer, 'body' | 'truncated'>> {
  const chunks: Buffer[] = [];
  let size = 0;
  // Leaving the loop destroys the source, and with it the connection.
  for await (const chunk of decompressed(response) as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > maxBytes) break;
  }
  return { body: Buffer.concat(chunks).subarray(0, maxBytes), truncated: size > maxBytes };
}

function decompressed(response: IncomingMessage): AsyncIterable<unknown> {
  const encoding = (response.headers['content-encoding'] ?? 'identity').trim().toLowerCase();
  const decoder = decoderOf(encoding);
  // The reader of the decoder gets every error of the pipeline.
  return decoder === undefined ? response : pipeline(response, decoder, () => undefined);
}

function decoderOf(encoding: string): NodeJS.ReadWriteStream | undefined {
  switch (encoding) {
    case 'identity':
    case '':
      return undefined;
    case 'gzip':
    case 'x-gzip':
      return createGunzip();
    case 'deflate':
      return createInflate();
    case 'br':
      return createBrotliDecompress();
    default:
      throw new Error(`it is encoded as ${encoding.slice(0, 40)}, which was not asked for`);
  }
}

function describeFailure(thrown: unknown): string {
  const code = thrown instanceof Error && 'code' in thrown ? String(thrown.code) : '';
  switch (code) {
    case 'ECONNREFUSED':
      return 'nothing listens there (ECONNREFUSED)';
    case 'ECONNRESET':
    case 'ERR_STREAM_PREMATURE_CLOSE':
      return 'the connection was closed before the answer was complete';
    case 'HPE_HEADER_OVERFLOW':
      return 'its headers are too large';
    default:
      if (code.startsWith('HPE_')) return `the answer is not valid HTTP (${code})`;
      if (code.startsWith('Z_') || code.startsWith('ERR_BROTLI') || code.startsWith('ERR__ERROR'))
        return `its compressed body is damaged (${code})`;
      return describeThrown(thrown).slice(0, 300);
  }
}
