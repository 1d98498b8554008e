import * as fc from 'fast-check';
import { someCapability } from '../support/some-capability.ts';
import { describe, expect, it } from 'vitest';
import { tree } from '../../src/inspect/tree.ts';
import type { Patch } from '../../src/core/patches/patch.ts';
import { align } from '../../src/inspect/turn/align.ts';
import { board } from '../../src/inspect/board.ts';
import { conversation } from '../../src/inspect/conversation.ts';
import { diffTurns } from '../../src/inspect/turn/diff-turns.ts';
import { formatDiff } from '../../src/inspect/format/format-diff.ts';
import { runOverview } from '../../src/inspect/run-overview.ts';
import { timeline } from '../../src/inspect/timeline/timeline.ts';
import { toTurnRecord, type TurnRecord } from '../../src/inspect/turn/turn-record.ts';
import { turnNeighbours } from '../../src/inspect/turn/turn-neighbours.ts';
import { agentId, callId, type JournalBuilder, turnId } from './journal-builder.ts';
import { finish, teamJournal } from './team-journal.ts';

function recordOf(journal: JournalBuilder, id: string): TurnRecord {
  const turn = journal.run.turns.get(turnId(id));
  if (turn === undefined) throw new Error(`no turn ${id}`);
  return toTurnRecord(journal.run, turn, journal.content);
}

describe('the turns around a turn', () => {
  it('[A1.13.flow-view] [B.80] are those before and after it of its agent and of the run, and those it led to', () => {
    const { run } = finish(teamJournal());
    expect(turnNeighbours(run, 'Partner_1.t1')).toEqual({
      ofAgent: { next: 'Partner_1.t2', place: 1, count: 2 },
      ofRun: { next: 'Assoc_1.t1', place: 1, count: 4 },
      led: ['Assoc_1.t1', 'Partner_1.t2'],
    });
    expect(turnNeighbours(run, 'Assoc_1.t2')).toMatchObject({ ofAgent: { previous: 'Assoc_1.t1' }, ofRun: { place: 3 } });
    expect(turnNeighbours(run, 'nobody.t1').ofRun).toEqual({ place: 0, count: 4 });
  });
});

describe('the timeline', () => {
  it('[A1.13.timeline-view] [B.80] has a lane per agent, a bar per turn with its parts, and links to what brought turns about', () => {
    const journal = finish(teamJournal());
    const view = timeline(journal.run, { eventAt: journal.eventAt, breakMs: 1000 });
    expect(view.lanes.map((lane) => [lane.agentId, lane.bars.map((bar) => bar.turnId)])).toEqual([
      ['Partner_1', ['Partner_1.t1', 'Partner_1.t2']],
      ['Assoc_1', ['Assoc_1.t1', 'Assoc_1.t2']],
    ]);
    const [bar] = view.lanes[0]?.bars ?? [];
    expect(bar?.parts.map((part) => [part.kind, part.to === undefined ? undefined : part.to - part.from])).toEqual([
      ['wait', 500],
      ['prep', 900],
      ['exec', 0],
      ['post', 0],
      ['tools', 420],
    ]);
    expect(view.links).toContainEqual({ kind: 'turn', from: 'Partner_1.t1', to: 'Assoc_1.t1' });
    expect(view.breaks).toEqual([{ from: bar?.to, to: view.lanes[0]?.bars[1]?.from }]);
  });

  it('leaves open what has not ended', () => {
    const view = timeline(teamJournal().run);
    expect(view.lanes[0]?.bars[0]).toMatchObject({
      status: 'running',
      to: undefined,
      calls: [{ name: 'dispatch', to: undefined }],
    });
    expect(view.live).toBe(true);
    expect(view.breaks).toEqual([]);
  });
});

describe('the tree of agents', () => {
  it('hangs each agent below the one that started it, with status and usage', () => {
    expect(tree(teamJournal().run)).toMatchObject([
      {
        agentId: 'Partner_1',
        status: 'awaiting_tools',
        turns: 1,
        inputTokens: 100,
        contextTokens: 100,
        openCalls: [{ name: 'dispatch' }],
        children: [
          { agentId: 'Assoc_1', moduleId: 'WM_1', status: 'ended', outcome: 'success', turns: 2, inputTokens: 200, children: [] },
        ],
      },
    ]);
  });
});

describe('the board', () => {
  it('[A1.13.kanban-view] [B.80] shows modules by status with their attempts and who works on them', () => {
    const ongoing = board(teamJournal().run).columns.find((column) => column.status === 'ongoing');
    expect(ongoing?.cards).toMatchObject([
      {
        moduleId: 'WM_1',
        isRework: false,
        assignee: { agentId: 'Assoc_1' },
        attempts: [{ profile: 'Associate', roleName: 'Searcher', outcome: 'running' }],
      },
    ]);
  });

  it('marks a module that was worked on and is to be worked on again', () => {
    const journal = finish(teamJournal());
    expect(board(journal.run).columns[2]?.cards).toMatchObject([{ moduleId: 'WM_1', isRework: false, assignee: undefined }]);
    journal.add({ type: 'module.update', moduleId: 'WM_1', patch: { status: 'pending' } });
    journal.add({ type: 'module.update', moduleId: 'WM_2', patch: { name: 'Later', depends_on: ['WM_1'] } });
    expect(board(journal.run).columns[0]?.cards).toMatchObject([
      { moduleId: 'WM_1', isRework: true, neededBy: ['WM_2'] },
      { moduleId: 'WM_2', isRework: false, blockedBy: ['WM_1'] },
    ]);
  });
});

describe('the diff of two turns', () => {
  it('shows what the later prompt has more, and how much of the beginning is the same', () => {
    const journal = finish(teamJournal());
    const before = recordOf(journal, 'Partner_1.t1');
    const diff = diffTurns(before, recordOf(journal, 'Partner_1.t2'));
    expect(diff.entries.filter((entry) => entry.kind === 'same').map((entry) => entry.span.source)).toEqual([
      'segment',
      'join',
      'segment',
      'item',
    ]);
    expect(diff.entries.filter((entry) => entry.kind === 'added').map((entry) => entry.span.source)).toEqual([
      'reasoning',
      'reply',
      'tool_call',
      'tool_result',
      'item',
    ]);
    expect(diff.sharedPrefix.characters).toBe(before.prompt.text.length);
    expect(diff.tools).toEqual({ added: ['finish'], removed: [] });
  });

  it('lists what both turns changed in the state, with the values before and the turn', () => {
    const journal = teamJournal();
    const path = ['values', 'found'];
    const change = (id: string, patches: readonly Patch[], inverse: readonly Patch[]): void => {
      journal.add({ type: 'state.patch', agentId: agentId('Assoc_1'), turnId: turnId(id), patches, inverse, by: 'counts' });
    };
    change('Assoc_1.t2', [{ op: 'add', path, value: 2 }], [{ op: 'remove', path }]);
    journal.turn('Assoc_1', 'Assoc_1.t3', []);
    change('Assoc_1.t3', [{ op: 'replace', path, value: 3 }], [{ op: 'replace', path, value: 2 }]);
    const diff = diffTurns(recordOf(journal, 'Assoc_1.t2'), recordOf(journal, 'Assoc_1.t3'));
    expect(diff.stateChanges).toMatchObject([
      { turnId: 'Assoc_1.t2', path: 'values.found', value: 2 },
      { turnId: 'Assoc_1.t3', path: 'values.found', before: 2, value: 3, by: 'counts' },
    ]);
    expect(formatDiff(diff)).toContain('values.found  – → 2 by counts in Assoc_1.t2');
    expect(formatDiff(diff)).toContain('values.found  2 → 3 by counts in Assoc_1.t3');
  });

  it('shows a segment that changed with its changed lines', () => {
    const journal = teamJournal();
    const changed = journal.turn('Assoc_1', 'Assoc_1.t3', [], { segments: [{ id: 'own', text: 'Search well.\nHurry.' }] });
    const diff = diffTurns(recordOf(journal, 'Assoc_1.t2'), recordOf(journal, changed.turnId));
    expect(diff.entries[0]).toMatchObject({
      kind: 'changed',
      lines: [
        { kind: 'same', text: 'Search well.' },
        { kind: 'added', text: 'Hurry.' },
      ],
    });
  });

  it('aligns any two lists so that both can be read off the steps', () => {
    const list = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 12 });
    fc.assert(
      fc.property(list, list, (a, b) => {
        const steps = align(a, b, (item) => item);
        expect(steps.flatMap((step) => (step.kind === 'added' ? [] : [step.a]))).toEqual(a);
        expect(steps.flatMap((step) => (step.kind === 'removed' ? [] : [step.b]))).toEqual(b);
        expect(align(a, a, (item) => item).every((step) => step.kind === 'same')).toBe(true);
      }),
    );
  });
});

describe('the overview of a run', () => {
  it('sums up agents, turns, tokens, modules and what waits for a person', () => {
    const journal = teamJournal();
    journal.add({
      type: 'tool.suspend',
      agentId: agentId('Partner_1'),
      turnId: turnId('Partner_1.t1'),
      callId: callId('c1'),
      on: { kind: 'approval', gateId: 'g1', capability: someCapability },
      memo: null,
    });
    expect(runOverview(journal.run)).toMatchObject({
      runId: 'run1',
      status: 'running',
      agents: { total: 2, ended: 1 },
      turns: 3,
      toolCalls: 2,
      modelCalls: 3,
      inputTokens: 300,
      modules: { ongoing: 1, pending: 0 },
      pending: [{ id: expect.stringMatching(/^ask_/), callId: 'c1', tool: 'dispatch', kind: 'approval' }],
    });
  });
});

describe('the conversation', () => {
  it('is what the user said and the root agent answered, in order', () => {
    const journal = finish(teamJournal());
    journal.item('Partner_1', 'i9', 'USER_PROMPT', 'And C?');
    expect(conversation(journal.run).map((entry) => [entry.kind, entry.text])).toEqual([
      ['user', 'Compare A and B'],
      ['agent', 'I will look into it.'],
      ['agent', 'B is faster.'],
      ['user', 'And C?'],
    ]);
  });

  it('ends with the output when no reply said it', () => {
    const journal = finish(teamJournal());
    journal.add({ type: 'run.end', status: 'completed', outcome: 'success', output: 'The report.', deliverables: {} });
    expect(conversation(journal.run).at(-1)).toEqual({ kind: 'output', text: 'The report.' });
  });
});
