import { describe, expect, it } from 'vitest';
import { foldEvents } from '../../src/core/fold/apply-event.ts';
import { turnsBegunIn } from '../../src/inspect/newest-turns.ts';
import { toTurnRow, turnList } from '../../src/inspect/turn-list.ts';
import { goldenEvents, goldenLogs } from '../support/golden-events.ts';

describe('the newest turns of a run, read without what came before', () => {
  it.each(goldenLogs)('%s: from any event on, they are the last lines of the whole list', (log) => {
    const events = goldenEvents(log);
    const state = foldEvents(events, 'everything');
    if (state === undefined) throw new Error('the log begins with no run.start');
    const whole = turnList(state);
    expect(whole.length).toBeGreaterThan(2);
    for (let from = 0; from < events.length; from += 1) {
      const rows = turnsBegunIn(events.slice(from)).map((turn) => toTurnRow(state, turn));
      expect(rows).toEqual(rows.length === 0 ? [] : whole.slice(-rows.length));
    }
  });
});
