import type { CadreEvent } from '../core/events/event.ts';

/** Removes the mark of an import from a run's start, so that a copy of the run can be exported or continued. */
export function withoutImport(event: CadreEvent): CadreEvent {
  if (event.type !== 'run.start' || event.imported === undefined) return event;
  const { imported: _imported, ...own } = event;
  return own;
}
