import type { WhyAnswer, WhyPiece } from './why.ts';

/**
 * Tells whether an answer that was found among the events of one turn is that of the whole run: nothing in it came from further back than
 * the prompt shows. Briefings are by calls of other agents; what stands for messages that are left out names the turns they were of.
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
