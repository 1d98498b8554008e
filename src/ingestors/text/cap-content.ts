import { leaveOut } from '../../core/untrusted/keep-frames.ts';
import type { Content, ContentPart } from '../../core/prompt/message.ts';

/** Longest text one ingestor may put into a prompt, in characters. */
export const maxIngestedChars = 512 * 1024;

/** Content with its text kept within the cap: head and tail around a marker that says how much is missing. */
export function capContent(content: Content, max: number = maxIngestedChars): Content {
  if (typeof content === 'string') return capText(content, max);
  let room = max;
  return content.map((part): ContentPart => {
    if (part.type !== 'text') return part;
    const text = capText(part.text, Math.max(0, room));
    room -= text.length;
    return text === part.text ? part : { ...part, text };
  });
}

/** A text kept within `max` characters, about; never splits a character. */
function capText(text: string, max: number): string {
  if (text.length <= max) return text;
  const headEnd = Math.ceil(max * 0.7);
  const tailStart = text.length - Math.floor(max * 0.3);
  const { head, tail } = leaveOut(text, headEnd, tailStart);
  const cut = tailStart - headEnd;
  return `${head}\n… [${cut} characters cut] …\n${tail}`.toWellFormed();
}

/** The start of a text on one line, for summaries. */
export function clipLine(text: string, max: number): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length <= max ? line : `${leaveOut(line, max, line.length).head}…`.toWellFormed();
}
