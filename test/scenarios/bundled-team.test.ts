import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createEngine, type Run } from '../../src/index.ts';
import { checkCitations, type CitationReport } from '../../src/toolsets/documents/check-citations.ts';
import { createDocumentTools } from '../../src/toolsets/documents/create-document-tools.ts';
import { agentsOf, dataOf, turnsOf } from './scenario.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const bundledDocs = path.join(root, 'node_modules/ai/docs');

/** A folder with these documents in it. */
async function documents(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'cadre-bundled-'));
  onTestFinished(async () => await rm(folder, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(folder, name)), { recursive: true });
    await writeFile(path.join(folder, name), text);
  }
  return folder;
}

interface Answer {
  readonly run: Run;
  readonly report: string;
  readonly citations: CitationReport;
  /** Asks another question of the same team. */
  readonly ask: (question: string) => Promise<string>;
}

/** Asks the bundled team, offline: no key, no network, the scripted model over the real tools. */
async function ask(folder: string, question: string): Promise<Answer> {
  const outDir = await documents({});
  const tools = createDocumentTools({ root: folder, outDir });
  const engine = await createEngine({ profiles: path.join(root, 'agent_profiles'), tools: tools.tools, store: 'memory', env: {} });
  onTestFinished(async () => {
    await engine.close();
    tools[Symbol.dispose]();
  });
  const run = await engine.launch({ profile: 'Partner', input: question });
  await run.settled();
  const lastReport = (): string => turnsOf(run, 'Partner').at(-1)?.reply.text ?? '';
  const report = lastReport();
  return {
    run,
    report,
    citations: await checkCitations(await tools.index(), report),
    ask: async (next) => {
      await run.send(next);
      await run.settled();
      return lastReport();
    },
  };
}

interface Cited {
  readonly file: string;
  readonly from: number;
  readonly to: number;
  readonly quote: string;
}

/** The citations of a report, read by other means than the tools': blockquotes that end in `— file:line`. */
function citationsOf(report: string): readonly Cited[] {
  return [...report.matchAll(/^> (.+)\n>\n> — (.+?):(\d+)(?:-(\d+))?$/gm)].map(
    ([, quote = '', file = '', from = '0', to = from]) => ({ file, from: Number(from), to: Number(to), quote }),
  );
}

/** Every citation names lines that exist and contain the quotation, word for word. */
async function expectHonest(folder: string, report: string, citations: CitationReport): Promise<readonly Cited[]> {
  const cited = citationsOf(report);
  for (const { file, from, to, quote } of cited) {
    const lines = (await readFile(path.join(folder, file), 'utf8')).split(/\r?\n/);
    expect(to).toBeLessThanOrEqual(lines.length);
    const text = lines
      .slice(from - 1, to)
      .join(' ')
      .replace(/\s+/g, ' ');
    expect(text).toContain(quote.replace(/\s+/g, ' ').trim());
  }
  expect(citations).toMatchObject({ total: cited.length, ok: cited.length, unquoted: 0, problems: [] });
  expect(new Set(cited.map(({ file, from }) => `${file}:${from}`)).size).toBe(cited.length);
  return cited;
}

/** The team worked as it should: at least three modules in one dispatch, in parallel, and all of the plan done. */
function expectTeamwork(run: Run): void {
  expect(run.state.status).toBe('awaiting');
  const [dispatched] = run.turns().flatMap((turn) => turn.toolInteractions.filter(({ name }) => name === 'dispatch_submodules'));
  const assignments = dispatched?.args?.['assignments'];
  expect(Array.isArray(assignments) ? assignments.length : 0).toBeGreaterThanOrEqual(3);
  const { assignment_execution_results: results } = dataOf(run, 'dispatch_submodules') as {
    assignment_execution_results: readonly { readonly execution_status: string }[];
  };
  expect(results.map((result) => result.execution_status)).toEqual(results.map(() => 'completed_success'));
  const [first, second] = agentsOf(run, 'Associate_DocumentResearcher').map((agent) => run.turns({ agentId: agent.meta.agentId }));
  // Their turns overlap: the second began before the first was done.
  expect(second?.[0]?.startedAt).toBeLessThanOrEqual(first?.at(-1)?.endedAt ?? 0);
  expect(turnOrder(run).slice(0, 3)).toEqual([1, 1, 1]);
  expect(Object.values(run.state.team.workModules).map((module) => module.status)).toEqual(
    Object.values(run.state.team.workModules).map(() => 'completed'),
  );
  expect([...run.state.agents.values()].every((agent) => agent.result.error === undefined)).toBe(true);
  expect(run.turns().flatMap((turn) => turn.toolInteractions.filter(({ status }) => status !== 'ok'))).toEqual([]);
}

/** The turn numbers of the associates in the order in which their turns began. */
function turnOrder(run: Run): readonly number[] {
  return run
    .turns()
    .filter((turn) => turn.profile === 'Associate_DocumentResearcher')
    .map((turn) => Number(turn.turnId.split('.t').at(-1)));
}

const small = {
  'coffee.md': '# Coffee\n\nGrind the beans just before brewing.\n\n1. Heat water to 94 degrees.\n2. Pour slowly, in circles.\n',
  'guides/tea.txt':
    'Brewing green tea\n\nUse water at 80 degrees for green tea.\nHotter water makes it bitter.\n\nLet green tea steep for two minutes.\n',
};

describe('[B.56] the bundled team, offline', () => {
  it.each([
    ['How do I require approval before a tool runs?', /toolApproval|tool-approval/],
    ['How can I cache responses?', /caching/],
    ['How do I handle errors when streaming?', /error-handling/],
  ])('answers from three hundred documents: %s', async (question, expected) => {
    const { run, report, citations } = await ask(bundledDocs, question);
    expectTeamwork(run);
    const cited = await expectHonest(bundledDocs, report, citations);
    expect(report.startsWith(`# ${question}\n`)).toBe(true);
    expect(report).toContain('\n## Key points\n');
    expect(report).toContain('\n## Sources\n');
    expect(report).toMatch(expected);
    expect(cited.length).toBeGreaterThanOrEqual(6);
    expect(new Set(cited.map(({ file }) => file)).size).toBeGreaterThanOrEqual(2);
    const keyPoints = citationsOf(report.split('\n## In detail\n')[0] ?? '');
    expect(keyPoints.length).toBeGreaterThanOrEqual(3);
    for (const { quote } of keyPoints) {
      expect(quote).toMatch(/[.!?)`"*]$/);
      expect(quote).not.toMatch(/^([-*+>|]|\d+[.)]) /);
    }
    expect(report).toContain(`${cited.length} of ${cited.length} citations were checked against the documents and hold.`);
  });

  it('answers from two small files it has never seen', async () => {
    const folder = await documents(small);
    const { run, report, citations } = await ask(folder, 'How hot should the water be for green tea?');
    expectTeamwork(run);
    const cited = await expectHonest(folder, report, citations);
    expect(cited).toContainEqual({
      file: 'guides/tea.txt',
      from: 3,
      to: 4,
      quote: 'Use water at 80 degrees for green tea. Hotter water makes it bitter.',
    });
    expect(await readFile(path.join(folder, 'coffee.md'), 'utf8')).toBe(small['coffee.md']);
  });

  it('says plainly when nothing was found, after it has tried again', async () => {
    const folder = await documents(small);
    const { run, report } = await ask(folder, 'xyzzy plugh frobnicate');
    expectTeamwork(run);
    expect(report).toContain('**Nothing was found.**');
    expect(report).toContain('xyzzy, plugh, frobnicate');
    expect(report).toContain('2 documents');
    expect(citationsOf(report)).toEqual([]);
    expect(report).not.toContain('Key points');
  });

  it('sends a module that brought nothing back once, with notes, and completes it then', async () => {
    const folder = await documents(small);
    const { run } = await ask(folder, 'xyzzy plugh frobnicate');
    const sentBack = Object.values(run.state.team.workModules).filter((module) => module.context_archive.length > 1);
    expect(sentBack.length).toBeGreaterThanOrEqual(3);
    for (const module of sentBack) {
      expect(module).toMatchObject({ status: 'completed', notes_from_principal: expect.stringContaining('Nothing was found') });
      expect(module.assignee_history.map((entry) => entry.outcome)).toEqual(['completed_success', 'completed_success']);
    }
    expect(run.turns().flatMap((turn) => turn.toolInteractions.filter(({ name }) => name === 'dispatch_submodules'))).toHaveLength(
      2,
    );
  });

  it('answers from one single file', async () => {
    const folder = await documents({ 'only.md': '# Bread\n\nKnead the dough for ten minutes.\n' });
    const { run, report, citations } = await ask(folder, 'How long do I knead the dough?');
    expectTeamwork(run);
    const cited = await expectHonest(folder, report, citations);
    expect(cited).toEqual([{ file: 'only.md', from: 3, to: 3, quote: 'Knead the dough for ten minutes.' }]);
    expect(report).toContain('1 passage from 1 document has words of the question.');
    expect(report).not.toContain('## In detail');
  });

  it.each([
    ['German', 'Wie heiß muss das Wasser für grünen Tee sein?', 'Grüner Tee wird mit 80 Grad heißem Wasser aufgegossen.'],
    ['Chinese', '绿茶需要多少度的热水?', '绿茶需要八十度的热水冲泡。'],
  ])('answers in %s text', async (_language, question, quote) => {
    const folder = await documents({
      'tee.md':
        '# Der Tee\n\nGrüner Tee wird mit 80 Grad heißem Wasser aufgegossen.\n\n- Schwarzer Tee braucht kochendes Wasser.\n',
      '茶.md': '# 茶\n\n绿茶需要八十度的热水冲泡。\n\n红茶需要沸水。\n',
    });
    const { run, report, citations } = await ask(folder, question);
    expectTeamwork(run);
    const cited = await expectHonest(folder, report, citations);
    expect(cited[0]?.quote).toBe(quote);
    expect(report.startsWith(`# ${question}\n`)).toBe(true);
  });

  it('answers one question after the other, and one that begins like a tag', async () => {
    const folder = await documents(small);
    const answer = await ask(folder, 'How hot should the water be for green tea?');
    const second = await answer.ask('<b>When</b> are the beans ground?\nPlease.');
    expect(second.startsWith('# <b>When</b> are the beans ground? Please.\n')).toBe(true);
    expect(citationsOf(second).map(({ quote }) => quote)).toContain('Grind the beans just before brewing.');
    expect(agentsOf(answer.run, 'Principal').map((agent) => agent.result.outcome)).toEqual(['success', 'success']);
  });

  it('takes up a question that comes while it is at work once the report on the first is there', async () => {
    const folder = await documents(small);
    const tools = createDocumentTools({ root: folder, outDir: await documents({}) });
    const engine = await createEngine({
      profiles: path.join(root, 'agent_profiles'),
      tools: tools.tools,
      store: 'memory',
      env: {},
    });
    onTestFinished(async () => {
      await engine.close();
      tools[Symbol.dispose]();
    });
    const run = await engine.launch({ profile: 'Partner', input: 'How hot should the water be for green tea?' });
    await run.send('When are the beans ground?');
    await run.settled();
    const replies = turnsOf(run, 'Partner').map((turn) => turn.reply.text.split('\n')[0]);
    expect(replies.filter((line) => line?.startsWith('# '))).toEqual([
      '# How hot should the water be for green tea?',
      '# When are the beans ground?',
    ]);
    expect(run.state.status).toBe('awaiting');
  });
});
