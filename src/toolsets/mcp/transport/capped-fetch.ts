import { CadreError } from '../../../core/error.ts';

/**
 * `fetch` whose answers cannot grow without end: a message of more than `maxBytes` breaks its stream off. In an event stream
 * an event is counted, with all its lines; in any other answer the whole body.
 */
export function cappedFetch(maxBytes: number): typeof fetch {
  return async (input, init) => {
    const response = await fetch(input, init);
    if (response.body === null) return response;
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
    const capped = response.body.pipeThrough(countBytes(maxBytes, isStream));
    return new Response(capped, { status: response.status, statusText: response.statusText, headers: response.headers });
  };
}

function countBytes(maxBytes: number, perEvent: boolean): TransformStream<Uint8Array, Uint8Array> {
  const events = new EventEnds();
  let count = 0;
  return new TransformStream({
    transform(chunk, controller) {
      const rest = perEvent ? events.afterLast(chunk) : undefined;
      count = rest ?? count + chunk.length;
      if (count > maxBytes) {
        controller.error(
          new CadreError('MCP_DISCONNECTED', `it sent a message of more than ${maxBytes} bytes (max_message_bytes)`),
        );
        return;
      }
      controller.enqueue(chunk);
    },
  });
}

const lineFeed = 10;
const carriageReturn = 13;

/** Finds the ends of events, which are empty lines, in a stream that is cut anywhere. */
class EventEnds {
  /** The line so far has nothing in it. */
  #atStart = true;
  #last = 0;

  /** How many bytes follow the last end of an event in this piece of the stream; undefined when none ends in it. */
  afterLast(chunk: Uint8Array): number | undefined {
    let rest: number | undefined;
    for (let at = 0; at < chunk.length; at += 1) {
      const byte = chunk[at] ?? 0;
      const isSecondHalf = byte === lineFeed && this.#last === carriageReturn;
      this.#last = byte;
      if (isSecondHalf) continue;
      const endsLine = byte === lineFeed || byte === carriageReturn;
      if (endsLine && this.#atStart) rest = chunk.length - at - 1;
      this.#atStart = endsLine;
    }
    return rest;
  }
}
