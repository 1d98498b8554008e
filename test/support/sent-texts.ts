import type { PromptMessage } from '../../src/core/prompt/message.ts';
import { promptText } from '../../src/inspect/turn/prompt-text.ts';

/** A request as a scripted model got it. */
interface SentRequest {
  readonly prompt: unknown;
}

const frame = /<untrusted_data from="[^"]*" nonce="(\w+)">:[^]*?<\/untrusted_data nonce="\1">/g;

/** Returns what each request told its model, without what the model itself had said; quotation marks in JSON read as themselves. */
export function textsSent(requests: readonly SentRequest[]): readonly string[] {
  return requests.map(({ prompt }) => {
    const messages = (prompt as readonly PromptMessage[]).filter(({ role }) => role !== 'assistant');
    return promptText(messages).replace(/\\+"/g, '"');
  });
}

/** Returns the surroundings of each place where a text stands outside of all frames, in capitals or not. */
export function unframed(texts: readonly string[], mark: string): readonly string[] {
  const sought = mark.toLowerCase();
  return texts.flatMap((text) => {
    const bare = text.replace(frame, '').toLowerCase();
    const at = bare.indexOf(sought);
    return at < 0 ? [] : [bare.slice(Math.max(0, at - 200), at + sought.length + 100)];
  });
}
