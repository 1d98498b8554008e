import type { UIMessage, UIMessageChunk } from 'ai';

/** Assembles the chunks of one message as clients of the AI SDK do. Rejects where a client would fail on a chunk. */
export async function assembleParts(chunks: readonly UIMessageChunk[]): Promise<UIMessage['parts']> {
  const { createUIMessageStream } = await import('ai');
  const message = Promise.withResolvers<UIMessage>();
  const stream = createUIMessageStream({
    execute: ({ writer }) => {
      for (const chunk of chunks) writer.write(chunk);
    },
    // `readUIMessageStream` would copy the message at every chunk.
    onEnd: ({ responseMessage }) => message.resolve(responseMessage),
  });
  await stream.pipeTo(new WritableStream());
  return (await message.promise).parts;
}
