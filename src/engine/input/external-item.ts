import { isSourceName } from '../../core/inbox/strategy.ts';
import { CadreError } from '../../core/error.ts';
import { idPattern, type ItemId } from '../../core/ids.ts';
import type { Delivery } from '../../core/inbox/inbox.ts';
import { isJsonObject, type JsonValue, type Writable } from '../../core/json.ts';
import { toWire } from '../../core/tool/to-wire.ts';
import type { ItemDraft } from '../../core/events/transaction.ts';
import { withInputParts, withAttachments } from './user-payload.ts';
import { checkInputSize } from './input-size.ts';

/** A complete inbox item posted from outside; the names used in profiles (`consumption_policy`, `max_turns`) are accepted as well. */
export interface ExternalItem {
  readonly source: string;
  readonly payload: JsonValue;
  readonly consumption?: NonNullable<ItemDraft['consumption']>;
  readonly maxTurns?: number;
  readonly priority?: number;
  readonly ingestorId?: string;
  /** `untrusted`: the item is framed as data, and the prompt that holds it counts as tainted. */
  readonly trust?: 'trusted' | 'untrusted';
}

/** Messages that `send` accepts: a text, content parts (Cadre's or the AI SDK's), a user message of the AI SDK, or a complete item. */
export type ExternalMessage =
  | string
  | readonly object[]
  | { readonly role: 'user'; readonly content: string | readonly object[] }
  | ExternalItem;

const deliveries: readonly Delivery[] = ['now', 'next', 'idle'];
const consumptions = ['consume_on_read', 'persistent_until_consumed'] as const;
const known: Readonly<Record<string, string>> = {
  source: 'source',
  payload: 'payload',
  consumption: 'consumption',
  consumption_policy: 'consumption',
  maxTurns: 'maxTurns',
  max_turns: 'maxTurns',
  priority: 'priority',
  ingestorId: 'ingestorId',
  ingestor_id: 'ingestorId',
  trust: 'trust',
};

/**
 * Parses an item from outside into a checked copy of its known fields, as JSON. The caller may go on changing the original.
 *
 * @throws CadreError `OPTION_INVALID` naming the field that is wrong and what it may be
 */
function readExternalItem(message: unknown, delivery: unknown = 'next'): ItemDraft {
  if (!deliveries.some((allowed) => allowed === delivery)) throw invalid('priority', delivery, `one of ${deliveries.join(', ')}`);
  const wanted = { delivery: delivery as Delivery };
  if (typeof message === 'string' && message.trim() === '') throw invalid('message', 'a blank one', 'a text that says something');
  if (typeof message === 'string') return { source: 'USER_PROMPT', payload: { prompt: message.toWellFormed() }, ...wanted };
  if (isSaid(message)) return { source: 'USER_PROMPT', payload: withInputParts(message, 'send: message'), ...wanted };
  if (typeof message !== 'object' || message === null) throw invalid('message', message, 'a text, or an item { source, payload }');
  const fields = readFields(message as Readonly<Record<string, unknown>>);
  const { source, consumption, maxTurns, priority, ingestorId, trust } = fields;
  if (!isSourceName(source)) throw invalid('source', source, 'a name such as USER_PROMPT, at most 100 characters');
  if (source === 'TOOL_RESULT')
    throw new CadreError('OPTION_INVALID', 'items of source TOOL_RESULT come from tool calls alone; post under another source');
  const given = fields['payload'] ?? null;
  const payload = source === 'USER_PROMPT' ? withInputParts(given, 'send: payload') : toWire(given);
  const item: Writable<ItemDraft> = { source, payload, ...wanted };
  const policy = consumptions.find((allowed) => allowed === consumption);
  if (consumption !== undefined && policy === undefined)
    throw invalid('consumption', consumption, `one of ${consumptions.join(', ')}`);
  if (policy !== undefined) item.consumption = policy;
  if (maxTurns !== undefined)
    item.maxTurns = readNumber('maxTurns', maxTurns, (value) => Number.isInteger(value) && value > 0, 'a whole number above 0');
  if (priority !== undefined) item.priority = readNumber('priority', priority, Number.isFinite, 'a number; lower is read first');
  if (trust !== undefined && trust !== 'trusted' && trust !== 'untrusted') throw invalid('trust', trust, 'trusted or untrusted');
  if (trust === 'untrusted') item.trust = trust;
  if (ingestorId !== undefined) {
    if (typeof ingestorId !== 'string' || ingestorId === '') throw invalid('ingestorId', ingestorId, "an ingestor's name");
    item.ingestorId = ingestorId;
  }
  return item;
}

/** True for content parts, or a user message of the AI SDK. */
function isSaid(message: unknown): boolean {
  return Array.isArray(message) || (isJsonObject(message) && message['role'] === 'user' && message['source'] === undefined);
}

/**
 * Parses an item id given from outside.
 *
 * @throws CadreError `OPTION_INVALID` when it is no id, or one reserved for the engine
 */
export function readItemId(id: unknown): ItemId {
  if (typeof id === 'string' && idPattern.test(id) && !/^i\d+$/.test(id)) return id as ItemId;
  throw invalid(
    'itemId',
    id,
    '1 to 100 letters, digits, "_", "." or "-", and not i with a number: such ids are given by the engine',
  );
}

function readFields(message: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const fields: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(message)) {
    const name = Object.hasOwn(known, key) ? known[key] : undefined;
    if (name === undefined)
      throw new CadreError(
        'OPTION_INVALID',
        `an item has no field '${key.slice(0, 60)}'; allowed: ${Object.keys(known).join(', ')}`,
      );
    fields[name] = value;
  }
  return fields;
}

function readNumber(field: string, value: unknown, fits: (value: number) => boolean, allowed: string): number {
  if (typeof value !== 'number' || !fits(value)) throw invalid(field, value, allowed);
  return value;
}

function invalid(field: string, value: unknown, allowed: string): CadreError {
  const shown = isJsonObject(value) ? 'an object' : String(typeof value === 'symbol' ? 'a symbol' : value).slice(0, 60);
  return new CadreError('OPTION_INVALID', `send: ${field} must be ${allowed}, not ${shown}`);
}

/** Converts a message from outside to an item, with its attachments read; returns a promise only when it has some. */
export function externalMessage(
  message: ExternalMessage,
  delivery: unknown,
  workspace: () => string,
): ItemDraft | Promise<ItemDraft> {
  checkInputSize(
    'send: message',
    typeof message === 'object' && message !== null && 'payload' in message ? message.payload : message,
  );
  const read = readExternalItem(message, delivery);
  // Other sources have their own payloads and keys.
  if (read.source !== 'USER_PROMPT') return read;
  const attached = withAttachments(read.payload, workspace);
  return attached instanceof Promise ? attached.then((payload) => ({ ...read, payload })) : { ...read, payload: attached };
}
