import { styleText } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { board } from '../../src/inspect/board.ts';
import { conversation } from '../../src/inspect/conversation.ts';
import { formatBoard } from '../../src/inspect/format/format-board.ts';
import { formatConversation, formatOverview } from '../../src/inspect/format/format-overview.ts';
import { formatTimeline } from '../../src/inspect/format/format-timeline.ts';
import { formatTree } from '../../src/inspect/format/format-tree.ts';
import { formatTurnList } from '../../src/inspect/format/format-turn-list.ts';
import { formatTurn } from '../../src/inspect/format/turn/format-turn.ts';
import { cell, table } from '../../src/inspect/format/text/table.ts';
import { type FormatOptions, plainStyle, type TextStyle } from '../../src/inspect/format/text/text-style.ts';
import { textCharacters, textWidth } from '../../src/inspect/format/text/text-width.ts';
import { wrapLine, wrapLines } from '../../src/inspect/format/text/wrap-line.ts';
import { runOverview } from '../../src/inspect/run-overview.ts';
import { timeline } from '../../src/inspect/timeline/timeline.ts';
import { tree } from '../../src/inspect/tree.ts';
import { turnList } from '../../src/inspect/turn-list.ts';
import { toTurnRecord } from '../../src/inspect/turn/turn-record.ts';
import { turnId } from './journal-builder.ts';
import { finish, profiles, teamJournal } from './team-journal.ts';

const paint =
  (format: Parameters<typeof styleText>[0]) =>
  (text: string): string =>
    styleText(format, text, { validateStream: false });
const colours: TextStyle = {
  bold: paint('bold'),
  dim: paint('dim'),
  italic: paint('italic'),
  underline: paint('underline'),
  red: paint('red'),
  green: paint('green'),
  yellow: paint('yellow'),
  cyan: paint('cyan'),
};

/** What a model, a person or a journal of others may put into any name or sentence. */
const nasty = fc.string({
  unit: fc.oneof(
    fc.constantFrom('日本', '👨‍👩‍👧', '❤️', '🇩🇪', 'e\u0301\u0302\u0303', 'क्षि', '1️⃣', '한', 'ﾊ', '\u1112\u1161\u11ab'),
    fc.constantFrom('\u001b[31m', '\u202e', '\t', '\n', '\u0007', '│', ' ', '  ', '# ', '**', '`', '| a |', '- ', 'x'.repeat(90)),
    fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
  ),
  maxLength: 40,
});

/** Words of the engine, whose meaning a renderer goes by. */
const isOwn = new Set(['status', 'kind', 'type', 'turnType', 'phase', 'outcome', 'finishReason', 'strategy', 'role', 'where']);

/** A view in which every text of others is another one. */
function withNames<View>(view: View, name: string, key = ''): View {
  if (typeof view === 'string') return (isOwn.has(key) ? view : name) as View;
  if (Array.isArray(view)) return view.map((part: unknown) => withNames(part, name, key)) as View;
  if (typeof view !== 'object' || view === null) return view;
  return Object.fromEntries(Object.entries(view).map(([each, part]) => [each, withNames(part, name, each)])) as View;
}

const journal = finish(teamJournal());
const turn = journal.run.turns.get(turnId('Partner_1.t1'));
if (turn === undefined) throw new Error('the journal has no turn');
const views = {
  turns: turnList(journal.run),
  tree: tree(journal.run),
  board: board(journal.run),
  timeline: timeline(journal.run, { eventAt: journal.eventAt }),
  overview: runOverview(journal.run),
  conversation: conversation(journal.run),
  turn: toTurnRecord(journal.run, turn, journal.content, profiles),
};

function renderAll(shown: typeof views, options: FormatOptions): readonly string[] {
  return [
    formatTurnList(shown.turns, options),
    formatTree(shown.tree, options),
    formatBoard(shown.board, options),
    formatTimeline(shown.timeline, options),
    formatOverview(shown.overview, options),
    formatConversation(shown.conversation, options),
    formatTurn(shown.turn, { ...options, full: true }),
  ];
}

describe('F32: views in a terminal of any width', () => {
  it('F32: have no line longer than it, whatever the names, with styles and without', () => {
    fc.assert(
      fc.property(nasty, fc.integer({ min: 20, max: 300 }), fc.boolean(), fc.boolean(), (name, width, isStyled, markdown) => {
        const style = isStyled ? colours : plainStyle;
        for (const text of renderAll(withNames(views, name), { style, width, markdown }))
          for (const line of text.split('\n')) expect(textWidth(line), line).toBeLessThanOrEqual(width);
      }),
      { numRuns: 60 },
    );
  });

  it('F32: say the same as without a width where there is room, and as ever where none is known', () => {
    const [turns, , , , overview] = renderAll(views, { width: 2_000 });
    expect([turns, overview]).toEqual([formatTurnList(views.turns), formatOverview(views.overview)]);
    expect(formatTimeline(views.timeline)).toMatch(/\|[ =#?.-]{60}\|/);
    expect(formatTimeline(views.timeline, { width: 300 })).toMatch(/\|[ =#?.-]{160}\|/);
    expect(formatTimeline(views.timeline, { width: 30 })).toMatch(/^\|[ =#?.-]{28}\|$/m);
  });

  it('F32: draw the lines of the tree before the rest of a long line', () => {
    const lines = formatTree(views.tree, { width: 44 }).split('\n');
    expect(lines[0]).toMatch(/^Partner_1 /);
    expect(lines[1]).toMatch(/^[│ ] \S/);
  });

  it('F32: keep the end of a turn and of an agent that is cut, by which it is named', () => {
    const long = { ...views, turns: withNames(views.turns, `${'A'.repeat(40)}.t7`) };
    expect(formatTurnList(long.turns, { width: 100 }).split('\n')[1]).toMatch(/^…A+\.t7 /);
  });
});

describe('F32: a line that is wrapped', () => {
  it('F32: keeps every word and its styles, and ends them at the end of each line', () => {
    const line = `one ${colours.bold('two three four')} five`;
    expect(wrapLine(line, { width: 9, rest: '  ' })).toEqual([
      'one \u001b[1mtwo\u001b[22m',
      '  \u001b[1mthree\u001b[22m',
      '  \u001b[1mfour\u001b[22m',
      '  five',
    ]);
    expect(wrapLines('  a bc def\n\nd', 8)).toBe('  a bc\n    def\n\nd');
  });

  it('F32: loses nothing but blanks, and cuts no character in two', () => {
    fc.assert(
      fc.property(nasty, fc.integer({ min: 4, max: 60 }), (text, width) => {
        const line = text.replaceAll(/[\p{Cc}]/gu, '');
        const wrapped = wrapLine(line, { width });
        expect(wrapped.join('').replaceAll(' ', '')).toBe(line.replaceAll(' ', ''));
        for (const each of wrapped) expect(textWidth(each)).toBeLessThanOrEqual(width);
      }),
    );
    expect(wrapLine('👨‍👩‍👧👨‍👩‍👧日本', { width: 4 })).toEqual(['👨‍👩‍👧👨‍👩‍👧', '日本']);
  });

  it('F32: counts columns as terminals do', () => {
    const widths = ['日本', 'ﾊﾟ', '👨‍👩‍👧', '❤️', '🇩🇪', 'e\u0301', '한', '\u1112\u1161\u11ab', '1️⃣', '\u001b[1mab\u001b[22m'].map(
      textWidth,
    );
    expect(widths).toEqual([4, 2, 2, 2, 2, 1, 2, 2, 2, 2]);
  });
});

it('F32: a table with no room for its columns says each row in lines, with the titles of what they say', () => {
  const rows = [
    ['RUN', 'STATUS', 'TURNS', 'COST', 'TITLE'],
    ['run_1', 'idle', '3', 'cost unknown', 'A title of some words'],
  ];
  const lines = table(
    rows.map((row) => row.map((text) => cell(text))),
    { width: 24, least: { 4: 12 } },
  );
  expect(lines).toEqual(['run_1  idle', '  turns 3  cost unknown', '  A title of some words']);
});

describe('the width of a text', () => {
  /** A character that joins with none before it, and of which texts take the long way. */
  const slow = '日';
  const codes = Array.from({ length: 0xd800 }, (_, code) => String.fromCharCode(code)).filter((each) => each !== '\u001b');

  it('is that of its graphemes for each character, also of those that are measured at a glance', () => {
    expect(codes.filter((code) => textWidth(code) !== textWidth(`${code}${slow}`) - 2)).toEqual([]);
  });

  it('is that of its graphemes for characters side by side', () => {
    const near = codes.filter((code) => code < '\u0300' || (code >= '\u2000' && code < '\u2700'));
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...near), { maxLength: 6 }), (picked) => {
        const text = picked.join('');
        expect([...textCharacters(text), ...textCharacters(slow)]).toEqual([...textCharacters(`${text}${slow}`)]);
      }),
      { numRuns: 2_000 },
    );
  });
});
