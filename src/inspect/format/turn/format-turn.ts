import type { EscalationView, TurnRecord } from '../../turn/turn-record.ts';
import { Layout, safe } from '../text/layout.ts';
import { costText, countText, spanText, timeText, tokensText } from '../text/quantity-text.ts';
import { grouped } from '../text/terminal-text.ts';
import { styledStatus, type FormatOptions } from '../text/text-style.ts';
import { formatDecision, formatObservers, formatStateChanges } from './turn-judgement-sections.ts';
import { formatAttempts, formatReply, formatToolCalls } from './turn-model-sections.ts';
import { formatInputs, formatSystemPrompt, formatPrompt } from './turn-prompt-sections.ts';

/** Renders everything on the record about one turn, in the order it happened. */
export function formatTurn(turn: TurnRecord, options: FormatOptions = {}): string {
  const out = new Layout(options);
  formatHeader(out, turn);
  formatInputs(out, turn);
  formatObservers(out, turn, 'pre');
  formatSystemPrompt(out, turn);
  formatPrompt(out, turn);
  formatAttempts(out, turn);
  formatReply(out, turn);
  formatToolCalls(out, turn);
  formatObservers(out, turn, 'post');
  formatDecision(out, turn);
  formatStateChanges(out, turn);
  return out.toString();
}

function formatHeader(out: Layout, turn: TurnRecord): void {
  const { style } = out;
  const { agentInfo } = turn;
  const role = agentInfo.roleName === undefined ? '' : `, role ${safe(agentInfo.roleName)}`;
  const module = agentInfo.moduleId === undefined ? '' : `, module ${safe(agentInfo.moduleId)}`;
  const parent = agentInfo.parentAgentId === undefined ? '' : `, started by ${safe(agentInfo.parentAgentId)}`;
  out.line(
    `${style.bold(`Turn ${safe(turn.turnId)}`)}  ${styledStatus(style, turn.status)}  ${turn.turnType} turn  ${spanText(turn.startedAt, turn.endedAt)}`,
  );
  out.line(`${style.dim('agent')}    ${safe(turn.agentId)} (profile ${safe(turn.profile)}${role}${module}${parent})`);
  out.line(`${style.dim('started')}  ${timeText(turn.startedAt)}`);
  const sources = turn.sourceTurnIds.map((id) => safe(id)).join(', ');
  const call = turn.sourceToolCallId === undefined ? '' : `call ${safe(turn.sourceToolCallId)}`;
  const because = [sources, call].filter((part) => part !== '').join('; ');
  if (because !== '') out.line(`${style.dim('follows')}  ${because}`);
  out.line(`${style.dim('usage')}    ${usageText(turn)}`);
  if (turn.limit !== undefined)
    out.line(`${style.yellow('limit')}    ${turn.limit.stage === 1 ? 'near' : 'reached'}: ${safe(turn.limit.reason)}`);
  for (const rung of turn.escalations) out.line(`${style.yellow('rung')}     ${escalationText(rung)}`);
  if (turn.error !== undefined) out.line(`${style.red('error')}    ${safe(turn.error.code)}: ${safe(turn.error.message, 400)}`);
}

function escalationText({ rung, on, count, threshold, action, tools, llmConfig, prompt }: EscalationView): string {
  const more = [...(tools ?? []), llmConfig, prompt].filter((part) => part !== undefined).map((part) => safe(part));
  return `${safe(rung)}: ${action}${more.length === 0 ? '' : ` ${more.join(', ')}`} (${on} ${count}, from ${threshold} on)`;
}

function usageText(turn: TurnRecord): string {
  const { usage } = turn;
  const parts = [`${tokensText(usage.inputTokens ?? 0, usage.outputTokens ?? 0)} tokens`];
  if (usage.cacheReadTokens !== undefined) parts.push(`${usage.cacheReadTokens} from cache`);
  if (usage.reasoningTokens !== undefined) parts.push(`${usage.reasoningTokens} reasoning`);
  parts.push(costText(turn.cost));
  if (turn.reserve !== undefined) parts.push(`${grouped(turn.reserve.tokens)} tokens set aside`);
  if (turn.reserve?.output !== undefined) parts.push(`reply bound to ${grouped(turn.reserve.output)} tokens`);
  if (turn.firstTokenMs !== undefined) parts.push(`first token after ${Math.round(turn.firstTokenMs)} ms`);
  if (turn.attempts.length > 1) parts.push(countText(turn.attempts.length, 'attempt'));
  return parts.join(', ');
}
