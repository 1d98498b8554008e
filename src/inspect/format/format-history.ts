import type { HistoryEvent } from '../history.ts';
import { Layout, safe } from './text/layout.ts';
import { styledStatus, type FormatOptions } from './text/text-style.ts';

/** Renders the history of an agent and of the agents it called, as numbered events; events of a call are indented. */
export function formatHistory(events: readonly HistoryEvent[], options: FormatOptions = {}): string {
  const out = new Layout(options);
  const { style } = out;
  if (events.length === 0) return out.line('Nothing has happened.').toString();
  for (const { number, type, agentId, depth, turnId, text, calls } of events) {
    const indent = depth * 4;
    out.line(`${style.bold(`## Event ${number} TYPE: ${safe(type)}`)}  ${style.dim(`${safe(agentId)} ${safe(turnId)}`)}`, indent);
    if (text !== '') out.block(text, indent);
    for (const { name, args, status, result } of calls) {
      out.field(`call ${safe(name)}`, JSON.stringify(args), indent);
      out.field(styledStatus(style, status), result ?? '', indent);
    }
  }
  return out.toString();
}
