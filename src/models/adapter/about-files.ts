import type { PromptMessage } from '../../core/prompt/message.ts';
import type { ModelFailure } from '../attempts/model-failure.ts';

const fileWords = /image|picture|media.?type|mime|\bfile|document|\bpdf\b|attachment|multi.?modal|vision|audio|video|base64/i;

/** True when a provider seems to have refused a request because of a file in it. */
export function isAboutFiles({ code, message, details }: ModelFailure, messages: readonly PromptMessage[]): boolean {
  if (code !== 'MODEL_REJECTED') return false;
  const status = details?.['statusCode'];
  if (status !== undefined && status !== 400 && status !== 415 && status !== 422) return false;
  return fileWords.test(`${message} ${String(details?.['response'] ?? '')}`) && messages.some(hasFile);
}

function hasFile(message: PromptMessage): boolean {
  if (message.role === 'system') return false;
  return message.content.some(
    (part) =>
      part.type === 'file' ||
      (part.type === 'tool-result' && part.output.type === 'content' && part.output.value.some((item) => item.type === 'file')),
  );
}
