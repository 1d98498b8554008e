import type { ItemDraft } from '../../core/events/transaction.ts';
import { checkInputSize } from './input-size.ts';
import { type ExternalMessage, readExternalItem } from './external-item.ts';
import { withAttachments } from './user-payload.ts';

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
