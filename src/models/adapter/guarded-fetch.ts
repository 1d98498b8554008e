import { CadreError } from '../../core/error.ts';
import { currentListener } from './connection-watch.ts';
import { redactSecrets } from './redact-secrets.ts';

// Characters of a non-stream response kept for the error (FAULTS M14).
const keptResponseChars = 500;

/**
 * Fetches like `fetch`, but rejects a successful response that is not an event stream (a login page, plain JSON), which packages
 * would read as an empty stream. Throws `MODEL_BAD_RESPONSE` with the start of the body in `details.response`.
 */
export async function guardedFetch(input: string | URL | Request, init?: RequestInit): Promise<Response> {
  const response = await globalThis.fetch(input, init);
  const contentType = response.headers.get('content-type') ?? '';
  if (!response.ok) return response;
  // Servers send event streams with all kinds of content types, or none.
  if (!/^\s*(?:text\/html|application\/json)\b/i.test(contentType)) return withDone(response);
  const start = redactSecrets(await readStart(response), []);
  throw new CadreError(
    'MODEL_BAD_RESPONSE',
    `The provider answered ${response.status} with ${contentType} where a stream of events was expected: ${start}`,
    { details: { response: start } },
  );
}

/** Placeholder key for packages that demand one where none may be sent; it never leaves the process. */
export const noKey = 'cadre-sends-no-key';

/** Fetches like `guardedFetch`, without the headers that hold the placeholder key. */
export function fetchWithoutKey(input: string | URL | Request, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  for (const [name, value] of [...headers]) if (value.includes(noKey)) headers.delete(name);
  return guardedFetch(input, { ...init, headers });
}

/** Reads only the start of a body, which may be endless. */
async function readStart(response: Response): Promise<string> {
  if (response.body === null) return '';
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  while (text.length < keptResponseChars) {
    const { done, value } = await reader.read();
    if (done) return text;
    text += value;
  }
  await reader.cancel();
  return text.slice(0, keptResponseChars);
}

// Longer than the last line of a stream that ends in [DONE].
const keptTailBytes = 64;

/**
 * Reports to the current listener when the body ends in `[DONE]`. Packages drop that line, and from servers without finish reasons
 * it is the only sign of a complete reply.
 */
function withDone(response: Response): Response {
  const listener = currentListener();
  if (listener?.done === undefined || response.body === null) return response;
  let tail = new Uint8Array(0);
  const watched = response.body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        tail = chunk.length >= keptTailBytes ? chunk.slice(-keptTailBytes) : joined(tail, chunk);
        controller.enqueue(chunk);
      },
      flush() {
        if (/(?:^|[\r\n])data: ?\[DONE\]\s*$/.test(new TextDecoder().decode(tail))) listener.done?.();
      },
    }),
  );
  const { status, statusText, headers } = response;
  return new Response(watched, { status, statusText, headers });
}

function joined(tail: Uint8Array, chunk: Uint8Array): Uint8Array<ArrayBuffer> {
  const both = new Uint8Array(tail.length + chunk.length);
  both.set(tail);
  both.set(chunk, tail.length);
  return both.slice(-keptTailBytes);
}
