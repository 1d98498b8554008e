import { type IncomingMessage, request } from 'node:http';

/** A message of a stream of server-sent events. */
export interface ReadFrame {
  readonly event: string;
  readonly id: string | undefined;
  readonly data: Readonly<Record<string, unknown>>;
}

/** A stream being read, over a separate connection. */
export interface EventReader extends AsyncIterable<ReadFrame> {
  readonly response: IncomingMessage;
  /** Breaks the connection. */
  close(): void;
}

/** Opens a stream as a browser would. */
export async function openEvents(
  url: string,
  options: { readonly lastEventId?: number; readonly headers?: Readonly<Record<string, string>> } = {},
): Promise<EventReader> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const headers = {
    ...options.headers,
    ...(options.lastEventId === undefined ? {} : { 'last-event-id': String(options.lastEventId) }),
  };
  const asked = request(url, { agent: false, headers }, resolve);
  asked.on('error', reject).end();
  const response = await promise;
  // Without a listener, the error of a broken connection would be uncaught.
  response.on('error', () => undefined);
  if (response.statusCode !== 200) throw new Error(`${url} answered ${response.statusCode}`);
  return {
    response,
    close: () => response.destroy(),
    [Symbol.asyncIterator]: () => framesOf(response),
  };
}

async function* framesOf(response: IncomingMessage): AsyncGenerator<ReadFrame, undefined, undefined> {
  let rest = '';
  response.setEncoding('utf8');
  try {
    for await (const chunk of response) {
      const blocks = (rest + String(chunk)).split('\n\n');
      rest = blocks.pop() ?? '';
      for (const block of blocks) {
        const frame = toFrame(block);
        if (frame !== undefined) yield frame;
      }
    }
  } catch (thrown) {
    if (!response.destroyed) throw thrown;
  }
}

function toFrame(block: string): ReadFrame | undefined {
  const fields = new Map(block.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]));
  const data = fields.get('data');
  if (data === undefined) return undefined;
  return { event: fields.get('event') ?? 'message', id: fields.get('id'), data: JSON.parse(data) as ReadFrame['data'] };
}
