import { moduleChanges } from '../../src/core/patches/module-changes.ts';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CadreEvent } from '../../src/core/events/event.ts';
import { applyEvent, startRun } from '../../src/core/fold/apply-event.ts';
import type { AgentId } from '../../src/core/ids.ts';
import type { RunContext } from '../../src/core/state/run-context.ts';
import { createEngine } from '../../src/engine/create-engine.ts';
import { plainStyle } from '../../src/inspect/format/text/text-style.ts';
import { createDocumentTools } from '../../src/toolsets/documents/create-document-tools.ts';
import { concludeRun } from '../../src/inspect/conclude.ts';
import { argsText } from '../../src/cli/progress/args-text.ts';
import { liveFrame } from '../../src/cli/progress/live-frame.ts';
import { LiveView } from '../../src/cli/progress/live-view.ts';
import { createProgressLines } from '../../src/cli/progress/progress-lines.ts';
import { nextSteps } from '../../src/cli/terminal/next-steps.ts';
import { textWidth } from '../../src/inspect/format/text/text-width.ts';
import { starterFolder } from './cli-process.ts';

/** Returns the events of a real run of the starter team. */
async function teamRun(question = 'How do I water tomatoes?'): Promise<readonly CadreEvent[]> {
  const folder = await starterFolder();
  using documents = createDocumentTools({ root: join(folder, 'docs') });
  await using engine = await createEngine({
    profiles: join(folder, 'agent_profiles'),
    tools: documents.tools,
    store: 'memory',
    env: {},
  });
  const run = await engine.launch({ profile: 'Lead', input: question });
  await run.settled();
  const events: CadreEvent[] = [];
  for await (const event of run) {
    events.push(event);
    if (event.seq === run.state.seq) break;
  }
  return events;
}

/** Returns the state of the run after each event. */
function states(events: readonly CadreEvent[], look: (run: RunContext, event: CadreEvent) => void): RunContext {
  const [first, ...rest] = events;
  if (first?.type !== 'run.start') throw new Error('a run begins with run.start');
  const run = startRun(first);
  look(run, first);
  for (const event of rest) {
    applyEvent(run, event);
    look(run, event);
  }
  return run;
}

describe('plain lines', () => {
  it('tell the story of a run, one line for what is notable', async () => {
    const toLine = createProgressLines(plainStyle);
    const lines = (await teamRun()).flatMap((event) => toLine(event) ?? []);
    const story = lines.map((line) => line.replace(/^\[ *[\d.]+ s\] /, ''));
    expect(story).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^run run_\w+ started: How do I water tomatoes\?$/),
        'Lead_1 started (profile Lead)',
        'module WM_1 The direct answer planned; WM_2 What goes with it planned',
        'module WM_2 What goes with it was dispatched to Researcher_3',
        'Researcher_2 started (profile Researcher, The direct answer, module WM_1, by Lead_1)',
        'Researcher_2 calls search_documents query: How do I water tomatoes?, limit: 4',
        'Researcher_2 ended success',
        'module WM_1 The direct answer is pending_review',
        expect.stringMatching(/^module .*WM_2 What goes with it is completed$/),
        'Lead_1 waits for a message',
      ]),
    );
    expect(lines.length).toBeLessThan(40);
  });

  it('hold one line each and no control characters, whatever the texts are', () => {
    const toLine = createProgressLines(plainStyle);
    const hostile = 'a\u001b]0;owned\u0007\u001b[31m\r\nb\u202ec';
    const events = [
      { type: 'run.start', title: hostile },
      { type: 'agent.start', agentId: hostile, profile: hostile, roleName: hostile },
      { type: 'tool.request', agentId: hostile, callId: 'c1', name: hostile, args: { [hostile]: hostile } },
      { type: 'tool.end', agentId: hostile, callId: 'c1', status: 'error', content: hostile },
      { type: 'module.update', moduleId: hostile, patch: { name: hostile, status: 'pending' } },
      { type: 'note.add', level: 'warning', code: hostile, message: hostile },
      { type: 'module.update', moduleId: hostile, patch: { status: hostile } },
      { type: 'note.add', level: 'info', code: 'NOTICE', agentId: hostile, message: hostile },
      { type: 'run.end', status: 'failed', outcome: hostile, error: { code: 'INTERNAL', message: hostile } },
    ].map((event, index) => ({ runId: hostile, seq: index + 1, at: 0, ...event }));
    for (const event of events as readonly unknown[]) expect(toLine(event as CadreEvent)).toMatch(/^[^\p{Cc}\p{Cf}]+$/u);
  });

  it('show what agents tell people, and no other notes that are mere information', () => {
    const toLine = createProgressLines(plainStyle);
    const note = { type: 'note.add', level: 'info', agentId: 'Clerk_1', message: 'Half way.', runId: 'r', seq: 1, at: 0 };
    expect(toLine({ ...note, code: 'NOTICE' } as unknown as CadreEvent)).toMatch(/Clerk_1 says: Half way\.$/);
    expect(toLine({ ...note, code: 'OTHER' } as unknown as CadreEvent)).toBeUndefined();
  });

  it('of a run that is taken up again know the modules and calls from before', async () => {
    const events = await teamRun();
    const at = events.findIndex((event) => moduleChanges(event).some(({ fields }) => fields.status === 'completed'));
    const before = states(events.slice(0, at), () => undefined);
    const toLine = createProgressLines(plainStyle, before);
    expect(events.slice(at).flatMap((event) => toLine(event) ?? [])[0]).toMatch(/module WM_1 The direct answer is completed/);
  });
});

describe('the arguments of a call in a few words', () => {
  it('texts are cut, lists of objects counted, objects left out', () => {
    expect(argsText({ query: 'a\n b', limit: 4, files: ['x.md', 'y.md'], actions: [{}, {}], options: { a: 1 }, empty: '' })).toBe(
      'query: a b, limit: 4, files: x.md y.md, actions: 2, options: {…}',
    );
    expect(argsText({ content: 'x'.repeat(500) }).length).toBeLessThan(80);
    expect(argsText(null)).toBe('');
  });
});

describe('the live view', () => {
  it('shows agents in their places, modules in their columns, and the totals, at every moment', async () => {
    const seen = new Set<string>();
    const run = states(await teamRun(), (state) => {
      for (const line of liveFrame({ run: state, now: state.at + 1500, columns: 110, rows: 30, style: plainStyle }))
        seen.add(line.replace(/ +/g, ' ').trim());
    });
    const lines = [...seen].join('\n');
    expect(lines).toMatch(/^Lead_1 thinking/m);
    expect(lines).toMatch(/^├ Researcher_2 WM_1 tools search_documents query: H/m);
    expect(lines).toMatch(/^└ Researcher_3 WM_2 done/m);
    expect(lines).toMatch(/^Lead_1 tools dispatch_submodules waits for 2/m);
    expect(lines).toMatch(/pending \(2\) ongoing \(0\) in review \(0\) completed \(0\)/);
    expect(lines).toMatch(/pending \(0\) ongoing \(0\) in review \(0\) completed \(2\)/);
    expect(liveFrame({ run, now: run.at, columns: 110, rows: 30, style: plainStyle }).at(-1)).toMatch(
      /^3 agents · 8 turns · 7 tool calls · .* tokens/,
    );
  });

  it('fits every terminal, and never breaks a line', async () => {
    const moments: RunContext[] = [];
    const events = await teamRun('日本語 '.repeat(60));
    for (let end = 1; end <= events.length; end += 9) moments.push(states(events.slice(0, end), () => undefined));
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 200 }), fc.integer({ min: 3, max: 50 }), fc.nat(), (columns, rows, which) => {
        const run = moments[which % moments.length];
        if (run === undefined) return;
        const frame = liveFrame({ run, now: run.at + 1, columns, rows, style: plainStyle });
        expect(frame.length).toBeLessThan(rows);
        for (const line of frame) expect(textWidth(line)).toBeLessThan(columns);
      }),
    );
  });

  it('shows the progress a tool reports', async () => {
    const events = await teamRun();
    const end = events.findIndex((event) => event.type === 'tool.start' && event.agentId.startsWith('Researcher'));
    const event = events[end];
    const run = states(events.slice(0, end + 1), () => undefined);
    const callId = event?.type === 'tool.start' ? event.callId : '';
    const frame = liveFrame({
      run,
      now: run.at,
      columns: 120,
      rows: 30,
      style: plainStyle,
      progress: new Map([[callId, { fraction: 0.4, note: 'reading' }]]),
    });
    expect(frame.join('\n')).toContain('40 % reading');
  });

  it('is drawn over the frame before, and gives the cursor back', () => {
    let written = '';
    const frames = [['one', 'two'], ['three']];
    const view = new LiveView({ tell: (text) => (written += text), columns: 80 }, () => frames.shift() ?? []);
    view.start();
    view.stop();
    expect(written).toBe('\x1b[?25l\rone\x1b[K\ntwo\x1b[K\n\x1b[J\x1b[2A\rthree\x1b[K\n\x1b[J\x1b[?25h');
  });

  it('F32: is drawn over the rows that its lines take in a window that was made narrower', () => {
    let written = '';
    const screen = { tell: (text: string) => void (written += text), columns: 80 };
    const frames = [['x'.repeat(70), '日本'.repeat(10)], ['three']];
    const view = new LiveView(screen, () => frames.shift() ?? []);
    view.start();
    screen.columns = 30;
    view.stop();
    expect(written).toContain('\x1b[5A\rthree');
  });
});

describe('the end of a run', () => {
  it('waiting for the user with a reply is a good end, and the reply the result', async () => {
    const run = states(await teamRun(), () => undefined);
    expect(concludeRun(run)).toEqual({ ok: true, text: expect.stringContaining('Water tomatoes deeply') });
    run.status = 'failed';
    run.outcome = 'error';
    expect(concludeRun(run)).toMatchObject({ ok: false, problem: 'the run failed (error)' });
  });

  it('names commands for this very run, the last with words of its reply', async () => {
    const run = states(await teamRun(), () => undefined);
    const commands = nextSteps(run, undefined).map((command) => command.split(' ').slice(-9).join(' '));
    expect(commands[0]).toMatch(new RegExp(`turns ${run.meta.runId}$`));
    expect(commands[1]).toMatch(/Lead_1\.t4$/);
    expect(commands[2]).toMatch(/'Water tomatoes deeply .*'$/);
  });

  it('F35: asks about words that a tool brought, not about the frame that a report puts around them', async () => {
    const run = states(await teamRun(), () => undefined);
    const root = run.agents.get('Lead_1' as AgentId);
    if (root === undefined) throw new Error('no Lead_1');
    root.turn.lastReply = `# ${String(run.meta.input)}\n\nTwo passages from two documents have words of the question.\n\nsome-long-folder/watering-and-soil.md\n\n${root.turn.lastReply}`;
    expect(nextSteps(run, undefined)[2]).toMatch(/'Water tomatoes deeply .*'$/);
  });
});
