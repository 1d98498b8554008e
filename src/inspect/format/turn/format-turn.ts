import type { EscalationView, TurnRecord } from '../../turn/turn-record.ts';
import { Layout, safe } from '../text/layout.ts';
import { costText, countText, spanText, timeText, tokensText, durationText, shareText } from '../text/quantity-text.ts';
import { grouped } from '../text/terminal-text.ts';
import { styledStatus, type FormatOptions } from '../text/text-style.ts';
import { formatDecision, formatObservers, formatStateChanges } from './turn-judgement-sections.ts';
import type { ToolInteraction } from '../../turn/tool-interactions.ts';
import { estimateTokens } from '../../../core/prompt/token-estimate.ts';
import { contentText, type Content } from '../../../core/prompt/message.ts';
import type { SegmentView } from '../../turn/system-prompt.ts';
import type { TurnInputView } from '../../turn/turn-inputs.ts';
import { posterOf } from '../../../core/inbox/poster.ts';
import { placeText } from '../origin-text.ts';

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

/** Adds the attempts at the model call. */
function formatAttempts(out: Layout, turn: TurnRecord): void {
  if (turn.attempts.length === 0) return;
  out.heading(`Model: ${countText(turn.attempts.length, 'attempt')}`);
  turn.attempts.forEach((attempt, index) => {
    const first = attempt.firstTokenMs === undefined ? '' : `, first token after ${durationText(attempt.firstTokenMs)}`;
    const wait = attempt.waitMs === undefined ? '' : `, then waited ${durationText(attempt.waitMs)}`;
    const queued = attempt.queuedMs === undefined ? '' : `waited ${durationText(attempt.queuedMs)} for its turn, then `;
    const failed =
      attempt.error === undefined ? out.style.green('ok') : `${out.style.red(attempt.error.code)} ${safe(attempt.error.message)}`;
    out.line(
      `${index + 1}. ${safe(attempt.config)} (${safe(attempt.model)}), ${queued}${durationText(attempt.ms)}${first}: ${failed}${wait}`,
      2,
    );
    if (attempt.partialText !== undefined && attempt.partialText !== '') out.field('had arrived', attempt.partialText, 5);
  });
}

/** Adds the model's reasoning and reply. */
function formatReply(out: Layout, turn: TurnRecord): void {
  const { reply } = turn;
  if (turn.attempts.length === 0 && reply.finishReason === undefined) return;
  const model = reply.modelId === undefined ? '' : `, model ${safe(reply.modelId)}`;
  out.heading(reply.finishReason === undefined ? 'Reply: none' : `Reply (${reply.finishReason}${model})`);
  if (reply.reasoning !== '') out.line(out.style.dim('reasoning'), 2).block(reply.reasoning, 4);
  if (reply.text !== '') out.words(reply.text, 2);
  for (const file of reply.files) out.line(`file ${safe(file.filename ?? '')} ${safe(file.mediaType)}`, 2);
  if (reply.finishReason !== undefined && reply.text === '' && reply.toolCalls.length === 0) out.line(out.style.red('empty'), 2);
}

/** Adds the tool calls with what went in, what came out, and how long it took. */
function formatToolCalls(out: Layout, turn: TurnRecord): void {
  if (turn.toolInteractions.length === 0) return;
  out.heading(`Tool calls: ${turn.toolInteractions.length}`);
  turn.toolInteractions.forEach((call, index) => formatToolCall(out, turn, call, index));
}

function formatToolCall(out: Layout, turn: TurnRecord, call: ToolInteraction, index: number): void {
  const { style } = out;
  const provider = call.providerCallId === '' ? '' : `, provider id ${safe(call.providerCallId, 60)}`;
  const notes = [
    ...(call.approved
      ? [call.changedArgs === undefined ? 'approved by a person' : 'approved by a person with other arguments']
      : []),
    ...(call.repaired ? ['arguments repaired'] : []),
    ...(call.attempt > 1 ? [`attempt ${call.attempt}`] : []),
    ...(call.waitFor === undefined ? [] : [waitText(call)]),
  ];
  const time = call.ms === undefined ? 'not ended' : durationText(call.ms);
  out.line(
    `${index + 1}. ${style.bold(safe(call.name))}  ${styledStatus(style, call.status)}  ${time}  ${style.dim(`call ${safe(call.callId)}${provider}${notes.length === 0 ? '' : `, ${notes.join(', ')}`}`)}`,
    2,
  );
  const raw = turn.reply.toolCalls.find((candidate) => candidate.callId === call.callId)?.input;
  out.field('in ', call.args === null ? (raw ?? 'null') : JSON.stringify(call.args), 5);
  if (call.changedArgs !== undefined) out.field('ran with ', JSON.stringify(call.changedArgs), 5);
  for (const note of call.progress) out.line(style.dim(`${Math.round(note.fraction * 100)} % ${safe(note.note)}`), 5);
  if (call.content !== undefined) out.field('out', contentWithFiles(call.content), 5);
  if (call.full !== undefined) out.line(style.dim(`cut; the whole result is content ${safe(call.full)}`), 5);
  if (call.error !== undefined) out.line(`${style.red(call.error.code)} ${safe(call.error.message)}`, 5);
}

function waitText(call: ToolInteraction): string {
  switch (call.waitFor?.kind) {
    case 'agents':
      return `waits for ${call.waitFor.agentIds.map((id) => safe(id)).join(', ')}`;
    case 'question':
      return `waits for an answer to: ${safe(call.waitFor.prompt)}`;
    case 'approval':
      return `waits for approval (gate ${safe(call.waitFor.gateId)})`;
    case undefined:
      return '';
  }
}

/** Adds the turn's inputs in reading order: the raw payload, then the ingested content. */
function formatInputs(out: Layout, turn: TurnRecord): void {
  out.heading(`Inbox: ${countText(turn.inputs.length, 'item')} read`);
  turn.inputs.forEach((input, index) => formatInput(out, input, index));
}

function formatInput(out: Layout, input: TurnInputView, index: number): void {
  const { style } = out;
  const notes = [
    `priority ${input.priority}`,
    `item ${safe(input.itemId)}`,
    input.callId === undefined ? `from ${safe(posterOf(input))}` : `answers call ${safe(input.callId)}`,
    input.persistent ? 'kept in memory' : 'this turn only',
    ...(input.mode === 'prepend_to_role' ? ['put before the last message'] : []),
    ...(input.untrusted === true ? ['untrusted'] : []),
    ...(input.cleaned === undefined ? [] : [`${countText(input.cleaned, 'invisible character')} taken out`]),
    ...(input.kept === true ? ['stays in the inbox'] : []),
  ];
  out.line(`${index + 1}. ${style.cyan(safe(input.source))}  ${style.dim(notes.join(', '))}`, 2);
  out.field('payload', JSON.stringify(input.payload), 5);
  const text = contentWithFiles(input.content);
  const ingestor = `ingestor ${safe(input.ingestor)} (${input.strategy} strategy) → ${input.role} text`;
  if (text === '') out.line(`${style.dim(ingestor)} nothing`, 5);
  else out.line(style.dim(ingestor), 5).block(text, 7);
}

/** Renders content as text, with a line for each file. */
function contentWithFiles(content: Content): string {
  if (typeof content === 'string') return content;
  const files = content.flatMap((part) => (part.type === 'file' ? [`[file ${part.filename ?? ''} ${part.mediaType}]`] : []));
  return [contentText(content), ...files].filter((text) => text !== '').join('\n');
}

/** Adds the system prompt by segment, with conditions and token shares. */
function formatSystemPrompt(out: Layout, turn: TurnRecord): void {
  const { segments } = turn.systemPrompt;
  if (segments.length === 0) return;
  const tokens = segments.reduce((sum, segment) => sum + segment.tokens, 0);
  out.heading(`System prompt: ${countText(segments.length, 'segment')}, about ${countText(tokens, 'token')}`);
  for (const segment of segments) formatSegment(out, segment);
  out.line(
    `${out.style.dim('tools offered:')} ${turn.tools.length === 0 ? 'none' : turn.tools.map((name) => safe(name, 60)).join(', ')}${turn.toolChoice === undefined ? '' : `; choice: ${safe(turn.toolChoice)}`}`,
    2,
  );
}

function formatSegment(out: Layout, segment: SegmentView): void {
  const { style } = out;
  const size = segment.text === '' ? 'nothing' : `${shareText(segment.share)}, about ${countText(segment.tokens, 'token')}`;
  const place = segment.source === undefined ? '' : `, ${placeText(segment.source)}`;
  const condition =
    segment.condition === undefined ? '' : `, condition ${safe(segment.condition)} ${segment.conditionMet ? 'met' : 'not met'}`;
  out.line(
    `${style.cyan(safe(segment.id))}  ${style.dim(`${safe(segment.type)}, order ${segment.order}, ${size}${condition}${place}`)}`,
    2,
  );
  if (segment.error !== undefined) out.line(`${style.red('failed:')} ${safe(segment.error.message)}`, 4);
  if (segment.missing === true) out.line(style.red('its text is not in the content store'), 4);
  if (segment.text !== '') out.block(segment.text, 4);
}

/** Adds the composition of the rest of the prompt, without texts that other sections or turns show. */
function formatPrompt(out: Layout, turn: TurnRecord): void {
  const { spans, text } = turn.prompt;
  if (spans.length === 0) return;
  const messages = new Set(spans.map((span) => span.messageIndex)).size;
  out.heading(`Prompt: ${countText(messages, 'message')}, about ${countText(estimateTokens(text), 'token')}`);
  const sums = new Map<string, { count: number; tokens: number }>();
  for (const span of spans) {
    if (span.source === 'join') continue;
    const name = span.ephemeral === true ? 'item, this turn only' : span.source.replace('_', ' ');
    const sum = sums.get(name) ?? { count: 0, tokens: 0 };
    sums.set(name, { count: sum.count + 1, tokens: sum.tokens + span.tokens });
  }
  for (const [name, sum] of sums) out.line(`${sum.count} × ${name}, about ${countText(sum.tokens, 'token')}`, 2);
  const { sources, untrusted } = turn.sources;
  out.line(`${out.style.dim('from:')} ${sources.map((name) => safe(name, 60)).join(', ')}`, 2);
  if (untrusted.length > 0) out.line(`${out.style.yellow('untrusted:')} ${untrusted.map((name) => safe(name, 60)).join(', ')}`, 2);
}
