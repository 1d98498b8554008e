import type { CadreEvent } from '../../core/events/event.ts';

/** A message of a stream of server-sent events. Without a name it is one of the stream's own events, with its id. */
export interface EventFrame {
  readonly event?: string;
  readonly id?: number;
  readonly data: unknown;
}

/** Encodes a message. JSON has no line breaks, so one line of data is enough. */
export function toFrame({ event, id, data }: EventFrame): string {
  const name = event === undefined ? '' : `event: ${event}\n`;
  const number = id === undefined ? '' : `id: ${id}\n`;
  return `${name}${number}data: ${JSON.stringify(data)}\n\n`;
}

// Pure cache: keyed by an event, which never changes.
const shared = new WeakMap<CadreEvent, string>();

/** Encodes an event that several readers get, once, and keeps the text as long as the event. */
export function sharedFrame(event: CadreEvent): string {
  const made = shared.get(event) ?? toFrame({ id: event.seq, data: event });
  shared.set(event, made);
  return made;
}

/** Comment that keeps an idle stream open through proxies. */
export const heartbeat = ': still here\n\n';

/** Milliseconds after which a client reconnects when the stream breaks off. */
export const greeting = 'retry: 1000\n\n';
