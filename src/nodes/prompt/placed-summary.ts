import type { CompactionStart } from '../../core/events/context-events.ts';
import { cutLines, escapedEvents, eventType, isRequest } from '../../core/prompt/history-stream.ts';
import { contentText } from '../../core/prompt/message.ts';
import type { CompiledProfile } from '../../core/profile/profile.ts';
import type { SubContext } from '../../core/state/sub-context.ts';

/** Most requests that are quoted beside a summary, and most lines of each. */
const quotedRequests = 3;
const quotedLines = 20;

/** Returns a summary as it precedes a view: for a number of messages, or replacing its events. */
export function placedSummary(
  agent: SubContext,
  start: CompactionStart,
  summary: string,
  { contextPolicy }: CompiledProfile,
): string {
  if (contextPolicy.rendering === undefined)
    return `[The first ${start.to} messages of this conversation are left out here. This summary stands in their place:]\n\n${summary}`;
  const {
    history: { origins, released },
  } = agent;
  const first = start.separate === true ? (origins[start.from - released]?.event ?? 1) : 1;
  const last = origins[start.to - 1 - released]?.event ?? first;
  const asked = requestsIn(agent, start).map((request) => `${request}\n`);
  return `## Events ${first} to ${last} TYPE: SUMMARY\n${asked.join('')}CONTENT:\n${escapedEvents(summary)}`;
}

/** Returns the last requests among the summarised messages, verbatim. */
function requestsIn({ history: { messages, origins, released } }: SubContext, { from, to }: CompactionStart): readonly string[] {
  const found: string[] = [];
  for (let index = to - 1 - released; index >= Math.max(0, from - released) && found.length < quotedRequests; index--) {
    const message = messages[index];
    const origin = origins[index];
    if (message?.role !== 'user' || origin === undefined || !isRequest(origin)) continue;
    // Readers of records find the summariser's words behind the first line that says CONTENT alone.
    const text = escapedEvents(cutLines(contentText(message.content), quotedLines)).replace(/^CONTENT:$/gm, '\\CONTENT:');
    found.unshift(`${eventType(origin)} (event ${origin.event ?? 1}):\n${text}`);
  }
  return found;
}
