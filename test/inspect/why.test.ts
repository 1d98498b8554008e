import { describe, expect, it } from 'vitest';
import { causeChain } from '../../src/inspect/why/cause-chain.ts';
import { why, type WhyAnswer, whyAt } from '../../src/inspect/why/why.ts';
import { parsePlace, type WhyPlace, writePlace } from '../../src/inspect/why/why-place.ts';
import type { JournalBuilder } from './journal-builder.ts';
import { finish, partnerFile, profiles, teamJournal } from './team-journal.ts';

function ask(journal: JournalBuilder, turn: string, text: string): readonly WhyAnswer[] {
  return why(journal.run, turn, text, { content: journal.content, profiles, eventAt: journal.eventAt });
}

function lineOf(text: string): number {
  return partnerFile.text.split('\n').findIndex((line) => line.includes(text)) + 1;
}

describe('why', () => {
  const journal = finish(teamJournal());

  it('leads from a line of a block scalar to that very line of its profile file', () => {
    for (const line of ['You are the Partner.', 'You never lie.']) {
      const [answer] = ask(journal, 'Partner_1.t1', line);
      expect(answer?.pieces).toMatchObject([
        {
          origin: {
            kind: 'segment',
            profile: 'Partner',
            segmentId: 'role',
            source: { file: partnerFile.path, line: lineOf(line) },
          },
        },
      ]);
    }
  });

  it('finds the line of a text that was interpolated', () => {
    const [answer] = ask(journal, 'Partner_1.t1', 'You serve A test.');
    expect(answer?.pieces[0]?.origin).toMatchObject({ kind: 'segment', source: { line: lineOf('{{ run.title }}') } });
  });

  it('finds the line of a text definition under its own key', () => {
    const [answer] = ask(journal, 'Partner_1.t1', 'Be brief.');
    expect(answer?.pieces[0]?.origin).toMatchObject({
      kind: 'segment',
      segmentId: 'manners',
      contentKey: 'manners',
      source: { line: lineOf('Be brief.') },
    });
  });

  it('counts lines when the files of the run are not at hand', () => {
    const [answer] = ask(finish(teamJournal([])), 'Partner_1.t1', 'You never lie.');
    expect(answer?.pieces[0]?.origin).toMatchObject({ source: { line: lineOf('You never lie.') } });
  });

  it('leads from the words of the user to the item and the event it came with', () => {
    const [answer] = ask(journal, 'Partner_1.t1', 'Compare A and B');
    expect(answer).toMatchObject({
      where: 'prompt',
      match: 'exact',
      pieces: [
        {
          role: 'user',
          origin: { kind: 'item', itemId: 'i1', itemSource: 'USER_PROMPT', postedBy: 'outside', turnId: 'Partner_1.t1' },
        },
      ],
    });
    expect(answer?.causes.map((step) => step.type)).toEqual(['inbox.add']);
  });

  it('leads from a tool result, through its call, back to the user', () => {
    const [answer] = ask(journal, 'Assoc_1.t2', 'faster than A');
    expect(answer?.pieces[0]?.origin).toMatchObject({
      kind: 'tool_result',
      call: { name: 'search', args: { q: 'B' }, turnId: 'Assoc_1.t1' },
    });
    expect(answer?.causes.map((step) => step.type)).toEqual([
      'inbox.add',
      'tool.end',
      'tool.start',
      'tool.request',
      'model.end',
      'turn.start',
      'inbox.add',
      'agent.start',
      'tool.request',
      'model.end',
      'turn.start',
      'inbox.add',
    ]);
    expect(answer?.causes.at(-1)?.text).toContain('USER_PROMPT');
  });

  it('names the agent and the call behind a briefing', () => {
    const [answer] = ask(journal, 'Assoc_1.t2', 'Your task');
    expect(answer?.pieces[0]?.origin).toMatchObject({
      kind: 'handover',
      fromAgentId: 'Partner_1',
      call: { callId: 'c1', name: 'dispatch', turnId: 'Partner_1.t1' },
    });
  });

  it('names the observer behind a note, and where it is declared', () => {
    const [answer] = ask(journal, 'Partner_1.t2', 'Check your facts.');
    expect(answer?.pieces[0]).toMatchObject({
      ephemeral: true,
      origin: { kind: 'item', postedBy: 'observer nag', observerId: 'nag', declaredAt: { line: 30 } },
    });
  });

  it('finds earlier replies and arguments in the prompt, and the turn they came from', () => {
    expect(ask(journal, 'Partner_1.t2', 'I will look')[0]?.pieces[0]?.origin).toEqual({
      kind: 'reply',
      turnId: 'Partner_1.t1',
      agentId: 'Partner_1',
    });
    expect(ask(journal, 'Partner_1.t2', '"module":"WM_1"')[0]?.pieces[0]?.origin).toMatchObject({
      kind: 'tool_call',
      call: { name: 'dispatch' },
    });
  });

  it("finds what the model said in the turn's own reply, its thoughts and its calls", () => {
    expect(ask(journal, 'Partner_1.t1', 'I will look').map((answer) => answer.where)).toEqual(['reply']);
    expect(ask(journal, 'Partner_1.t1', 'A plan first.').map((answer) => answer.where)).toEqual(['reasoning']);
    expect(ask(journal, 'Partner_1.t1', 'WM_1')).toMatchObject([
      { where: 'tool_call', causes: [{ type: 'model.end' }, { type: 'turn.start' }, { type: 'inbox.add' }] },
    ]);
  });

  it('explains a text that crosses spans piece by piece', () => {
    const [answer] = ask(journal, 'Partner_1.t1', '</role>\n\nBe kind.');
    expect(answer?.pieces.map((piece) => [piece.text, piece.origin.kind])).toEqual([
      ['</role>', 'segment'],
      ['\n\n', 'join'],
      ['Be kind.', 'segment'],
    ]);
  });

  it('falls back to finding without white space, then without case, and says so', () => {
    expect(ask(journal, 'Partner_1.t1', 'You are\n   the Partner.')[0]).toMatchObject({
      match: 'whitespace',
      text: 'You are the Partner.',
    });
    expect(ask(journal, 'Partner_1.t1', 'YOU ARE THE partner.')[0]).toMatchObject({ match: 'case', text: 'You are the Partner.' });
    expect(ask(journal, 'Partner_1.t1', 'nowhere to be found')).toEqual([]);
    expect(ask(journal, 'Partner_1.t1', '  \n')).toEqual([]);
  });

  it('answers for every place a text stands at, up to the limit', () => {
    expect(ask(journal, 'Partner_1.t1', 'You').length).toBe(3);
    expect(why(journal.run, 'Partner_1.t1', 'You', { content: journal.content, limit: 2 })).toHaveLength(2);
  });

  it('refuses a turn the run does not have, naming those it has', () => {
    expect(() => ask(journal, 'Partner_1.t9', 'x')).toThrow(/no turn 'Partner_1.t9'.*Partner_1.t2/u);
  });
});

describe('why at a place', () => {
  const journal = finish(teamJournal());
  const at = (turn: string, place: WhyPlace): WhyAnswer | undefined =>
    whyAt(journal.run, turn, place, { content: journal.content, profiles, eventAt: journal.eventAt });

  it('gives the answer that a search for the text there gives', () => {
    for (const [turn, text] of [
      ['Partner_1.t1', 'You never lie.'],
      ['Partner_1.t1', 'I will look'],
      ['Partner_1.t1', 'A plan first.'],
      ['Partner_1.t1', 'WM_1'],
      ['Assoc_1.t2', 'faster than A'],
    ] as const) {
      const [answer] = ask(journal, turn, text);
      const [start = 0, end = 0] = answer?.range ?? [];
      const place: WhyPlace = { where: answer?.where ?? 'prompt', start, end };
      expect(at(turn, place)).toEqual(answer);
      expect(parsePlace(writePlace(place))).toEqual(place);
    }
  });

  it('is none where nothing stands', () => {
    expect(at('Partner_1.t1', { where: 'prompt', start: 1_000_000, end: 1_000_001 })).toBeUndefined();
    expect(at('Partner_1.t1', { where: 'tool_call', call: 7, start: 0, end: 1 })).toBeUndefined();
    expect(() => at('Partner_1.t9', { where: 'prompt', start: 0, end: 1 })).toThrow(/no turn/u);
  });

  it('is written in a short form', () => {
    expect(parsePlace('12-15')).toEqual({ where: 'prompt', start: 12, end: 15 });
    expect(parsePlace('tool_call[2]:0-4')).toEqual({ where: 'tool_call', call: 2, start: 0, end: 4 });
    expect(parsePlace('reply:7')).toEqual({ where: 'reply', start: 7, end: 8 });
    for (const words of ['', 'x', 'reply:', '1-', '1-2-3', 'head:1-2', ' 1']) expect(parsePlace(words)).toBeUndefined();
  });
});

describe('a chain of causes', () => {
  it('ends when a cause does not lie before its effect', () => {
    const journal = teamJournal();
    const looped = { ...journal.events[1], cause: 2 } as (typeof journal.events)[number];
    expect(causeChain((seq) => (seq === 2 ? looped : journal.eventAt(seq)), 2)).toHaveLength(1);
  });
});
