import { describe, expect, it } from 'vitest';
import { toTurnRecord, type TurnRecord } from '../../src/inspect/turn/turn-record.ts';
import { filterTurns } from '../../src/inspect/filter-turns.ts';
import { turnList } from '../../src/inspect/turn-list.ts';
import { agentId, input, JournalBuilder, turnId } from './journal-builder.ts';
import { finish, profiles, teamJournal } from './team-journal.ts';

function recordOf(journal: JournalBuilder, id: string): TurnRecord {
  const turn = journal.run.turns.get(turnId(id));
  if (turn === undefined) throw new Error(`no turn ${id}`);
  return toTurnRecord(journal.run, turn, journal.content, profiles);
}

describe('the turn record', () => {
  it('[A3.logging] [A5.event] holds who took the turn, what it read, saw, said and did, and how it was decided', () => {
    const journal = finish(teamJournal());
    const record = recordOf(journal, 'Partner_1.t1');
    expect(record).toMatchObject({
      turnId: 'Partner_1.t1',
      agentId: 'Partner_1',
      profile: 'Partner',
      turnType: 'agent',
      status: 'completed',
      runId: 'run1',
      flowId: 'flow1',
      reply: { text: 'I will look into it.', reasoning: 'A plan first.', finishReason: 'tool-calls' },
      usage: { inputTokens: 100, outputTokens: 10 },
      cost: 0.001,
      firstTokenMs: 20,
      tools: ['dispatch'],
      error: undefined,
    });
    expect(record.inputs).toMatchObject([
      {
        itemId: 'i1',
        source: 'USER_PROMPT',
        payload: { prompt: 'Compare A and B' },
        priority: 7,
        content: 'Compare A and B',
        persistent: true,
      },
    ]);
    expect(record.toolInteractions).toMatchObject([
      {
        callId: 'c1',
        providerCallId: 'p_c1',
        name: 'dispatch',
        args: { module: 'WM_1' },
        status: 'ok',
        content: 'WM_1 done: B wins.',
        ms: 5000,
      },
    ]);
    expect(record.decision.rules).toMatchObject([
      { id: 'stop', matched: false, values: { 'flags.n': 1 }, condition: 'flags.n > 2' },
      { id: 'go', matched: true, action: 'continue_with_tool' },
    ]);
    expect(record.decision.action).toEqual({ type: 'continue_with_tool', ruleId: 'go' });
    expect(record.systemPrompt.segments).toMatchObject([
      { id: 'role', conditionMet: true, source: { file: 'profiles/Partner.yaml', line: 9 } },
      { id: 'manners', text: 'Be kind.\nBe brief.\n' },
    ]);
    expect(record.systemPrompt.segments.reduce((sum, segment) => sum + segment.share, 0)).toBeCloseTo(1);
    expect(recordOf(journal, 'Partner_1.t2').sourceTurnIds).toEqual(['Partner_1.t1']);
  });

  it('survives a trip through JSON with its lazy parts', () => {
    const record = recordOf(finish(teamJournal()), 'Partner_1.t1');
    const copy = JSON.parse(JSON.stringify(record)) as TurnRecord;
    expect(copy.prompt.text).toBe(record.prompt.text);
    expect(copy.tools).toEqual(['dispatch']);
  });

  it('is running, without an end, while its calls are open', () => {
    const record = recordOf(teamJournal(), 'Partner_1.t1');
    expect(record.status).toBe('running');
    expect(record.endedAt).toBeUndefined();
    expect(record.toolInteractions[0]).toMatchObject({ status: 'requested', content: undefined, ms: undefined });
  });

  it('keeps the error and no reply of a failed turn', () => {
    const journal = new JournalBuilder();
    journal.agent('A', 'Partner');
    journal.turn('A', 'A.t1', [input('i1', 'USER_PROMPT', 'x')]);
    const error = { code: 'MODEL_TIMEOUT' as const, message: 'no token in time' };
    journal.add({ type: 'model.end', agentId: agentId('A'), turnId: turnId('A.t1'), error, usage: {}, attempts: [] });
    journal.add({ type: 'turn.end', agentId: agentId('A'), turnId: turnId('A.t1'), status: 'error', error });
    expect(recordOf(journal, 'A.t1')).toMatchObject({
      status: 'error',
      error,
      reply: { text: '', toolCalls: [], finishReason: undefined },
    });
  });

  it('reads no history until its prompt is asked for, so that listing turns stays cheap', () => {
    const journal = finish(teamJournal());
    const turn = journal.run.turns.get(turnId('Partner_1.t2'));
    if (turn === undefined) throw new Error('no turn');
    let reads = 0;
    const record = toTurnRecord(journal.run, turn, (hash) => {
      reads++;
      return journal.content(hash);
    });
    expect(record.reply.text).toBe('B is faster.');
    expect(reads).toBe(0);
    expect(record.prompt.spans.length).toBeGreaterThan(0);
    const afterwards = reads;
    expect(record.prompt.spans).toBe(record.prompt.spans);
    expect(reads).toBe(afterwards);
  });

  it('says which segment texts the content store has lost instead of failing', () => {
    const journal = finish(teamJournal());
    const turn = journal.run.turns.get(turnId('Partner_1.t1'));
    if (turn === undefined) throw new Error('no turn');
    const log = turn.start.prompt?.system;
    const record = toTurnRecord(journal.run, turn, (hash) => (hash === log ? journal.content(hash) : undefined));
    expect(record.systemPrompt.segments).toMatchObject([{ missing: true, text: '' }, { missing: true }]);
    expect(record.tools).toEqual([]);
  });
});

describe('the list of turns', () => {
  it('shows turns in the order they began, by agent and status', () => {
    const { run } = teamJournal();
    expect(turnList(run).map((row) => row.turnId)).toEqual(['Partner_1.t1', 'Assoc_1.t1', 'Assoc_1.t2']);
    expect(filterTurns(run, { agentId: 'Assoc_1' })).toHaveLength(2);
    expect(turnList(run, filterTurns(run, { status: 'running' }))).toMatchObject([
      { turnId: 'Partner_1.t1', tools: [{ name: 'dispatch', status: 'requested' }], sources: ['USER_PROMPT'] },
    ]);
  });
});
