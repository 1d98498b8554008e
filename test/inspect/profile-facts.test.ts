import { describe, expect, it } from 'vitest';
import { fromPlainFacts, type PlainProfileFacts, toPlainFacts } from '../../src/inspect/turn/profile-facts.ts';
import { toTurnRecord } from '../../src/inspect/turn/turn-record.ts';
import { why } from '../../src/inspect/why/why.ts';
import { finish, profiles, teamJournal } from './team-journal.ts';

describe('profile facts', () => {
  const journal = finish(teamJournal());
  const facts = new Map(
    [...profiles].map(([name, profile]) => {
      const sent = JSON.parse(JSON.stringify(toPlainFacts(profile))) as PlainProfileFacts;
      return [name, fromPlainFacts(sent)];
    }),
  );

  it('give the same turn records as the compiled profiles they came from', () => {
    for (const turn of journal.run.turns.values()) {
      const expected = toTurnRecord(journal.run, turn, journal.content, profiles);
      expect({ ...toTurnRecord(journal.run, turn, journal.content, facts) }).toEqual({ ...expected });
    }
  });

  it('lead from a text to the same line', () => {
    const options = { content: journal.content, eventAt: journal.eventAt };
    for (const text of ['You never lie.', 'You serve A test.', 'Be brief.', 'Compare A and B']) {
      const expected = why(journal.run, 'Partner_1.t1', text, { ...options, profiles });
      expect(expected).not.toEqual([]);
      expect(why(journal.run, 'Partner_1.t1', text, { ...options, profiles: facts })).toEqual(expected);
    }
  });
});
