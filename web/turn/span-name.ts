import type { PlacedCall } from '../../src/inspect/call-index.ts';
import type { TurnId } from '../../src/core/ids.ts';
import type { RunContext } from '../../src/core/state/run-context.ts';
import type { PromptSpan } from '../../src/inspect/turn/prompt-spans.ts';
import { safe } from '../kit/safe.ts';

/** Lookups for names of spans. */
export interface SpanNames {
  readonly run: RunContext;
  readonly calls: ReadonlyMap<string, PlacedCall>;
}

/** Returns a short description of a span's source. */
export function spanName({ run, calls }: SpanNames, span: PromptSpan): string {
  const tool = span.callId === undefined ? undefined : calls.get(span.callId)?.call.request.name;
  switch (span.source) {
    case 'segment':
      return safe(span.ref, 60);
    case 'head':
      return 'earlier content';
    case 'item':
      return safe(itemSource(run, span) ?? span.ref, 60);
    case 'tool_result':
      return `result of ${safe(tool ?? span.ref, 60)}`;
    case 'tool_call':
      return `call of ${safe(tool ?? span.ref, 60)}`;
    case 'reply':
    case 'reasoning':
      return `${span.source} of ${safe(span.turnId ?? span.ref, 60)}`;
    case 'join':
      return '';
  }
}

function itemSource(run: RunContext, { turnId, ref }: PromptSpan): string | undefined {
  const turn = turnId === undefined ? undefined : run.turns.get(turnId as TurnId);
  return turn?.start.inputs.find(({ itemId }) => itemId === ref)?.source;
}
