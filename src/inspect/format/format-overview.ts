import { callNames } from '../../core/events/call-names.ts';
import type { ConversationEntry } from '../conversation.ts';
import type { RunOverview } from '../run-overview.ts';
import { statusWord } from '../run-words.ts';
import { Layout, safe } from './text/layout.ts';
import { costText, countText, durationText, shareText, timeText, tokensText } from './text/quantity-text.ts';
import { grouped } from './text/terminal-text.ts';
import { styledStatus, type FormatOptions } from './text/text-style.ts';

/** Renders an overview of a run. */
export function formatOverview(view: RunOverview, options: FormatOptions = {}): string {
  const out = new Layout(options);
  const { style } = out;
  const outcome =
    view.outcome === undefined ? '' : ` (${safe(view.outcome)}${view.endedBy === undefined ? '' : ` by ${safe(view.endedBy)}`})`;
  out.line(
    `${style.bold(`Run ${safe(view.runId)}`)}  ${styledStatus(style, statusWord({ status: view.status, pending: view.pending.length, isImported: view.imported !== undefined }))}${outcome}  ${safe(view.title)}`,
  );
  out.line(
    `${style.dim('started')}  ${timeText(view.createdAt)}${view.by === undefined ? '' : ` by ${safe(view.by)}`}, ${durationText(view.updatedAt - view.createdAt)} to its last event`,
  );
  if (view.imported !== undefined)
    out.line(
      `${style.dim('imported')} ${timeText(view.imported.at)}, from ${safe(view.imported.from, 200)}: to be looked at, it never goes on`,
    );
  if (view.resumes > 0)
    out.line(
      `${style.dim('resumed')}  ${countText(view.resumes, 'time')}; it waited or lay still for ${durationText(view.pausedMs)}`,
    );
  out.line(
    `${style.dim('team')}     ${countText(view.agents.total, 'agent')}, ${countText(view.turns, 'turn')}, ${countText(view.toolCalls, 'tool call')}`,
  );
  out.line(
    `${style.dim('usage')}    ${tokensText(view.inputTokens, view.outputTokens)} tokens, ${costText(view.cost, view.costAtLeast)}`,
  );
  out.line(`${style.dim('limits')}   ${limitsText(view)}`);
  const modules = Object.entries(view.modules).filter(([, count]) => count > 0);
  if (modules.length > 0) out.line(`${style.dim('modules')}  ${modules.map(([status, count]) => `${count} ${status}`).join(', ')}`);
  if (view.error !== undefined) out.line(`${style.red('error')}    ${safe(view.error.code)}: ${safe(view.error.message, 400)}`);
  if (view.unknown.length > 0) out.line(`${style.yellow('unknown')}  may have happened: ${safe(callNames(view.unknown), 400)}`);
  if (view.running.length > 0) out.line(`${style.yellow('unknown')}  still running: ${safe(callNames(view.running), 400)}`);
  for (const { id, kind, agentId, tool, message } of view.pending)
    out.line(`${style.yellow(kind)}  ${safe(id)} of ${safe(agentId)}: ${safe(message ?? `approve ${tool}?`)}`);
  return out.toString();
}

/** Renders the use of the run's limits. */
function limitsText({ limits, used, turns, toolCalls }: RunOverview): string {
  return [
    `${shareText(used.tokens / limits.maxTokens)} of ${grouped(limits.maxTokens)} tokens`,
    `${used.cost === null ? 'unknown' : shareText(used.cost / limits.maxCostUsd)} of $${limits.maxCostUsd}`,
    `${shareText(used.wallMs / limits.maxWallMs)} of ${durationText(limits.maxWallMs)}`,
    `${shareText(turns / limits.maxTurns)} of ${countText(limits.maxTurns, 'turn')}`,
    `${shareText(toolCalls / limits.maxToolCalls)} of ${countText(limits.maxToolCalls, 'tool call')}`,
  ].join(', ');
}

/** Renders the conversation with the user. */
export function formatConversation(entries: readonly ConversationEntry[], options: FormatOptions = {}): string {
  const out = new Layout(options);
  if (entries.length === 0) return out.line('Nothing was said.').toString();
  entries.forEach((entry, index) => {
    if (index > 0) out.line();
    out.line(out.style.bold(speaker(entry))).words(entry.text, 2);
  });
  return out.toString();
}

function speaker(entry: ConversationEntry): string {
  switch (entry.kind) {
    case 'user':
      return `${safe(entry.by ?? 'user')} → ${safe(entry.to)}${entry.turnId === undefined ? ' (not read yet)' : ''}`;
    case 'agent':
      return `${safe(entry.from)} (${safe(entry.turnId)})`;
    case 'output':
      return 'output';
  }
}
