import { cutMiddle } from '../../core/cut-middle.ts';
import type { Content } from '../../core/prompt/message.ts';
import type { ContextPolicy } from '../../core/profile/context-policy.ts';

/** The kinds of messages that have a length of their own. */
type Kind = 'tool_result' | 'user' | 'assistant';

const whatToDo: Readonly<Record<Kind, string>> = {
  tool_result: 'of this result left out here; call the tool again for a smaller part if you need it',
  user: 'of this message left out here; ask for the part you need',
  assistant: 'of your own words left out here',
};

/**
 * Cuts text to what a context policy allows for its kind: head and tail, with a marker that says how much is missing and
 * how to get it. It is cut once, before it becomes a message, so that prompts keep their beginning from turn to turn; the
 * whole stays in its item or reply, in the journal.
 */
export function truncate(content: Content, kind: Kind, policy: ContextPolicy): Content {
  const most = policy.truncate[kind];
  if (most === undefined) return content;
  if (typeof content === 'string') return cut(content, most, kind);
  return content.every((part) => part.type !== 'text' || part.text.length <= most)
    ? content
    : content.map((part) => (part.type === 'text' ? { ...part, text: cut(part.text, most, kind) } : part));
}

/** Returns the part of a reply's text that history keeps; undefined when it keeps all of it. */
export function shownReply(text: string, policy: ContextPolicy): string | undefined {
  const most = policy.truncate['assistant'];
  if (most === undefined || text.length <= most) return undefined;
  const shown = cut(text, most, 'assistant');
  return shown === text ? undefined : shown;
}

function cut(text: string, most: number, kind: Kind): string {
  return cutMiddle(text, most, (characters) => `\n… [${characters} characters ${whatToDo[kind]}] …\n`);
}
