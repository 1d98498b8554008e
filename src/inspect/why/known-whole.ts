import type { WhyAnswer, WhyPiece } from './why.ts';

/**
 * True when an answer found among the events of one turn holds for the whole run, because no part comes from before the prompt.
 * Briefings and texts that replace messages do not qualify, since they refer to earlier calls and turns.
 */
export function isKnownWhole({ pieces }: WhyAnswer): boolean {
  return pieces.every(({ origin }) => isHere(origin));
}

function isHere(origin: WhyPiece['origin']): boolean {
  switch (origin.kind) {
    case 'handover':
    case 'summary':
    case 'left_out':
    case 'unknown':
      return false;
    case 'tool_call':
      return origin.call !== undefined;
    case 'tool_result':
      return origin.call !== undefined && origin.item !== undefined;
    case 'segment':
    case 'item':
    case 'reply':
    case 'reasoning':
    case 'tool_protocol':
    case 'join':
      return true;
  }
}
