import { CadreError } from '../../core/error.ts';
import { currentListener } from './connection-watch.ts';
import { redactSecrets } from './redact-secrets.ts';

// How much of a response that is no stream is kept for the error (FAULTS M14).
const keptResponseChars = 500;

/**
 * Fetches like `fetch`, but refuses a success that is no stream of events (a login page, a plain JSON body): providers read such a
 * body as an empty stream and lose what it said. Throws `MODEL_BAD_RESPONSE` with the start of the body in `details.response`.
 */
export async function guardedFetch(input: string | URL | Request, init?: RequestInit): Promise<Response> {
  const response = await globalThis.fetch(input, init);
  const contentType = response.headers.get('content-type') ?? '';
  if (!response.ok) return response;
  // Servers give streams of events all kinds of types, or none.
  if (!/^\s*(?:text\/html|application\/json)\b/i.test(contentType)) return withDone(response);
  const start = redactSecrets(await readStart(response), []);
  throw new CadreError(
    'MODEL_BAD_RESPONSE',
    `The provider answered ${response.status} with ${contentType} where a stream of events was expected: ${start}`,
    { details: { response: start } },
  );
}

/** Stands for a key where a package demands one and none may be sent; it never leaves the process. */
export const noKey = 'cadre-sends-no-key';

/** Fetches like `guardedFetch`, without the headers that would carry the key if there were one. */
export function fetchWithoutKey(input: string | URL | Request, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  for (const [name, value] of [...headers]) if (value.includes(noKey)) headers.delete(name);
  return guardedFetch(input, { ...init, headers });
}

/** Reads no more than is kept: the body may be endless. */
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
 * The response, with its listener told when its body ends in `[DONE]`: packages leave that line out, and for servers that give no
 * finish reason it is the only sign that a reply is whole.
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
