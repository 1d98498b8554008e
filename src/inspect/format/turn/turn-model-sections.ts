import { verdictText } from '../../verdict-text.ts';
import type { ToolInteraction } from '../../turn/tool-interactions.ts';
import type { TurnRecord } from '../../turn/turn-record.ts';
import { safe, type Layout } from '../text/layout.ts';
import { attemptUseText, countText, durationText } from '../text/quantity-text.ts';
import { styledStatus } from '../text/text-style.ts';
import { gateText } from './gate-text.ts';
import { contentWithFiles } from './turn-prompt-sections.ts';

/** Adds the attempts at the model call. */
export function formatAttempts(out: Layout, turn: TurnRecord): void {
  if (turn.attempts.length === 0) return;
  out.heading(`Model: ${countText(turn.attempts.length, 'attempt')}`);
  turn.attempts.forEach((attempt, index) => {
    const first = attempt.firstTokenMs === undefined ? '' : `, first token after ${durationText(attempt.firstTokenMs)}`;
    const wait = attempt.waitMs === undefined ? '' : `, then waited ${durationText(attempt.waitMs)}`;
    const queued = attempt.queuedMs === undefined ? '' : `waited ${durationText(attempt.queuedMs)} for its turn, then `;
    const failed =
      attempt.error === undefined ? out.style.green('ok') : `${out.style.red(attempt.error.code)} ${safe(attempt.error.message)}`;
    const use = attemptUseText(attempt);
    out.line(
      `${index + 1}. ${safe(attempt.config)} (${safe(attempt.model)}), ${queued}${durationText(attempt.ms)}${first}: ${failed}${wait}${use === '' ? '' : `; ${use}`}`,
      2,
    );
    if (attempt.partialText !== undefined && attempt.partialText !== '') out.field('had arrived', attempt.partialText, 5);
  });
}

/** Adds the model's reasoning and reply. */
export function formatReply(out: Layout, turn: TurnRecord): void {
  const { reply } = turn;
  if (reply.finishReason === undefined && (turn.attempts.length === 0 || turn.status === 'running')) return;
  const model = reply.modelId === undefined ? '' : `, model ${safe(reply.modelId)}`;
  out.heading(reply.finishReason === undefined ? 'Reply: none' : `Reply (${reply.finishReason}${model})`);
  if (reply.reasoning !== '') out.line(out.style.dim('reasoning'), 2).block(reply.reasoning, 4);
  if (reply.text !== '') out.words(reply.text, 2);
  for (const file of reply.files) out.line(`file ${safe(file.filename ?? '')} ${safe(file.mediaType)}`, 2);
  if (reply.finishReason !== undefined && reply.text === '' && reply.toolCalls.length === 0) out.line(out.style.red('empty'), 2);
}

/** Adds the tool calls with what went in, what came out, and how long it took. */
export function formatToolCalls(out: Layout, turn: TurnRecord): void {
  if (turn.toolInteractions.length === 0) return;
  out.heading(`Tool calls: ${turn.toolInteractions.length}`);
  turn.toolInteractions.forEach((call, index) => formatToolCall(out, turn, call, index));
}

function formatToolCall(out: Layout, turn: TurnRecord, call: ToolInteraction, index: number): void {
  const { style } = out;
  const provider = call.providerCallId === '' ? '' : `, provider id ${safe(call.providerCallId, 60)}`;
  const notes = [
    ...(call.verdict === undefined
      ? []
      : [`${safe(verdictText(call.verdict))}${call.changedArgs === undefined ? '' : ' with other arguments'}`]),
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
  for (const gate of call.gates) out.line(style.dim(gateText(gate)), 5);
  for (const note of call.progress) out.line(style.dim(`${Math.round(note.fraction * 100)} % ${safe(note.note)}`), 5);
  if (call.content !== undefined) out.field('out', contentWithFiles(call.content), 5);
  if (call.full !== undefined) out.line(style.dim(`cut; the whole result is content ${safe(call.full)}`), 5);
  if (call.isRunning) out.line(style.yellow('its tool had not ended, and has not reported since'), 5);
  if (call.late !== undefined)
    out.field(`late ${styledStatus(style, call.late.status)} `, call.late.error?.message ?? contentWithFiles(call.late.content), 5);
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
