import type { Page } from 'playwright-core';
import { someCapability } from '../support/some-capability.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { board } from '../../src/inspect/board.ts';
import { timeline } from '../../src/inspect/timeline/timeline.ts';
import { tree, type AgentNodeView } from '../../src/inspect/tree.ts';
import { agentId, callId, JournalBuilder, turnId } from '../inspect/journal-builder.ts';
import { finish } from '../scenarios/team.ts';
import { buildPage, usePageBrowser, whyNoPage } from './browser.ts';
import { builtRun, bundledRun, crowdJournal, liveTeam, served, type SharedRun, stateOf } from './timeline-runs.ts';

const browser = usePageBrowser();
beforeAll(buildPage, 120_000);

/** Content that the page must show as plain text only. */
const hostile = `<img src=x onerror="window.hit=1"><script>window.hit=1</script>\u202Egnp.exe\u0007${'long '.repeat(2_000)}`;

describe.skipIf(whyNoPage !== undefined)('timeline, board and tree of a run that is over', () => {
  let bundled: SharedRun;
  beforeAll(async () => {
    bundled = await bundledRun();
  });
  afterAll(async () => await bundled.close());

  it('show what the inspector says, and lead to each other', async () => {
    const { url } = bundled;
    const state = await stateOf(url);
    const page = await browser.open(url);
    await page.getByRole('list', { name: 'Agents and their turns' }).waitFor();
    await expectTimeline(page, timeline(state));
    await browser.screenshot(page, 'timeline');

    await page.goto(`${url}/board`);
    await page.getByRole('region', { name: 'completed' }).waitFor();
    expect(await columnsOf(page)).toEqual(
      board(state)
        .columns.filter(({ status, cards }) => status !== 'deprecated' || cards.length > 0)
        .map(({ status, cards }) => [status, cards.length, cards.map(({ moduleId }) => moduleId)]),
    );
    await page.locator('[data-module=WM_2]').getByRole('button', { name: '1 attempt' }).click();
    await page.locator('[data-module=WM_2]').getByRole('link', { name: 'Associate_DocumentResearcher_3' }).waitFor();
    await page
      .locator('[data-module=WM_2]')
      .getByRole('button', { name: /deliverables/ })
      .click();
    await page.getByText('Passages from 03-agents/06-tool-approvals.mdx').waitFor();
    await browser.screenshot(page, 'board');

    await page.goto(`${url}/tree`);
    await page.getByRole('treegrid', { name: 'Agents' }).waitFor();
    expect(await rowsOf(page)).toEqual(
      flat(tree(state)).map(({ agentId: id, turns, toolCalls }) => [id, `${turns}`, `${toolCalls}`]),
    );
    await browser.screenshot(page, 'tree');
    await page.getByRole('link', { name: 'timeline row of Principal_2' }).click();
    await page.locator('.timeline-row.is-marked[data-agent=Principal_2]').waitFor();
  });

  it('is read by key: turns along a row and across rows, agents up, down, in and out', async () => {
    const { url } = bundled;
    const page = await browser.open(url);
    const at = (): Promise<string | undefined> => page.evaluate<string | undefined>('document.activeElement.dataset.turn');
    await page.locator('[data-turn="Principal_2.t1"]').focus();
    const went: (string | undefined)[] = [];
    for (const key of [
      'ArrowRight',
      'End',
      'ArrowLeft',
      'Home',
      'ArrowUp',
      'ArrowRight',
      'ArrowRight',
      'ArrowRight',
      'ArrowRight',
    ]) {
      await page.keyboard.press(key);
      went.push(await at());
    }
    expect(went).toEqual([
      ...['Principal_2.t2', 'Principal_2.t6', 'Principal_2.t5', 'Principal_2.t1'],
      ...['Partner_1.t3', 'Partner_1.t4', 'Partner_1.t4', 'Partner_1.t4', 'Partner_1.t4'],
    ]);
    // The label of a bar describes what it shows; the bars are one Tab stop.
    expect(await page.locator('[data-turn="Principal_2.t1"]').getAttribute('aria-label')).toMatch(
      /^turn 1 of Principal_2, .+, 1 tool call, ok$/,
    );
    expect(await page.locator('[data-turn][tabindex="0"]').count()).toBe(1);
    await page.getByRole('tooltip').getByText('turn 4 of Partner_1').waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(/turns\/Partner_1\.t4/);
    await page.goBack();
    await page.locator('[data-turn="Partner_1.t4"].is-selected').waitFor();

    await page.goto(`${url}/tree`);
    const row = (): Promise<string | undefined> => page.evaluate<string | undefined>('document.activeElement.dataset.agent');
    await page.locator('[data-agent=Partner_1]').focus();
    const rows: (string | undefined)[] = [];
    for (const key of ['ArrowRight', 'ArrowDown', 'ArrowLeft', 'ArrowLeft', 'ArrowDown', 'ArrowUp', 'End', 'Home', 'p', 'r']) {
      await page.keyboard.press(key);
      rows.push(await row());
    }
    expect(rows).toEqual([
      ...['Principal_2', 'Associate_DocumentResearcher_3', 'Principal_2', 'Principal_2', 'Principal_2', 'Partner_1'],
      ...['Principal_2', 'Partner_1', 'Principal_2', 'Principal_2'],
    ]);
    expect(await page.locator('[data-agent=Principal_2]').getAttribute('aria-expanded')).toBe('false');
    await page.getByRole('searchbox').fill('06-tool-approvals');
    await page.getByText('3 agents of 6').waitFor();
  });

  it('draws arrows from what brought a turn about, zooms, and finds its place again by the address', async () => {
    const { url } = bundled;
    const page = await browser.open(url);
    await page.locator('[data-turn="Principal_2.t3"]').hover();
    await page.locator('path[data-kind=turn]').first().waitFor({ state: 'attached' });
    const links = timeline(await stateOf(url)).links.map(({ kind, from, to }) => `${kind} ${from} ${to}`);
    const drawn = (): Promise<string[]> =>
      page.$$eval('path[data-from]', (paths) =>
        paths.map((path) => `${path.getAttribute('data-kind')} ${path.getAttribute('data-from')} ${path.getAttribute('data-to')}`),
      );
    const around = links.filter((link) => link.includes('Principal_2.t3'));
    await expect.poll(async () => (await drawn()).toSorted()).toEqual(around.toSorted());
    await page.getByLabel('all causes').check();
    await expect.poll(async () => (await drawn()).toSorted()).toEqual(links.toSorted());
    await browser.screenshot(page, 'timeline-causes');

    const width = async (): Promise<number> => (await page.locator('[data-turn="Principal_2.t3"]').boundingBox())?.width ?? 0;
    const before = await width();
    await page.locator('[data-turn="Principal_2.t3"]').focus();
    await page.keyboard.press('+');
    await page.keyboard.press('+');
    await expect.poll(width).toBeGreaterThan(before * 2);
    // Zooming is about the pointer: the turn stays in view, wherever it is in a run of this machine.
    await page.locator('[data-turn="Principal_2.t3"]').hover();
    await page.keyboard.down('Control');
    await page.mouse.wheel(0, -200);
    await page.keyboard.up('Control');
    await expect.poll(width).toBeGreaterThan(before * 4);
    await page.waitForURL(/from=[\d.]+&to=[\d.]+/);
    // The address follows the zoom a little later.
    let address = '';
    await expect.poll(() => address === (address = page.url()), { interval: 1_500 }).toBe(true);
    const there = await width();
    const again = await browser.open(address);
    await expect
      .poll(async () => (await again.locator('[data-turn="Principal_2.t3"]').boundingBox())?.width ?? 0)
      .toBeCloseTo(there, -1);
    await again.keyboard.press('Tab');
    await again.getByRole('button', { name: 'fit' }).click();
    await again.waitForURL((address) => !address.href.includes('from='));
    await again.getByRole('button', { name: 'as a table' }).click();
    await again
      .getByRole('row', { name: /Principal_2 3/ })
      .getByText('dispatch_submodules')
      .waitFor();
    await browser.screenshot(again, 'timeline-table');
  });
});

describe.skipIf(whyNoPage !== undefined)('timeline, board and tree of a run that goes on', () => {
  it('grow as it goes: bars come and end, a card moves with its focus, counts rise', async () => {
    const { engine, run, workers } = await liveTeam();
    const url = await served(engine, run.id);
    const page = await browser.open(url);
    await page.locator('[data-turn="Worker_2.t1"].is-running').waitFor();
    expect(await page.getByRole('button', { name: 'live' }).getAttribute('aria-pressed')).toBe('true');
    const other = await browser.open(`${url}/board`);
    const card = other.locator('[data-module=WM_1]');
    await other.getByRole('region', { name: 'ongoing' }).locator('[data-module=WM_1]').waitFor();
    await card.getByText('Worker_2').waitFor();
    await card.getByRole('button', { name: 'task' }).click();
    await card.getByText('About Read.').waitFor();
    const third = await browser.open(`${url}/tree`, { width: 390 });
    await third.locator('[data-agent=Worker_2]').getByText('waits for the model').waitFor();

    workers.WM_1.open(finish('All read.', { found: '3 things' }));
    await page.locator('[data-turn="Worker_2.t1"].is-completed').waitFor();
    await other.getByRole('region', { name: 'in review' }).locator('[data-module=WM_1]').waitFor();
    await other.getByRole('status').filter({ hasText: 'WM_1 in review' }).waitFor({ state: 'attached' });
    expect(await other.evaluate('document.activeElement.dataset.part')).toBe('task');
    await card.getByText('About Read.').waitFor();
    await card.getByRole('button', { name: '1 deliverable' }).click();
    await card.getByText('3 things').waitFor();
    await browser.screenshot(other, 'board-live');
    await third.locator('[data-agent=Worker_2]').getByText('success').waitFor();

    workers.WM_2.open(finish());
    await run.settled();
    await other.getByRole('region', { name: 'completed' }).locator('[data-module=WM_2]').waitFor();
    await page.getByRole('group', { name: '4 turns of Principal_1' }).waitFor();
    await expectTimeline(page, timeline(await stateOf(url)));
    await browser.screenshot(third, 'tree-narrow');
  });

  it('one agent is cancelled, with what it is for', async () => {
    const { engine, run } = await liveTeam();
    const url = await served(engine, run.id);
    const page = await browser.open(`${url}/tree`);
    await page.getByRole('button', { name: 'cancel Worker_2…' }).click();
    await page.getByLabel(/Reason/).fill('too slow');
    await page.getByRole('button', { name: 'Cancel the agent' }).click();
    await page.locator('[data-agent=Worker_2]').getByText('cancelled').waitFor();
    expect((await stateOf(url)).status).toBe('running');
    expect(await page.getByRole('dialog').count()).toBe(0);
  });

  it('names that mean something to a browser are text, however long', async () => {
    const { engine, run, workers } = await liveTeam([hostile, `\u202E${hostile}`], hostile);
    workers.WM_1.open(finish(hostile, { [hostile]: hostile }));
    workers.WM_2.open({ error: new Error(hostile) });
    await run.settled();
    const url = await served(engine, run.id);
    for (const [width, colorScheme] of [
      [1280, 'light'],
      [390, 'dark'],
    ] as const) {
      const page = await browser.open(url, { width, colorScheme });
      await page.locator('[data-turn="Worker_2.t1"]').hover();
      await page.getByRole('tooltip').waitFor();
      await expectHarmless(page);
      await browser.screenshot(page, `timeline-hostile-${width}`);
      await page.goto(`${url}/board`);
      await page.locator('[data-module=WM_1]').getByRole('button', { name: 'attempt' }).click();
      await page.locator('[data-module=WM_1]').getByRole('button', { name: 'deliverable' }).click();
      await expectHarmless(page);
      await browser.screenshot(page, `board-hostile-${width}`);
      await page.goto(`${url}/tree`);
      await page.locator('[data-agent=Worker_2]').waitFor();
      await expectHarmless(page);
      await browser.screenshot(page, `tree-hostile-${width}`);
    }
  });

  it('the idle end is folded and marks stay inside; its keys work and are told wherever the focus is', async () => {
    const journal = new JournalBuilder();
    const [id, turn] = [agentId('Lead_0'), turnId('Lead_0.t1')];
    journal.agent('Lead_0', 'Principal');
    journal.turn('Lead_0', turn, []);
    const pay = { id: 'c1', name: 'pay', args: {} };
    journal.wait(3_000).reply('Lead_0', turn, 'I pay.', [pay]);
    const requested = { agentId: id, turnId: turn, callId: callId('c1') };
    journal.add({ type: 'tool.request', ...requested, name: 'pay', args: {} });
    journal.add({
      type: 'tool.suspend',
      ...requested,
      memo: null,
      on: { kind: 'approval', gateId: 'money', capability: someCapability },
    });
    journal.end('Lead_0', turn);
    journal.wait(600_000).add({ type: 'run.resume', engineVersion: '0.1.0', downMs: 600_000 });
    const page = await browser.open(await builtRun(journal));
    await page.getByRole('button', { name: /^idle for 10 min.*: expand$/ }).waitFor();
    await page.getByText('waits for a person', { exact: true }).waitFor();
    const bar = await page.locator(`[data-turn="${turn}"]`).boundingBox();
    expect(bar?.width).toBeGreaterThan(500);
    const chart = await page.locator('.timeline-scroller').boundingBox();
    const flag = await page.getByRole('img', { name: /^resumed/ }).boundingBox();
    expect((flag?.x ?? 0) + (flag?.width ?? 0)).toBeLessThanOrEqual((chart?.x ?? 0) + (chart?.width ?? 0));
    await browser.screenshot(page, 'timeline-idle-end');

    await page.keyboard.press('g');
    await page.keyboard.press('t');
    await page.getByRole('table', { name: 'Turns' }).waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('l');
    await page.locator(`[data-turn="${turn}"]`).waitFor();
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys' }).getByText('next turn of the agent').waitFor();
    await browser.screenshot(page, 'timeline-keys');
    await page.keyboard.press('Escape');
    await page.keyboard.press('+');
    await page.getByRole('button', { name: 'fit', pressed: false }).waitFor();
    await page.keyboard.press('ArrowRight');
    expect(await page.evaluate('document.activeElement.dataset.turn')).toBe(turn);
  });

  it('agents of any name can be shown and gone to', async () => {
    const journal = new JournalBuilder();
    const id = `${hostile.slice(0, 80)}"]`;
    journal.agent(id, hostile);
    journal.turn(id, `${id}.t1`, []);
    journal.add({ type: 'turn.end', agentId: agentId(id), turnId: turnId(`${id}.t1`), status: 'error' });
    const page = await browser.open(await builtRun(journal));
    await page.getByRole('link', { name: /^turn 1 of <img/ }).focus();
    await page.keyboard.press('ArrowLeft');
    await expectHarmless(page);
  });
});

describe.skipIf(whyNoPage !== undefined)('timeline and tree at scale', () => {
  it('1,000 turns in 50 rows: draw what is in view, and move without stumbling', async () => {
    const url = await builtRun(crowdJournal(50, 1_000));
    const page = await browser.open(url);
    await page.locator('.bar, .block').first().waitFor();
    const journal = "performance.getEntriesByType('resource').find(({ name }) => name.includes('/journal')).responseEnd";
    const [came, drawn] = await page.evaluate<number[]>(`[${journal}, performance.now()]`);
    console.log(`1,000 turns: journal here after ${Math.round(came ?? 0)} ms, drawn after ${Math.round(drawn ?? 0)} ms`);
    await browser.screenshot(page, 'timeline-1000-turns');
    expect(await boxes(page)).toBeLessThan(4_000);
    for (let press = 0; press < 6; press++) await page.getByRole('button', { name: 'zoom in', exact: true }).click();
    expect(await boxes(page)).toBeLessThan(4_000);
    await page.evaluate("document.querySelector('.timeline-scroller').scrollTo(0, 0)");
    console.log(`1,000 turns, panning: ${await pan(page, 24, 0)}`);
    console.log(`1,000 turns, down: ${await pan(page, 0, 16)}`);
    expect(await boxes(page)).toBeLessThan(4_000);
    await browser.screenshot(page, 'timeline-1000-turns-near');
  });

  it('1,000 agents: rows come as they are needed', async () => {
    const url = await builtRun(crowdJournal(1_000, 2_000));
    const page = await browser.open(url);
    await page.locator('.bar, .block').first().waitFor();
    console.log(`1,000 rows, down: ${await pan(page, 0, 90)}`);
    expect(await boxes(page)).toBeLessThan(4_000);
    await page.goto(`${url}/tree?agent=Worker_900`);
    await page.locator('[data-agent=Worker_900].is-named').waitFor();
    expect(await boxes(page)).toBeLessThan(4_000);
    await page.locator('[data-agent=Worker_900]').focus();
    await page.keyboard.press('End');
    await page.locator('[data-agent=Worker_999]:focus').waitFor();
  });
});

/** Every row and, where it is wide enough, every turn of a timeline is on the page, in its order. */
async function expectTimeline(page: Page, view: ReturnType<typeof timeline>): Promise<void> {
  const rows = (): Promise<(string | null)[]> =>
    page.$$eval('.timeline-row', (elements) => elements.map((element) => element.getAttribute('data-agent')));
  await expect.poll(rows).toEqual(view.lanes.map((lane) => lane.agentId));
  const names = await page.$$eval('[data-turn]', (bars) => bars.map((bar) => bar.getAttribute('data-turn')));
  const known = new Set<string | null>(view.lanes.flatMap(({ bars }) => bars.map((bar) => bar.turnId)));
  expect(names.every((name) => known.has(name))).toBe(true);
  const counts = await page.$$eval('.timeline-row-marks', (groups) => groups.map((group) => group.getAttribute('aria-label')));
  expect(counts.map((label) => Number.parseInt(label ?? '', 10))).toEqual(view.lanes.map(({ bars }) => bars.length));
}

async function expectHarmless(page: Page): Promise<void> {
  expect(await page.evaluate("'hit' in window ? 'ran' : 'text'")).toBe('text');
  expect(await page.locator('#page img, #page script').count()).toBe(0);
  expect(await page.evaluate('/[\\u202E\\u0007]/.test(document.body.innerText)')).toBe(false);
  const overflow = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
  expect(overflow).toBeLessThanOrEqual(0);
}

function columnsOf(page: Page): Promise<unknown[]> {
  return page.$$eval('.column', (columns) =>
    columns.map((column) => [
      column.getAttribute('data-status'),
      Number(column.querySelector('.count')?.textContent),
      [...column.querySelectorAll('[data-module]')].map((card) => card.getAttribute('data-module')),
    ]),
  );
}

function rowsOf(page: Page): Promise<unknown[]> {
  return page.$$eval('[role=row][data-agent]', (rows) =>
    rows.map((row) => [
      row.getAttribute('data-agent'),
      row.querySelector('.tree-turns')?.textContent,
      row.querySelector('.tree-calls')?.textContent,
    ]),
  );
}

function flat(nodes: readonly AgentNodeView[]): readonly AgentNodeView[] {
  return nodes.flatMap((node) => [node, ...flat(node.children)]);
}

function boxes(page: Page): Promise<number> {
  return page.evaluate<number>("document.querySelectorAll('*').length");
}

/** Scrolls the timeline by a distance per frame, for two seconds' worth of frames; returns the frame times. */
async function pan(page: Page, x: number, y: number): Promise<string> {
  const times = await page.evaluate<number[]>(`(async () => {
    const scroller = document.querySelector('.timeline-scroller');
    const found = [];
    let last = performance.now();
    for (let frame = 0; frame < 120; frame++) {
      scroller.scrollBy(${x}, ${y});
      await new Promise((resolve) => requestAnimationFrame(resolve));
      const now = performance.now();
      found.push(now - last);
      last = now;
    }
    return found.sort((a, b) => a - b);
  })()`);
  const at = (share: number): string => `${(times[Math.floor((times.length - 1) * share)] ?? 0).toFixed(1)} ms`;
  return `median ${at(0.5)}, 95 % ${at(0.95)}, longest ${at(1)}`;
}
