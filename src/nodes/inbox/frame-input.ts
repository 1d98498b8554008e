import { cutMiddle } from '../../core/cut-middle.ts';
import type { Env } from '../../core/env.ts';
import { frameNonce, frameUntrusted, type FrameFacts } from '../../core/untrusted/frame-untrusted.ts';
import { isUntrusted } from '../../core/fold/sources.ts';
import type { InboxItem } from '../../core/inbox/inbox.ts';
import { isJsonObject, type Writable } from '../../core/json.ts';
import type { Content } from '../../core/prompt/message.ts';
import type { Transaction } from '../../core/events/transaction.ts';
import type { TurnInput } from '../../core/state/turn.ts';

/** Most of changed arguments that is repeated to the model, in characters. */
const shownArgs = 4_000;

/** Attaches content to an input in the making; text from outside gets a frame that says so, whichever ingestor rendered it. */
export function framedInput(tx: Transaction, env: Env, input: Writable<TurnInput>, item: InboxItem, content: Content): TurnInput {
  if (isUntrusted(input, item)) {
    const framed = frameUntrusted(content, frameOf(tx, env, item));
    input.content = withEdit(input, item, framed.content);
    if (framed.removed > 0) input.cleaned = framed.removed;
  } else input.content = withEdit(input, item, content);
  return input;
}

/** Returns the facts for the frame of an item's content. An item keeps its nonce in every turn that reads it. */
export function frameOf(tx: Transaction, env: Env, item: InboxItem): FrameFacts {
  const name = isJsonObject(item.payload) ? item.payload['tool_name'] : undefined;
  return {
    from: item.source === 'TOOL_RESULT' && typeof name === 'string' ? name : item.source,
    nonce: frameNonce(env.hash, tx.run.frameSeed, item.itemId),
    removed: item.cleaned,
  };
}

/** The model, which knows only what it asked for, reads it when a person had its call run with other arguments. */
function withEdit(input: TurnInput, { payload }: InboxItem, content: Content): Content {
  const args = input.role === 'tool' && isJsonObject(payload) ? payload['changed_args'] : undefined;
  if (args === undefined) return content;
  const shown = cutMiddle(JSON.stringify(args), shownArgs, (characters) => `… [${characters} characters] …`);
  const note = `[A person changed the arguments of this call before it ran. It ran with: ${shown}]\n\n`;
  return typeof content === 'string' ? note + content : [{ type: 'text', text: note }, ...content];
}
