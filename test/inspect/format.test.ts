import { stripVTControlCharacters, styleText } from 'node:util';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { tree } from '../../src/inspect/tree.ts';
import { board } from '../../src/inspect/board.ts';
import { conversation } from '../../src/inspect/conversation.ts';
import { diffTurns } from '../../src/inspect/turn/diff-turns.ts';
import { formatBoard } from '../../src/inspect/format/format-board.ts';
import { formatDiff } from '../../src/inspect/format/format-diff.ts';
import { formatConversation, formatOverview } from '../../src/inspect/format/format-overview.ts';
import { formatTimeline } from '../../src/inspect/format/format-timeline.ts';
import { formatTree } from '../../src/inspect/format/format-tree.ts';
import { formatTurnList } from '../../src/inspect/format/format-turn-list.ts';
import { formatTurn } from '../../src/inspect/format/turn/format-turn.ts';
import { formatWhy } from '../../src/inspect/format/format-why.ts';
import { toTerminalLine, toTerminalText } from '../../src/inspect/format/text/terminal-text.ts';
import { toVisibleText } from '../../web/kit/visible-text.ts';
import type { TextStyle } from '../../src/inspect/format/text/text-style.ts';
import { runOverview } from '../../src/inspect/run-overview.ts';
import { timeline } from '../../src/inspect/timeline/timeline.ts';
import { turnList } from '../../src/inspect/turn-list.ts';
import { toTurnRecord, type TurnRecord } from '../../src/inspect/turn/turn-record.ts';
import { why } from '../../src/inspect/why/why.ts';
import { agentId, input, JournalBuilder, turnId } from './journal-builder.ts';
import { finish, profiles, teamJournal } from './team-journal.ts';

const survivors = /(?![\n\u200C\u200D])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;
const colours: TextStyle = {
  bold: (text) => styleText('bold', text, { validateStream: false }),
  dim: (text) => styleText('dim', text, { validateStream: false }),
  italic: (text) => styleText('italic', text, { validateStream: false }),
  underline: (text) => styleText('underline', text, { validateStream: false }),
  red: (text) => styleText('red', text, { validateStream: false }),
  green: (text) => styleText('green', text, { validateStream: false }),
  yellow: (text) => styleText('yellow', text, { validateStream: false }),
  cyan: (text) => styleText('cyan', text, { validateStream: false }),
};

function recordOf(journal: JournalBuilder, id: string): TurnRecord {
  const turn = journal.run.turns.get(turnId(id));
  if (turn === undefined) throw new Error(`no turn ${id}`);
  return toTurnRecord(journal.run, turn, journal.content, profiles);
}

/** All views of a journal, rendered. */
function renderAll(journal: JournalBuilder, ids: readonly [string, string], style?: TextStyle): string {
  const options = style === undefined ? {} : { style };
  const [a, b] = ids.map((id) => recordOf(journal, id));
  if (a === undefined || b === undefined) throw new Error('two turns, please');
  const asked = why(journal.run, ids[1], a.prompt.text.slice(0, 5), {
    content: journal.content,
    profiles,
    eventAt: journal.eventAt,
  });
  return [
    formatTurnList(turnList(journal.run), options),
    formatTurn(a, options),
    formatTurn(b, { ...options, full: true }),
    formatWhy(asked, options),
    formatTree(tree(journal.run), options),
    formatBoard(board(journal.run), options),
    formatDiff(diffTurns(a, b), options),
    formatTimeline(timeline(journal.run, { eventAt: journal.eventAt }), options),
    formatOverview(runOverview(journal.run), options),
    formatConversation(conversation(journal.run), options),
  ].join('');
}

/** Characters of which nothing is seen, where two words would look the same and not be. */
const hidden = [
  0x2800, 0x1d159, 0x200c, 0x200d, 0x34f, 0x115f, 0x1160, 0x3164, 0xffa0, 0xfe00, 0xfe0f, 0xe0100, 0x180b, 0x17b4, 0x2060, 0xad,
].map((code) => String.fromCodePoint(code));

describe('toTerminalText', () => {
  it('lets no control, bidirectional or invisible character survive, whatever the text', () => {
    const nasty = fc.string({
      unit: fc.oneof(
        fc.constantFrom('\u001B', '\u0007', '\r', '\u009B', '\u202E', '\u2066', '\u{E0041}', '\uD800', '\t', '\n', '\u2028'),
        fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
      ),
    });
    fc.assert(
      fc.property(nasty, fc.nat({ max: 30 }), (text, maxLine) => {
        expect(toTerminalText(text, { maxLine })).not.toMatch(survivors);
        expect(toTerminalLine(text, maxLine)).not.toMatch(survivors);
        expect(toTerminalLine(text, maxLine)).not.toContain('\n');
      }),
    );
  });

  it('shows what it escapes', () => {
    expect(toTerminalText('\u001B[31mred\u202E\u{E0041}\tx\r\ny')).toBe('\\x1b[31mred\\u202e\\u{e0041}  x\ny');
    expect(toTerminalText('family 👨‍👩‍👧 stays')).toBe('family 👨‍👩‍👧 stays');
  });

  it('shows every character that hides between Latin letters, and leaves joiners and variants where they belong', () => {
    for (const text of hidden) {
      expect(toTerminalText(`pay${text}pal.com`), text.codePointAt(0)?.toString(16)).toMatch(/^pay\\(?:u|x)[0-9a-f{}]+pal\.com$/);
      expect(toVisibleText(`pay${text}pal.com`), text.codePointAt(0)?.toString(16)).toMatch(/^pay⟨[0-9A-F]+⟩pal\.com$/);
    }
    for (const text of ['👨‍👩‍👧', '❤️ and ❤️‍🔥', '1️⃣', '👍🏽', 'می‌خواهم', 'क्‍ष', '葛󠄀']) {
      expect(toTerminalText(text)).toBe(text);
      expect(toVisibleText(text)).toBe(text);
    }
  });

  it('cuts long lines and long texts with a marker that says how much is missing', () => {
    expect(toTerminalText('x'.repeat(5_000_000), { maxLine: 3 })).toBe('xxx… (+4,999,997 characters)');
    expect(toTerminalText('a\nb\nc\nd', { maxLines: 2 })).toBe('a\nb\n… (+2 lines)');
    expect(toTerminalText('ab😀', { maxLine: 3 })).toBe('ab… (+2 characters)');
    expect(toTerminalLine('a\n  b', 10)).toBe('a ⏎ b');
  });
});

describe('the renderers', () => {
  const journal = finish(teamJournal());

  it('show a turn with its inputs, segments, calls, rule trace and usage', () => {
    const text = formatTurn(recordOf(journal, 'Partner_1.t1'));
    expect(text).toContain('Turn Partner_1.t1  completed  agent turn');
    expect(text).toContain('1. USER_PROMPT  priority 7');
    expect(text).toContain('payload {"prompt":"Compare A and B"}');
    expect(text).toContain('ingestor generic_message (global strategy) → user text');
    expect(text).toContain('profiles/Partner.yaml:9');
    expect(text).toContain('nag  not fired  condition flags.n > 1, value false');
    expect(text).toContain('rule 1 (stop) false: flags.n = 1; rule 2 (go) matched');
    expect(text).toContain('1. dispatch  ok  5.0 s  call c1');
    expect(text).toContain('out WM_1 done: B wins.');
    expect(text).toContain('100 in, 10 out tokens, $0.00100, first token after 20 ms');
  });

  it('answer why in one glance', () => {
    const options = { content: journal.content, profiles, eventAt: journal.eventAt };
    expect(formatWhy(why(journal.run, 'Partner_1.t1', 'You never lie.', options))).toContain(
      "profiles/Partner.yaml:14, segment 'role'",
    );
    const handover = formatWhy(why(journal.run, 'Assoc_1.t2', 'find B', options));
    expect(handover).toContain('handover from Partner_1, by tool dispatch({"module":"WM_1"}), call c1, asked for in Partner_1.t1');
    const result = formatWhy(why(journal.run, 'Assoc_1.t2', 'B is faster', options));
    expect(result).toContain('result of tool search({"q":"B"})');
    expect(result).toContain('… 5 more steps');
    expect(result).toContain('USER_PROMPT reached Partner_1 from outside');
    expect(formatWhy([])).toContain('Not found');
  });

  it('show lists, tree, board and timeline', () => {
    const text = renderAll(journal, ['Partner_1.t1', 'Partner_1.t2']);
    expect(text).toContain('└─ Assoc_1  success');
    expect(text).toContain('pending_review (1)');
    expect(text).toMatch(/Partner_1 +\|[.=#\- ]{60}\| +2 +/u);
    expect(text).toContain('+ tool finish');
    expect(text).toContain('user → Partner_1');
  });

  it('add styles only when given some, and nothing but styles', () => {
    const plain = renderAll(journal, ['Partner_1.t1', 'Partner_1.t2']);
    expect(plain).not.toMatch(survivors);
    const styled = renderAll(journal, ['Partner_1.t1', 'Partner_1.t2'], colours);
    expect(styled).toMatch(survivors);
    expect(stripVTControlCharacters(styled)).toBe(plain);
  });

  it('pass every untrusted text through toTerminalText', () => {
    const evil = '\u001B]0;owned\u0007\u202Eevil\u009B2J\r\nline';
    const hostile = new JournalBuilder([], evil);
    hostile.agent(evil, evil, { moduleId: evil });
    hostile.item(evil, evil, evil, { [evil]: evil }, { observerId: evil });
    hostile.turn(evil, `${evil}1`, [input(evil, evil, evil, { ingestor: evil })], {
      segments: [{ id: evil, type: evil, text: evil }],
      tools: [evil],
      sources: [evil],
    });
    const call = { id: evil, name: evil, args: { [evil]: evil } };
    const at = { agentId: agentId(evil), turnId: turnId(`${evil}1`) };
    hostile.reply(evil, `${evil}1`, evil, [call], evil);
    hostile.add({
      type: 'turn.decide',
      ...at,
      observers: [{ id: evil, phase: 'post', fired: true, value: evil, error: { code: 'OBSERVER_FAILED', message: evil } }],
      rules: [
        { id: evil, matched: false, values: { [evil]: evil } },
        { id: evil, matched: false, error: { code: 'CONDITION_FAILED', message: evil } },
      ],
      action: { type: 'end_agent_turn', ruleId: evil, outcome: evil, error: evil, on: [evil], tools: [evil], toolChoice: evil },
    });
    hostile.add({
      type: 'state.update',
      scope: 'agent',
      agentId: agentId(evil),
      turnId: at.turnId,
      operation: 'set',
      path: `values.${evil}`,
      value: evil,
      by: evil,
    });
    hostile.call(evil, `${evil}1`, call, evil);
    hostile.end(evil, `${evil}1`);
    hostile.add({
      type: 'module.update',
      moduleId: evil,
      patch: {
        module_id: evil,
        name: evil,
        notes_from_principal: evil,
        depends_on: [evil],
        assignee_history: [{ dispatch_id: evil, agent_id: agentId(evil), started_at: 0, outcome: 'running' }],
      },
    });
    hostile.turn(evil, `${evil}2`, [input(`${evil}2`, evil, evil, { persistent: false })], {
      segments: [{ id: evil, text: `${evil}\nmore` }],
    });
    hostile.add({
      type: 'model.end',
      agentId: agentId(evil),
      turnId: turnId(`${evil}2`),
      error: { code: 'MODEL_REJECTED', message: evil },
      usage: {},
      attempts: [
        { config: evil, model: evil, startedAt: 0, ms: 1, error: { code: 'MODEL_REJECTED', message: evil }, partialText: evil },
      ],
    });
    hostile.add({
      type: 'turn.end',
      agentId: agentId(evil),
      turnId: turnId(`${evil}2`),
      status: 'error',
      error: { code: 'MODEL_REJECTED', message: evil },
    });
    hostile.add({
      type: 'agent.end',
      agentId: agentId(evil),
      outcome: evil,
      output: evil,
      deliverables: {},
      error: { code: 'INTERNAL', message: evil },
    });
    hostile.add({
      type: 'run.end',
      status: 'failed',
      outcome: evil,
      output: evil,
      deliverables: {},
      error: { code: 'INTERNAL', message: evil },
    });
    expect(renderAll(hostile, [`${evil}1`, `${evil}2`])).not.toMatch(survivors);
  });

  it('F61: show words that only a journal of others says, of statuses, outcomes and codes, as what they are', () => {
    const evil = '\u001B]0;owned\u0007\u001B[31m\u202Eevil\u009B2J\r\nline' as never;
    const foreign = finish(teamJournal());
    const { run } = foreign;
    foreign.turn('Partner_1', 'Partner_1.t9', []);
    const error = { code: evil, message: 'no' };
    foreign.add({ type: 'turn.end', agentId: agentId('Partner_1'), turnId: turnId('Partner_1.t9'), status: evil, error });
    foreign.add({ type: 'run.end', status: evil, outcome: 'x', output: '', deliverables: {}, error });
    const overview = formatOverview(runOverview(run));
    expect(overview).toContain('error    \\x1b]0;owned\\x07\\x1b[31m\\u202eevil\\x9b2J ⏎ line: no');
    expect(`${renderAll(foreign, ['Partner_1.t1', 'Partner_1.t9'])}${overview}`).not.toMatch(survivors);
    const { columns, ...view } = board(run);
    const withOutcome = columns.map((column) => ({
      ...column,
      cards: column.cards.map((card) => ({ ...card, attempts: card.attempts.map((attempt) => ({ ...attempt, outcome: evil })) })),
    }));
    const shown = formatBoard({ ...view, columns: withOutcome });
    expect(shown).toContain('\\x1b]0;owned');
    expect(shown).not.toMatch(survivors);
  });
});
