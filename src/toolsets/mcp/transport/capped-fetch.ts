import { CadreError } from '../../../core/error.ts';

/**
 * Returns a `fetch` whose answers are limited: a message of more than `maxBytes` aborts its stream. In an event stream the limit applies
 * to each event with all its lines; in any other answer to the whole body.
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

/** Finds the ends of events, which are empty lines, in a stream split anywhere. */
class EventEnds {
  /** True when the current line is empty so far. */
  #atStart = true;
  #last = 0;

  /** Returns how many bytes follow the last end of an event in this chunk; undefined when none ends in it. */
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
