import { StringDecoder } from 'node:string_decoder';
import { readJson } from '../../../core/read-json.ts';

/** Most lines that are not messages before a server is given up: it does not speak the protocol, and reading on costs time. */
const maxNoiseLines = 10_000;

/** Callbacks for the output of a server. */
export interface LineSink {
  readonly onMessage: (message: object) => void;
  /** Called with a line that is not a message, cut to fit an error message. */
  readonly onNoise: (line: string) => void;
  /** Called with the problem when the output can no longer be read. */
  readonly onOverflow: (problem: string) => void;
}

/**
 * Splits output into lines of JSON. A line that is not a message is noise; a line that never ends, or noise without end, is an overflow.
 */
export class MessageLines {
  readonly #sink: LineSink;
  readonly #maxBytes: number;
  readonly #decoder = new StringDecoder('utf8');
  #parts: string[] = [];
  #length = 0;
  #noise = 0;
  #over = false;

  constructor(sink: LineSink, maxBytes: number) {
    this.#sink = sink;
    this.#maxBytes = maxBytes;
  }

  /** Accepts a chunk of output, split anywhere. */
  push(chunk: Buffer): void {
    let text = this.#decoder.write(chunk);
    for (let end = text.indexOf('\n'); end !== -1 && !this.#over; end = text.indexOf('\n')) {
      this.#keep(text.slice(0, end));
      if (!this.#over) this.#finishLine();
      text = text.slice(end + 1);
    }
    if (!this.#over && text !== '') this.#keep(text);
  }

  #keep(part: string): void {
    this.#length += part.length;
    if (this.#length > this.#maxBytes) this.#overflow(`a message of more than ${this.#maxBytes} bytes (max_message_bytes)`);
    else this.#parts.push(part);
  }

  #finishLine(): void {
    const line = this.#parts.join('').trim();
    this.#parts = [];
    this.#length = 0;
    if (line === '') return;
    const message = parseMessage(line);
    if (message !== undefined) {
      this.#sink.onMessage(message);
      return;
    }
    this.#noise += 1;
    this.#sink.onNoise(line.slice(0, 200));
    if (this.#noise >= maxNoiseLines) this.#overflow(`${maxNoiseLines} lines that are not messages`);
  }

  #overflow(problem: string): void {
    this.#over = true;
    this.#parts = [];
    this.#sink.onOverflow(problem);
  }
}

/** Parses a JSON-RPC message; undefined for any other line. */
function parseMessage(line: string): object | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    const value: unknown = readJson(line);
    return typeof value === 'object' && value !== null && 'jsonrpc' in value && value.jsonrpc === '2.0' ? value : undefined;
  } catch {
    // Half a message, or a log line that happens to begin with a brace.
    return undefined;
  }
}
