import { Chat } from '@ai-sdk/react';
import { type ChatInit, DefaultChatTransport, type HttpChatTransportInitOptions, type UIMessage } from 'ai';

/** Metadata that the server adds to a message. */
export interface TeamMetadata {
  readonly runId: string;
  readonly status?: string;
  readonly cost?: number | null;
  readonly usage?: { readonly inputTokens: number };
  readonly pending?: readonly { readonly id: string; readonly kind: string }[];
}

/** A message of a chat with a team. */
export type TeamMessage = UIMessage<TeamMetadata>;

/** Creates the official client, unchanged: the one `useChat` wraps, with its default transport. */
export function chatClient(
  url: string,
  options: Omit<ChatInit<TeamMessage>, 'transport'> & { readonly transport?: HttpChatTransportInitOptions<TeamMessage> } = {},
): Chat<TeamMessage> {
  const { transport, ...rest } = options;
  return new Chat<TeamMessage>({
    ...rest,
    transport: new DefaultChatTransport<TeamMessage>({ api: `${url}/api/chat`, ...transport }),
  });
}

/** Returns the text of a message, as a page shows it. */
export function textOf(message: TeamMessage | undefined): string {
  return (message?.parts ?? []).map((part) => (part.type === 'text' ? part.text : '')).join('');
}

/** Returns every state of a chat's last message, oldest first. */
export function watchTexts(chat: Chat<TeamMessage>): readonly string[] {
  const texts: string[] = [];
  chat['~registerMessagesCallback'](() => {
    const last = chat.messages.at(-1);
    if (last?.role === 'assistant' && texts.at(-1) !== textOf(last)) texts.push(textOf(last));
  });
  return texts;
}
