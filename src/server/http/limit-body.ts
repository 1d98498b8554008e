import type { MiddlewareHandler } from 'hono';
import { CadreError } from '../../core/error.ts';
import type { ServerEnv } from './server-parts.ts';

/**
 * Refuses bodies longer than `most` bytes: by their declared length before reading, chunked ones as soon as they exceed it. Fails with
 * REQUEST_TOO_LARGE.
 */
export function limitBody(most: number): MiddlewareHandler<ServerEnv> {
  return async ({ req }, next) => {
    const { method, headers, body } = req.raw;
    const declared = headers.has('transfer-encoding') ? null : headers.get('content-length');
    if (Number(declared) > most) throw tooLong(most);
    // A body with a declared length cannot be longer than that.
    if (declared === null && body !== null && method !== 'GET' && method !== 'HEAD')
      // Later readers of the body find it here; hono stores promises, though its types say otherwise.
      Object.assign(req.bodyCache, { arrayBuffer: Promise.resolve(await readUpTo(body, most)) });
    await next();
  };
}

async function readUpTo(body: ReadableStream<Uint8Array>, most: number): Promise<ArrayBuffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.byteLength;
    if (size > most) throw tooLong(most);
    chunks.push(chunk);
  }
  const { buffer } = new Uint8Array(Buffer.concat(chunks));
  return buffer;
}

function tooLong(most: number): CadreError {
  return new CadreError('REQUEST_TOO_LARGE', `a request may have ${most} bytes at most`);
}
