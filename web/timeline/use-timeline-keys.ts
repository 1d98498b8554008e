import { useKeys } from '../kit/keys.ts';

/** Actions of the keys of a timeline, wherever the focus is. */
interface TimelineKeys {
  /** Focuses the turn that Tab would lead to; from there, arrows move between turns. */
  readonly enter: () => void;
  readonly zoomBy: (factor: number) => void;
  readonly showAll: () => void;
}

/** Binds the keys of a timeline while it is shown. */
export function useTimelineKeys({ enter, zoomBy, showAll }: TimelineKeys): void {
  useKeys([
    { keys: 'ArrowRight', does: 'next turn of the agent', run: enter },
    { keys: 'ArrowLeft', does: 'previous turn of the agent', run: enter },
    { keys: 'ArrowDown', does: 'turn of the agent below', run: enter },
    { keys: 'ArrowUp', does: 'turn of the agent above', run: enter },
    { keys: 'Home', does: 'first turn of the agent', run: enter },
    { keys: 'End', does: 'last turn of the agent', run: enter },
    { keys: 'Space', does: 'mark the turn' },
    { keys: '+', does: 'zoom in', run: () => zoomBy(1.6) },
    { keys: '=', does: 'zoom in', run: () => zoomBy(1.6) },
    { keys: '-', does: 'zoom out', run: () => zoomBy(1 / 1.6) },
    { keys: '0', does: 'show all of the run', run: showAll },
  ]);
}
