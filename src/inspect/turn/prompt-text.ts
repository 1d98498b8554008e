import type { ContentPart, PromptMessage, PromptPart, ToolResultPart } from '../../core/prompt/message.ts';

/**
 * Returns the text of a prompt for display, search and measurement (I10): all parts of all messages in order, without separators. A
 * text or reasoning part gives its text, a tool call the JSON text of its input, a tool result its output text, a file nothing.
 */
export function promptText(messages: readonly PromptMessage[]): string {
  return messages.map(messageText).join('');
}

/** Returns the text of one message, as in `promptText`. */
function messageText(message: PromptMessage): string {
  return message.role === 'system' ? message.content : message.content.map(partText).join('');
}

/** Returns the text of one part, as in `promptText`. */
export function partText(part: PromptPart): string {
  switch (part.type) {
    case 'text':
    case 'reasoning':
      return part.text;
    case 'file':
      return '';
    case 'tool-call':
      return JSON.stringify(part.input);
    case 'tool-result':
      return resultParts(part).map(partText).join('');
  }
}

/** The output of a tool result as content parts. */
export function resultParts(part: ToolResultPart): readonly ContentPart[] {
  return part.output.type === 'content' ? part.output.value : [{ type: 'text', text: part.output.value }];
}
