import type { CadreEvent } from '../core/events/event.ts';

/**
 * Removes the seed of the run's frames, so that the event may leave the process: the seed allows forging the end of a frame. Views
 * do not need it, since stored texts contain their frames.
 */
export function withoutSeed(event: CadreEvent): CadreEvent {
  if ((event.type !== 'run.start' && event.type !== 'run.resume') || event.frameSeed === undefined) return event;
  const { frameSeed: _, ...shown } = event;
  return shown;
}
