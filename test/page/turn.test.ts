import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';
import type { Content } from '../../src/core/prompt/message.ts';
import type { TurnState } from '../../src/core/state/turn-state.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createEngine } from '../../src/index.ts';
import { exportRun } from '../../src/engine/recovery/export-run.ts';
import type { RecordedTexts } from '../../src/engine/recovery/facts-of-run.ts';
import { diffTurns } from '../../src/inspect/turn/diff-turns.ts';
import { toTurnRecord, type TurnRecord } from '../../src/inspect/turn/turn-record.ts';
import { toPageFile } from '../../src/server/export/page-file.ts';
import { createDocumentTools } from '../../src/toolsets/documents/create-document-tools.ts';
import { createMemoryJournal } from '../../src/testing/index.ts';
import { toVisibleText } from '../../web/kit/visible-text.ts';
import { input, JournalBuilder, turnId } from '../inspect/journal-builder.ts';
import { allow, tool } from '../support/tools.ts';
import { buildPage, type OpenOptions, usePageBrowser, whyNoPage } from './browser.ts';
import { serveTeam } from './served-team.ts';

const browser = usePageBrowser();
const root = path.join(import.meta.dirname, '..', '..');

let folder = '';
let file = '';
let records: readonly TurnRecord[] = [];
const recordOf = (id: string): TurnRecord => {
  const record = records.find(({ turnId }) => turnId === id);
  if (record === undefined) throw new Error(`no turn ${id}; there are ${records.map(({ turnId }) => turnId).join(', ')}`);
  return record;
};

/** Writes the page of a run to a file. */
async function pageOf(run: RecordedTexts, name: string): Promise<string> {
  const { bundle } = await exportRun(run, { at: 1_000, redact: false, env: {}, homes: [] });
  const place = path.join(folder, `${name}.html`);
  await writeFile(place, await toPageFile(bundle));
  return pathToFileURL(place).href;
}

/** Runs the bundled team over a few documents with its scripted model; keeps its turns as the engine returns them, and the run's page. */
async function bundledRun(): Promise<void> {
  const docs = path.join(folder, 'docs');
  await mkdir(docs);
  await writeFile(
    path.join(docs, 'tomatoes.md'),
    '# Tomatoes\n\nWater tomatoes early in the morning.\n\nNever water the leaves.\n',
  );
  await writeFile(path.join(docs, 'basil.md'), '# Basil\n\nBasil likes water in the morning, too.\n');
  using tools = createDocumentTools({ root: docs, outDir: path.join(folder, 'out') });
  const store = createMemoryJournal();
  const engine = await createEngine({ profiles: path.join(root, 'agent_profiles'), tools: tools.tools, store, env: {} });
  const run = await engine.launch({ profile: 'Partner', input: 'How do I water tomatoes?' });
  await run.settled();
  records = run.turns();
  file = await pageOf({ events: await store.read(run.id), content: (hash) => store.content(hash) }, 'bundled');
  await engine.close();
}

beforeAll(async () => {
  if (whyNoPage !== undefined) return;
  await buildPage();
  folder = await mkdtemp(path.join(tmpdir(), 'cadre-turn-'));
  await bundledRun();
}, 120_000);
afterAll(async () => {
  if (folder !== '') await rm(folder, { recursive: true, force: true });
});

/** Opens a turn by its address. */
async function openTurn(id: string, query: Readonly<Record<string, string>> = {}, options: OpenOptions = {}): Promise<Page> {
  const search = new URLSearchParams(query).toString();
  const page = await browser.open(`${file}#/runs/${recordOf(id).runId}/turns/${id}${search === '' ? '' : `?${search}`}`, options);
  await page.getByRole('heading', { name: id }).waitFor();
  return page;
}

const section = (page: Page, name: string) => page.locator(`#turn-${name}`);
/** Scrolls to the last lines of a section, which are rendered when they come near. */
async function openedLines(page: Page, name: string): Promise<void> {
  await section(page, name).locator('.t-block').last().scrollIntoViewIfNeeded();
  await section(page, name).locator('.t-block').last().locator('> *').first().waitFor();
}
const asked = (page: Page) => page.getByRole('complementary', { name: 'Where this came from' });
const addressOf = (page: Page): URLSearchParams => new URLSearchParams(new URL(page.url()).hash.split('?')[1] ?? '');

/** Scrolls through a section until every line was rendered once, and joins them. */
async function textOf(page: Page, name: string): Promise<string> {
  const lines = new Map<number, string>();
  const read = async (): Promise<void> => {
    const seen = await section(page, name)
      .locator('.t-line[data-start]')
      .evaluateAll((rows) =>
        rows.map((row) => [Number(row.getAttribute('data-start')), row.querySelector('.t-line-text')?.textContent ?? ''] as const),
      );
    for (const [start, text] of seen) lines.set(start, text);
  };
  await read();
  for (const block of await section(page, name).locator('.t-block').all()) {
    await block.scrollIntoViewIfNeeded();
    await block.locator('> *').first().waitFor();
    await read();
  }
  return [...lines]
    .toSorted(([a], [b]) => a - b)
    .map(([, text]) => text)
    .join('');
}

describe.skipIf(whyNoPage !== undefined)(`a turn on the page (${whyNoPage ?? 'in Chromium'})`, () => {
  it('shows by its address what the record of the engine says', async () => {
    const record = recordOf('Principal_2.t2');
    const page = await openTurn(record.turnId);
    const items = section(page, 'items');
    for (const input of record.inputs) {
      const card = items.getByRole('listitem').filter({ hasText: `item ${input.itemId} ` });
      expect(await card.innerText()).toContain(input.source);
      expect(await card.innerText()).toContain(`priority ${input.priority}`);
      expect(await card.innerText()).toContain(`ingestor ${input.ingestor}`);
    }
    const system = await section(page, 'system').innerText();
    for (const { id, text, source } of record.systemPrompt.segments) {
      expect(system).toContain(id);
      expect(system).toContain(`${source?.file}:${source?.line}:${source?.column}`);
      if (text === '') expect(system).toContain('not rendered');
    }
    for (const tool of record.tools) expect(await section(page, 'prompt').innerText()).toContain(tool);
    for (const observer of record.observers) {
      const row = section(page, observer.phase === 'pre' ? 'before' : 'after').getByRole('row', { name: observer.id });
      expect(await row.getByRole('cell').first().innerText()).toBe(observer.fired ? 'fired' : 'not fired');
    }
    for (const call of record.toolInteractions) expect(await section(page, 'calls').innerText()).toContain(call.name);
    const winner = record.decision.rules.find(({ matched }) => matched);
    expect(await section(page, 'decision').locator('tr.t-winner').innerText()).toContain(winner?.id);
    for (const { condition } of record.decision.rules)
      if (condition !== undefined) expect(await section(page, 'decision').innerText()).toContain(condition);
    for (const change of record.stateChanges) {
      const row = section(page, 'state').getByRole('row').filter({ hasText: change.path });
      expect(await row.first().innerText()).toContain(JSON.stringify(change.before) ?? '–');
    }
    expect(await section(page, 'reply').innerText()).toContain(record.reply.text.split('\n')[0]);
    await browser.screenshot(page, 'turn');
  });

  it('I10: the lines of the prompt, put together, are what was sent', async () => {
    const page = await openTurn('Principal_2.t4');
    expect(await textOf(page, 'prompt')).toBe(toVisibleText(recordOf('Principal_2.t4').prompt.text));
  });

  it('leads from a line to its place in a profile, and from cause to cause back to the user', async () => {
    const page = await openTurn('Principal_2.t2');
    await section(page, 'prompt').getByRole('button', { name: 'You lead a team of Associates' }).click();
    expect(await asked(page).innerText()).toMatch(/agent_profiles\/profiles\/Principal\.yaml:\d+:\d+/);
    expect(await asked(page).locator('.t-excerpt-here').innerText()).toContain('You lead a team of Associates');
    expect(addressOf(page).get('why')).toMatch(/^@prompt:\d+-\d+$/);
    await asked(page).getByRole('button', { name: 'more step' }).click();
    expect(await asked(page).locator('.t-cause').last().innerText()).toContain('the run began with profile Partner');
    expect(await asked(page).innerText()).toContain('USER_PROMPT reached Partner_1 from outside');
    await browser.screenshot(page, 'turn-why');
    // The address alone gives the same answer.
    const again = await openTurn('Principal_2.t2', { why: addressOf(page).get('why') ?? '' });
    expect(await asked(again).innerText()).toMatch(/Principal\.yaml:\d+:\d+/);
    expect(await section(again, 'prompt').locator('.t-line[aria-pressed="true"]').innerText()).toContain('You lead a team');
    // A step leads to its turn, and a link leads back.
    await asked(page).getByRole('link', { name: 'Partner_1.t1' }).last().click();
    await page.getByRole('heading', { name: 'Partner_1.t1' }).waitFor();
    await page.getByRole('navigation', { name: 'Trail of links' }).getByRole('link').click();
    await page.getByRole('heading', { name: 'Principal_2.t2' }).waitFor();
    expect(await asked(page).innerText()).toContain('Principal.yaml');
    expect(await page.getByRole('navigation', { name: 'Trail of links' }).count()).toBe(0);
  });

  it('leads from a tool result to the turn that asked for it', async () => {
    const page = await openTurn('Principal_2.t2');
    await openedLines(page, 'prompt');
    await section(page, 'prompt').locator('.from-tool_result[data-row]').last().click();
    expect(await asked(page).innerText()).toContain('search_documents, asked for in Principal_2.t1');
    await asked(page).getByRole('link', { name: 'Principal_2.t1' }).first().click();
    await page.getByRole('heading', { name: 'Principal_2.t1' }).waitFor();
    expect(addressOf(page).get('section')).toBe('calls');
    await section(page, 'calls').getByText('search_documents').first().waitFor();
  });

  it('finds a text that is typed or selected, and says when it is nowhere', async () => {
    const page = await openTurn('Principal_2.t2');
    await page.keyboard.press('/');
    await page.keyboard.type('Never water the leaves');
    await page.keyboard.press('Enter');
    expect(await asked(page).innerText()).toContain('a tool result');
    expect(addressOf(page).get('why')).toBe('Never water the leaves');
    await page.getByRole('searchbox', { name: 'Where did this text come from?' }).fill('zebra');
    await page.keyboard.press('Enter');
    await asked(page).getByText('is neither in the prompt nor in the reply').waitFor();
    await page.keyboard.press('Escape');
    await asked(page).waitFor({ state: 'detached' });
    // The search has scrolled to its match.
    await section(page, 'prompt').locator('.t-block').first().scrollIntoViewIfNeeded();
    const line = section(page, 'prompt').getByRole('button', { name: 'You lead a team of Associates' });
    await line.scrollIntoViewIfNeeded();
    const box = await line.locator('.t-line-text').boundingBox();
    if (box === null) throw new Error('the line is not there');
    await page.mouse.move(box.x + 45, box.y + 8);
    await page.mouse.down();
    await page.mouse.move(box.x + 90, box.y + 8, { steps: 4 });
    await page.mouse.up();
    await asked(page).locator('blockquote').waitFor();
    expect(await asked(page).locator('blockquote').innerText()).toMatch(/^\w*\s?\w+$/);
    expect((await asked(page).locator('blockquote').innerText()).length).toBeLessThan(12);
  });

  it('goes by keys alone: from line to line, into the answer, and back', async () => {
    const page = await openTurn('Principal_2.t2', { section: 'prompt' });
    const lines = section(page, 'prompt').locator('.t-line[data-row]');
    expect(await section(page, 'prompt').locator('.t-line[tabindex="0"]').count()).toBe(1);
    await lines.first().focus();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    const focused = await page.evaluate('document.activeElement.textContent');
    expect(focused).toBe(await lines.nth(2).textContent());
    await page.keyboard.press('Enter');
    await asked(page).waitFor();
    expect(await page.evaluate('document.activeElement.id')).toBe('why-title');
    await page.keyboard.press('Escape');
    await asked(page).waitFor({ state: 'detached' });
    expect(await page.evaluate('document.activeElement.textContent')).toBe(focused);
    await page.keyboard.press('End');
    expect(await page.evaluate('document.activeElement.textContent')).toBe(await lines.last().textContent());
    await page.keyboard.press('J');
    await page.getByRole('heading', { name: 'Principal_2.t3' }).waitFor();
  });

  it('compares the prompt with that of the previous turn, or of any other', async () => {
    const page = await openTurn('Principal_2.t2');
    const { tokens } = diffTurns(recordOf('Principal_2.t1'), recordOf('Principal_2.t2'));
    const diff = section(page, 'diff');
    await openedLines(page, 'diff');
    expect(await diff.innerText()).toContain('since Principal_2.t1');
    expect(await diff.innerText()).toContain(`+${tokens.added.toLocaleString('en')}`);
    expect(await diff.innerText()).toMatch(/added: result of search_documents/);
    const lines = await diff.locator('.diff-line').count();
    await diff
      .getByRole('button', { name: /pieces the same/ })
      .first()
      .click();
    expect(await diff.locator('.diff-line').count()).toBeGreaterThan(lines);
    await diff.getByLabel('compare with').selectOption('Partner_1.t2');
    expect(addressOf(page).get('against')).toBe('Partner_1.t2');
    expect(await diff.innerText()).toContain('since Partner_1.t2');
  });

  it('keeps what was folded, and is all there on a narrow and a dark screen', async () => {
    const page = await openTurn('Principal_2.t2');
    await section(page, 'items').getByRole('button', { name: 'Read', exact: true }).click();
    await page.keyboard.press('J');
    await page.getByRole('heading', { name: 'Principal_2.t3' }).waitFor();
    expect(await section(page, 'items').getByRole('button', { name: 'Read', exact: true }).getAttribute('aria-expanded')).toBe(
      'false',
    );
    await section(page, 'prompt').locator('.t-line').nth(4).click();
    await asked(page).waitFor();
    for (const [name, width, colorScheme] of [
      ['turn-dark', 1280, 'dark'],
      ['turn-narrow-dark', 390, 'dark'],
      ['turn-narrow', 390, 'light'],
    ] as const) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 844 });
      const line = section(page, 'prompt').locator('.t-line[aria-pressed="true"]');
      await line.evaluate((row) => row.scrollIntoView({ block: 'nearest' }));
      const [lineBox, answerBox] = [await line.boundingBox(), await asked(page).boundingBox()];
      if (width < 500) expect((lineBox?.y ?? 900) + (lineBox?.height ?? 0)).toBeLessThanOrEqual(answerBox?.y ?? 0);
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
      await browser.screenshot(page, name);
    }
  });

  it('grows while it is under way: progress, output, words as they come, attempts that were given up', async () => {
    const gate = Promise.withResolvers<string>();
    const slow = tool('slow', async (_, { progress }) => {
      // Progress is sent only live, and the page may not be open yet.
      const telling = setInterval(() => progress(0.4, 'digging'), 50);
      return await gate.promise.finally(() => clearInterval(telling));
    });
    await using team = await serveTeam(browser, {
      profile: { Digger: allow('slow') },
      tools: [slow],
      replies: [
        { text: 'I dig.', toolCalls: [{ name: 'slow', args: { where: 'here' } }] },
        { text: 'These words are lost on the way.', cutAfter: 4, cutWith: 'error' },
        { text: 'These words stay for good.', cutAfter: 4, hang: true },
      ],
    });
    const run = await team.engine.launch({ profile: 'Digger', input: 'Dig.' });
    const page = await browser.open(`${team.url}/#/runs/${run.id}/turns/Digger_1.t1`);
    const call = section(page, 'calls').getByRole('listitem');
    await call.getByText('40 % digging').waitFor();
    expect(await call.innerText()).toContain('not ended');
    gate.resolve('a bone');
    await call.getByText('a bone').waitFor();
    await page.getByRole('navigation', { name: 'Turns around this one' }).getByRole('link', { name: 'Digger_1.t2' }).last().click();
    const reply = section(page, 'reply');
    await reply.getByText('attempt 2, live').waitFor();
    await reply.getByText('These wo').last().waitFor();
    await reply.getByText('attempt 1 failed').click();
    await browser.screenshot(page, 'turn-live');
    await run.cancel('enough');
    await page.getByText('cancelled', { exact: true }).first().waitFor();
    const record = run.turn('Digger_1.t2');
    expect(record?.status).toBe('cancelled');
    for (const { error } of record?.attempts ?? [])
      if (error !== undefined) await section(page, 'model').getByText(error.code).first().waitFor();
    // The copy button copies the record as the engine returns it.
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.getByRole('button', { name: 'copy as JSON' }).click();
    await page.getByText('copied', { exact: true }).waitFor();
    const copied = JSON.parse(await page.evaluate<string>('navigator.clipboard.readText()')) as TurnRecord;
    expect(copied).toMatchObject({ turnId: 'Digger_1.t2', status: 'cancelled', prompt: { text: record?.prompt.text } });
    // A link to a place leads there, though the page must first fetch the prompt's texts.
    const start = record?.prompt.text.indexOf('a bone') ?? -1;
    const linked = await browser.open(`${team.url}/#/runs/${run.id}/turns/Digger_1.t2?why=@prompt:${start}-${start + 6}`);
    await asked(linked).getByText('a tool result').waitFor();
    expect(await section(linked, 'prompt').locator('.t-line[aria-pressed="true"] .t-line-text').innerText()).toBe('a bone');
  });

  it('opens a prompt of many megabytes at once, stays small and quick, and shows whatever it holds as text', async () => {
    const { journal, url } = await largeRun();
    const prompt = toTurnRecord(journal.run, turnOf(journal, 'Big_1.t2'), journal.content).prompt;
    console.log(`prompt: ${prompt.text.length} characters, ${prompt.spans.length} spans`);
    expect(prompt.text.length).toBeGreaterThan(15_000_000);
    expect(prompt.spans.length).toBeGreaterThan(11_000);
    const page = await browser.open(`${url}#/runs/run1/turns`);
    await page.getByRole('heading', { name: 'A test' }).waitFor();
    const opened = await measured(page, `location.hash = '#/runs/run1/turns/Big_1.t2'`, '#turn-prompt .t-line');
    const asks = await measured(page, `document.querySelector('#turn-prompt .t-line').click()`, '.why .t-cause');
    const jumps: number[] = [];
    for (const share of [0.5, 1, 0.25])
      jumps.push(
        await measured(
          page,
          `{ const lines = document.querySelector('#turn-prompt .t-lines'); lines.scrollTop = lines.scrollHeight * ${share}; }`,
          '#turn-prompt .t-block:has(.t-line)',
        ),
      );
    const nodes = await page.evaluate('document.querySelectorAll("*").length');
    console.log(`opened in ${opened} ms, answered in ${asks} ms, jumped in ${jumps.join(', ')} ms; ${String(nodes)} elements`);
    expect(nodes).toBeLessThan(8_000);
    expect(Math.max(opened, asks, ...jumps)).toBeLessThan(20_000);
    expect(await page.evaluate('window.hit')).toBeUndefined();
    const compared = await measured(page, `document.querySelector('#turn-diff button').click()`, '#turn-diff .diff-line');
    console.log(`compared in ${compared} ms`);
    await browser.screenshot(page, 'turn-large');
    const plain = await browser.open(`${url}#/runs/run1/turns/Big_1.t1?section=prompt`);
    const text = await section(plain, 'prompt').innerText();
    for (const shown of ['</script><script>window.hit = 1</script>', '␛[31mred', '⟨202E⟩', '<img src=x onerror=window.hit=1>'])
      expect(text).toContain(shown);
    expect(await plain.evaluate('window.hit')).toBeUndefined();
    // Images are rendered from their data alone; files that may contain more are only named.
    await section(plain, 'prompt').getByRole('img', { name: 'dot.png' }).waitFor();
    expect(await section(plain, 'prompt').getByRole('img').count()).toBe(1);
    expect(text).toContain('bad.svg · image/svg+xml');
    await browser.screenshot(plain, 'turn-hostile');
  }, 60_000);
});

/** Returns the milliseconds from an action until an element is painted. */
async function measured(page: Page, action: string, selector: string): Promise<number> {
  // As an expression: the page's policy allows no eval.
  return await page.evaluate<number>(`new Promise((resolve) => {
    const from = performance.now();
    ${action};
    const look = () => {
      if (document.querySelector(${JSON.stringify(selector)}) === null) requestAnimationFrame(look);
      else requestAnimationFrame(() => setTimeout(() => resolve(Math.round(performance.now() - from))));
    };
    look();
  })`);
}

function turnOf(journal: JournalBuilder, id: string): TurnState {
  const turn = journal.run.turns.get(turnId(id));
  if (turn === undefined) throw new Error(`no turn ${id}`);
  return turn;
}

/**
 * Builds a run whose second turn sees a thousand messages, ten thousand pieces, five megabytes in one line, as many in lines, and only
 * line feeds.
 */
async function largeRun(): Promise<{ readonly journal: JournalBuilder; readonly url: string }> {
  const journal = new JournalBuilder([], hostile);
  journal.agent('Big_1', 'Big');
  journal.item('Big_1', 'i0', 'USER_PROMPT', hostile);
  const seen: Content = [
    { type: 'text', text: hostile },
    { type: 'file', mediaType: 'image/png', filename: 'dot.png', data: { type: 'data', data: dot } },
    { type: 'file', mediaType: 'image/svg+xml', filename: 'bad.svg', data: { type: 'data', data: dot } },
  ];
  journal.turn('Big_1', 'Big_1.t1', [input('i0', 'USER_PROMPT', seen)], { segments: [{ id: hostile, text: hostile }] });
  journal.reply('Big_1', 'Big_1.t1', hostile);
  journal.end('Big_1', 'Big_1.t1');
  const contents: Content[] = [
    'x'.repeat(5_000_000),
    'a line of eighty characters or so, as people and programs write them in files\n'.repeat(65_000),
    '\n'.repeat(5_000_000),
    Array.from({ length: 10_000 }, (_, index) => ({ type: 'text' as const, text: `piece ${index}\n` })),
    ...Array.from({ length: 1_000 }, (_, index) => `message ${index}`),
  ];
  const inputs = contents.map((content, index) => {
    journal.item('Big_1', `b${index}`, 'USER_PROMPT', index);
    return input(`b${index}`, 'USER_PROMPT', content);
  });
  journal.turn('Big_1', 'Big_1.t2', inputs, { segments: [{ id: 'role', text: 'You are big.' }] });
  journal.reply('Big_1', 'Big_1.t2', 'So it is.');
  journal.end('Big_1', 'Big_1.t2');
  return { journal, url: await pageOf(journal, 'large') };
}

/** An image of one pixel. */
const dot = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const hostile = [
  '</script><script>window.hit = 1</script>',
  '<img src=x onerror=window.hit=1>',
  '\u001b[31mred\u001b[0m',
  'left \u202e right',
  'שלום עולם',
].join('\n');
