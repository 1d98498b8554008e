import type { SourceRef } from '../../core/profile/source-ref.ts';
import type { CallRef, ItemRefView, TextOrigin } from '../why/text-origin.ts';
import { safe } from './text/layout.ts';

/** A place in a file as `file:line`. */
export function placeText(source: SourceRef): string {
  return `${safe(source.file)}:${source.line}`;
}

/** Describes the origin of a text in one safe line. */
export function originText(origin: TextOrigin): string {
  switch (origin.kind) {
    case 'segment':
      return segmentText(origin);
    case 'item':
      return `inbox item ${itemText(origin)}`;
    case 'handover': {
      const by = origin.fromAgentId === undefined ? '' : ` from ${safe(origin.fromAgentId)}`;
      const call = origin.call === undefined ? '' : `, by ${callText(origin.call)}`;
      return `handover${by}${call}; inbox item ${itemText(origin)}`;
    }
    case 'tool_result': {
      const edited = origin.item?.edits === undefined ? '' : '; edited by a person in this fork';
      const via = origin.item === undefined ? '' : `${edited}; through ingestor ${safe(origin.item.ingestor)}`;
      return `result of ${origin.call === undefined ? 'an unknown tool call' : callText(origin.call)}${via}`;
    }
    case 'tool_call':
      return origin.call === undefined ? 'arguments of a tool call' : `arguments of ${callText(origin.call)}`;
    case 'reply':
    case 'reasoning':
      return `${origin.kind} of ${safe(origin.agentId)} in turn ${safe(origin.turnId)}`;
    case 'summary': {
      const by = origin.llmConfig === undefined ? '' : ` by ${safe(origin.llmConfig)}`;
      const earlier = origin.coversEarlier === true ? ' and of the summary before them' : '';
      return `summary ${safe(origin.compactionId ?? '')}${by}, replaces messages ${rangeText(origin)} of ${safe(origin.agentId)}${earlier}`;
    }
    case 'left_out':
      return `note that replaces messages ${rangeText(origin)} of ${safe(origin.agentId)}, which are left out`;
    case 'tool_protocol':
      return `the offered tools and how to call them: tool_protocol ${safe(origin.protocol)} of LLM config ${safe(origin.config)}`;
    case 'join':
      return 'separator put in by the engine';
    case 'unknown':
      return `item ${safe(origin.ref)}, which this run does not know`;
  }
}

function rangeText(origin: Extract<TextOrigin, { readonly kind: 'summary' | 'left_out' }>): string {
  const turns = origin.turnIds.length === 0 ? '' : ` (turns ${origin.turnIds.map((turnId) => safe(turnId)).join(' to ')})`;
  return `${origin.from} to ${origin.to - 1}${turns}`;
}

/** A tool call in one safe line. */
export function callText(call: CallRef): string {
  return `tool ${safe(call.name)}(${safe(JSON.stringify(call.args) ?? 'null')}), call ${safe(call.callId)}, asked for in ${safe(call.turnId)}`;
}

function segmentText(origin: Extract<TextOrigin, { readonly kind: 'segment' }>): string {
  const place = origin.source === undefined ? '' : `${placeText(origin.source)}, `;
  const details = [
    origin.contentKey === undefined ? '' : `text definition ${safe(origin.contentKey)}`,
    origin.path === undefined ? '' : `value of ${safe(origin.path)}`,
    origin.ingestor === undefined ? '' : `ingestor ${safe(origin.ingestor)}`,
    origin.condition === undefined ? '' : `condition ${safe(origin.condition)}`,
  ].filter((detail) => detail !== '');
  return `${place}segment '${safe(origin.segmentId)}' (${[safe(origin.segmentType), ...details].join('; ')}) of profile ${safe(origin.profile)}`;
}

function itemText(item: ItemRefView): string {
  const declared = item.declaredAt === undefined ? '' : ` (${placeText(item.declaredAt)})`;
  const kept = item.persistent ? 'kept in memory' : 'this turn only';
  const edited = item.edits === undefined ? '' : `, edited by a person in this fork in place of ${safe(item.edits)}`;
  return `${safe(item.itemId)} (${safe(item.itemSource)}) posted by ${safe(item.postedBy)}${declared}${edited}, read in ${safe(item.turnId)} through ingestor ${safe(item.ingestor)} (${item.strategy} strategy, ${kept})`;
}
