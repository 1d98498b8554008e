import type { CadreEvent } from '../core/events/event.ts';

/**
 * An event as it may leave the process: without the seed of the run's frames. Who knows the seed can write the end of a frame; views
 * need it for nothing, since frames stand in what was stored.
 */
export function withoutSeed(event: CadreEvent): CadreEvent {
  if ((event.type !== 'run.start' && event.type !== 'run.resume') || event.frameSeed === undefined) return event;
  const { frameSeed: _, ...shown } = event;
  return shown;
}
