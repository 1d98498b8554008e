import type { Content, ContentPart, FilePart, PromptMessage, ReasoningPart, ToolCallPart, ToolResultPart } from './message.ts';

/**
 * Estimates of tokens from text alone: cheap, a pure function, and never far too low.
 *
 * Owns: the estimate of a text, a file or a message before a provider has counted it. Does not own: the provider's counts,
 * which correct these figures (`context-size.ts`).
 *
 * The characters per token depend on the kind of text: 4 to 5 in English prose, 3 in JSON, 1.5 in numbers, hex and base64, 2 in
 * Cyrillic, 1 in Chinese (measured with o200k and cl100k; `test/core/token-estimate.test.ts` has the figures). A small sample
 * distinguishes them: the share of small letters and spaces, and of characters beyond ASCII. So a long text costs hardly more
 * than a short one.
 */

// Characters per token of plain words, and bounds for text without small letters or spaces.
const charsPerTokenOfWords = 4.2;
const fewestCharsPerToken = 1.5;
const mostCharsPerToken = 4;
// Other scripts: Latin with marks, Cyrillic, Greek, Arabic (two bytes a character), and the rest (three).
const tokensPerNarrowChar = 0.55;
const tokensPerWideChar = 1;

// Overhead that a provider adds around each message and each part.
const tokensPerMessage = 4;
const tokensPerPart = 8;

// Providers scale images down to about this; other files count by their pages.
const tokensPerImage = 1_600;
const tokensPerFile = 2_000;
const base64CharsPerToken = 40;

// Samples per text, plus one per kilobyte, and characters per sample; the positions are deterministic.
const sampledPlaces = 6;
const sampledChars = 10;

// Native searches count characters at a fraction of the cost of a loop.
const notWords = /[^a-z ]+/g;
const beyondAscii = /[^\0-\x7f]/;
const eachBeyondAscii = /[^\0-\x7f]+/g;
const notNarrow = /[^\x80-\u07ff]+/g;

// Pure cache: the last estimated text. What a turn reads counts in its prompt, then in the history.
let lastText = '';
// Pure cache: its estimate.
let lastTokens = 0;

/** Estimates the tokens of a text, within about a factor of two, rather too high than too low. */
export function estimateTokens(text: string): number {
  if (text === lastText) return lastTokens;
  const { length } = text;
  if (length === 0) return 0;
  const places = sampledPlaces + (length >> 10);
  let sample = text;
  if (length > places * sampledChars) {
    const stride = Math.floor(length / places);
    sample = '';
    for (let start = 0; start < length; start += stride) sample += text.slice(start, start + sampledChars);
  }
  const seen = sample.length;
  const words = sample.replace(notWords, '').length;
  const isAscii = !beyondAscii.test(sample);
  const ascii = isAscii ? seen : sample.replace(eachBeyondAscii, '').length;
  const narrow = isAscii ? 0 : sample.replace(notNarrow, '').length;
  const charsPerToken = Math.min(mostCharsPerToken, Math.max(fewestCharsPerToken, (charsPerTokenOfWords * words) / (ascii || 1)));
  const tokens = ascii / charsPerToken + narrow * tokensPerNarrowChar + (seen - ascii - narrow) * tokensPerWideChar;
  lastText = text;
  lastTokens = Math.ceil((tokens * length) / seen);
  return lastTokens;
}

/** Estimates the tokens of a user's message or a tool's result; files count by their kind. */
export function contentTokens(content: Content): number {
  if (typeof content === 'string') return estimateTokens(content);
  let tokens = 0;
  for (const part of content) tokens += partTokens(part);
  return tokens;
}

/** Estimates the tokens of a stored message, with the overhead that a provider adds. */
export function messageTokens(message: PromptMessage): number {
  if (message.role === 'system') return tokensPerMessage + estimateTokens(message.content);
  let tokens = tokensPerMessage;
  for (const part of message.content) tokens += part.type === 'text' ? estimateTokens(part.text) : partTokens(part);
  return tokens;
}

function partTokens(part: ContentPart | ReasoningPart | ToolCallPart | ToolResultPart): number {
  switch (part.type) {
    case 'text':
    case 'reasoning':
      return estimateTokens(part.text);
    case 'file':
      return fileTokens(part);
    case 'tool-call':
      return tokensPerPart + estimateTokens(part.toolName) + estimateTokens(JSON.stringify(part.input));
    case 'tool-result': {
      const { value } = part.output;
      return tokensPerPart + (typeof value === 'string' ? estimateTokens(value) : contentTokens(value));
    }
  }
}

/** Estimates a file by its kind: a fixed number for an image, a number that grows with the size for other files. */
function fileTokens({ mediaType, data }: FilePart): number {
  if (mediaType.startsWith('image/')) return tokensPerImage;
  if (data.type === 'text') return estimateTokens(data.text);
  return data.type === 'url' ? tokensPerFile : Math.max(tokensPerFile, Math.ceil(data.data.length / base64CharsPerToken));
}
