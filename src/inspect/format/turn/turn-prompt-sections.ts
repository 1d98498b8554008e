import { estimateTokens } from '../../../core/prompt/token-estimate.ts';
import { contentText, type Content } from '../../../core/prompt/message.ts';
import type { SegmentView } from '../../turn/system-prompt.ts';
import type { TurnInputView } from '../../turn/turn-inputs.ts';
import type { TurnRecord } from '../../turn/turn-record.ts';
import { posterOf } from '../../../core/inbox/poster.ts';
import { safe, type Layout } from '../text/layout.ts';
import { placeText } from '../origin-text.ts';
import { countText, shareText } from '../text/quantity-text.ts';

/** Adds the turn's inputs in reading order: the raw payload, then the ingested content. */
export function formatInputs(out: Layout, turn: TurnRecord): void {
  out.heading(`Inbox: ${countText(turn.inputs.length, 'item')} read`);
  turn.inputs.forEach((input, index) => formatInput(out, input, index));
}

function formatInput(out: Layout, input: TurnInputView, index: number): void {
  const { style } = out;
  const notes = [
    `priority ${input.priority}`,
    `item ${safe(input.itemId)}`,
    input.callId === undefined ? `from ${safe(posterOf(input))}` : `answers call ${safe(input.callId)}`,
    ...(input.edits === undefined
      ? []
      : [`edited by ${safe(input.by ?? 'a person')} in this fork, in place of ${safe(input.edits)}`]),
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
export function contentWithFiles(content: Content): string {
  if (typeof content === 'string') return content;
  const files = content.flatMap((part) => (part.type === 'file' ? [`[file ${part.filename ?? ''} ${part.mediaType}]`] : []));
  return [contentText(content), ...files].filter((text) => text !== '').join('\n');
}

/** Adds the system prompt by segment, with conditions and token shares. */
export function formatSystemPrompt(out: Layout, turn: TurnRecord): void {
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
export function formatPrompt(out: Layout, turn: TurnRecord): void {
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
