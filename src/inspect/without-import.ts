import type { CadreEvent } from '../core/events/event.ts';

/** Takes off a run's start where it was imported from: a copy of it, in a bundle or a test, is a run of its own. */
export function withoutImport(event: CadreEvent): CadreEvent {
  if (event.type !== 'run.start' || event.imported === undefined) return event;
  const { imported: _imported, ...own } = event;
  return own;
}
