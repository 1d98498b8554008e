import type { LanguageModelV4CallOptions, LanguageModelV4Message } from '@ai-sdk/provider';

import type { Usage } from '../../core/model/model.ts';

// Rule of thumb for English text, for models without a tokenizer.
const charsPerToken = 4;

// A message never changes and is in the prompt of every later call. Pure cache: keyed by a message.
const charsOfMessage = new WeakMap<LanguageModelV4Message, number>();

/** Estimates the tokens of a call from the characters of its prompt and reply. */
export function estimateUsage(request: LanguageModelV4CallOptions, replyChars: number): Usage {
  let promptChars = 0;
  for (const message of request.prompt) promptChars += countChars(message);
  return { inputTokens: Math.ceil(promptChars / charsPerToken), outputTokens: Math.ceil(replyChars / charsPerToken) };
}

function countChars(message: LanguageModelV4Message): number {
  if (message.role === 'system') return message.content.length;
  const known = charsOfMessage.get(message);
  if (known !== undefined) return known;
  const chars = JSON.stringify(message.content).length;
  charsOfMessage.set(message, chars);
  return chars;
}
