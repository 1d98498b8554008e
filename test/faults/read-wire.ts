import type { Protocol } from './recordings.ts';

/** What a stream of events says, read by a second reader that shares no code with the product or its provider packages. */
export interface WireReply {
  /** The reply came to an end at which its calls count as complete. */
  readonly ended: boolean;
  readonly calls: readonly { readonly name: string; readonly args: string }[];
}

type Fields = Readonly<Record<string, unknown>>;

/** Reads the bytes of a reply, strictly: anything that is not as the protocol has it makes it a reply that did not end. */
export function readWire(protocol: Protocol, bytes: Uint8Array): WireReply {
  try {
    const data = dataOf(bytes);
    const events = data.filter((value) => value !== '[DONE]').map((value) => fields(JSON.parse(value)));
    return protocol === 'chat' ? readChat(events, data.at(-1) === '[DONE]') : readResponses(events);
  } catch {
    return { ended: false, calls: [] };
  }
}

/** The data of each event that came to its end, by the rules of the event-stream format. */
function dataOf(bytes: Uint8Array): readonly string[] {
  const lines = new TextDecoder().decode(bytes).split(/\r\n|\n|\r/);
  const events: string[] = [];
  let data: string[] = [];
  // What follows the last line end is a line that has not come in whole.
  for (const line of lines.slice(0, -1)) {
    if (line === '') {
      if (data.length > 0) events.push(data.join('\n'));
      data = [];
      continue;
    }
    const colon = line.indexOf(':');
    const field = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? '' : line.slice(colon + 1);
    if (field === 'data') data.push(value.startsWith(' ') ? value.slice(1) : value);
  }
  return events;
}

/** A reply without a finish reason ends with `[DONE]`, or with usage behind all else, and only when its calls are whole (F12). */
function readChat(events: readonly Fields[], isDone: boolean): WireReply {
  const calls = new Map<unknown, { name: string; args: string }>();
  let pieces = '';
  let ended: boolean | undefined;
  let isCounted = false;
  for (const event of events) {
    if (event['error'] !== undefined) return { ended: false, calls: [] };
    isCounted = Object.values(optional(event['usage'])).some((count) => Number(count) > 0);
    for (const choice of list(event['choices']).slice(0, 1).map(fields)) {
      const reason = choice['finish_reason'];
      if (reason !== null && reason !== undefined)
        ended = reason === 'tool_calls' || reason === 'stop' || reason === 'function_call';
      for (const delta of list(optional(choice['delta'])['tool_calls']).map(fields)) {
        const named = optional(delta['function']);
        const call = calls.get(delta['index']) ?? { name: '', args: '' };
        calls.set(delta['index'], call);
        if (call.name === '' && typeof named['name'] === 'string') call.name = named['name'];
        if (typeof named['arguments'] !== 'string') continue;
        call.args += named['arguments'];
        pieces += named['arguments'];
      }
    }
  }
  const named = [...calls.values()].filter(({ name }) => name !== '');
  const [only] = named;
  // With one call, all pieces are its own, whatever became of their numbers.
  const made = named.length === 1 && only !== undefined ? [{ name: only.name, args: pieces }] : [...calls.values()];
  return { ended: ended ?? ((isDone || isCounted) && made.every(({ args }) => isWhole(args))), calls: made };
}

function isWhole(args: string): boolean {
  try {
    return args.trim() === '' || JSON.parse(args) !== undefined;
  } catch {
    return false;
  }
}

function readResponses(events: readonly Fields[]): WireReply {
  const calls: { name: string; args: string }[] = [];
  let ended = false;
  for (const event of events) {
    const type = event['type'];
    if (type === 'error' || type === 'response.failed') return { ended: false, calls: [] };
    if (type === 'response.completed') ended = true;
    if (type === 'response.incomplete') ended = false;
    const item = optional(event['item']);
    if (type === 'response.output_item.done' && item['type'] === 'function_call')
      calls.push({ name: String(item['name']), args: String(item['arguments']) });
  }
  return { ended, calls };
}

function fields(value: unknown): Fields {
  if (typeof value !== 'object' || value === null) throw new TypeError('not an object');
  return value as Fields;
}

function optional(value: unknown): Fields {
  return value === null || value === undefined ? {} : fields(value);
}

function list(value: unknown): readonly unknown[] {
  if (value === null || value === undefined) return [];
  if (!Array.isArray(value)) throw new TypeError('not a list');
  return value as readonly unknown[];
}
