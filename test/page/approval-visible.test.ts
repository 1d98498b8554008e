import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { allow, tool } from '../support/tools.ts';
import { waitsForUser } from '../support/test-engine.ts';
import { usePageBrowser, whyNoPage } from './browser.ts';
import { cardGeometry, onCard } from './card-geometry.ts';
import { serveTeam } from './served-team.ts';

const browser = usePageBrowser();

const viewports = [
  [390, 664],
  [1280, 800],
  [1920, 1080],
] as const;

const formerStyle = readFileSync(path.join(import.meta.dirname, 'fixtures', 'buttons-over-arguments.css'), 'utf8');

/** Arguments of the calls that wait together, and their number. A reply holds two million characters at most, a call one. */
/** Requests, and what each asks for; all but the first two are part of `npm run test:sweeps` alone. */
const allCases: readonly (readonly [number, string, string])[] = [
  [1, 'short arguments', 'UPDATE invoices SET open = 0'],
  [10, 'long arguments', statements(5_000)],
  [1, '200,000 short lines', 'a b\n'.repeat(200_000)],
  [2, 'a megabyte without a break', 'x'.repeat(990_000)],
  [2, 'long arguments', statements(80)],
  [10, 'short arguments', 'UPDATE invoices SET open = 0'],
  [1, 'a megabyte of lines', 'lorem ipsum dolor sit amet, consetetur sadipscing elitr sed diam\n'.repeat(15_500)],
];
const cases = allCases.slice(0, process.env['SWEEPS'] === 'all' ? undefined : 2);

function statements(count: number): string {
  return Array.from({ length: count }, (_, line) => `UPDATE t SET a = ${line} WHERE b = ${line};`).join('\n');
}

const runParameters = { type: 'object', properties: { first: { type: 'string' }, statement: { type: 'string' } } };

/** A team that waits with some calls of one tool, and the calls that ran. */
async function askingTeam(count: number, text: string, effect: string) {
  const ran: unknown[] = [];
  const calls = Array.from({ length: count }, (_, index) => ({
    name: 'apply',
    args: { first: `call ${index}`, statement: text },
  }));
  const team = await serveTeam(browser, {
    profile: `${waitsForUser}stagnation: off\n${allow('apply')}tool_gates: [{ id: careful, tools: [apply], verdict: ask }]`,
    tools: [tool('apply', (args) => (ran.push(args['first']), 'done'), { effect, parameters: runParameters })],
    replies: [{ text: 'Hello.' }, { toolCalls: calls }, { text: 'finished' }],
  });
  const run = await team.engine.launch({ profile: 'Root', input: 'Hello.' });
  await run.settled();
  await run.send('Go.');
  await run.settled();
  return { team, run, ran };
}

const cardOf = (page: Page, id: string): Locator => page.getByRole('region', { name: `approval ${id}`, exact: true });

const approveIn = (card: Locator): Locator => card.getByRole('button', { name: 'Approve', exact: true });

/** Scrolls the view so that a card's button is at its upper edge: the arguments above it are out of view. */
async function jumpToButton(page: Page, id: string): Promise<void> {
  await onCard(
    page,
    id,
    `(card) => {
      const button = card.querySelector('.decide-first');
      const scroller = card.closest('.talk');
      scroller.scrollTop += button.getBoundingClientRect().top - scroller.getBoundingClientRect().top - 2;
    }`,
  );
  await frames(page);
}

/** Clicks with the real mouse where the button is, presses what would press it, and clicks it by script. */
async function tryHard(page: Page, id: string): Promise<void> {
  const box = await approveIn(cardOf(page, id)).boundingBox();
  if (box === null) throw new Error('the button is nowhere');
  await page.mouse.dblclick(box.x + box.width / 2, box.y + box.height / 2);
  await onCard(
    page,
    id,
    "(card) => { const button = card.querySelector('.decide-first'); button.focus({ preventScroll: true }); button.click(); }",
  );
  for (const key of ['Enter', 'Space']) await page.keyboard.press(key);
  // Not even a script that enables the button.
  await onCard(
    page,
    id,
    "(card) => { const button = card.querySelector('.decide-first'); button.disabled = false; button.click(); button.disabled = true; }",
  );
}

/** Scrolls to the last line of a card's arguments, as often as the browser finds out that some of it is higher. */
async function readToEnd(page: Page, id: string): Promise<void> {
  await expect
    .poll(async () => {
      await onCard(page, id, "(card) => card.querySelector('.request-args').scrollIntoView({ block: 'end', behavior: 'instant' })");
      await frames(page);
      return await cardGeometry(page, id);
    })
    .toEqual({ isEndSeen: true, isEnabled: true, violations: [] });
}

async function frames(page: Page): Promise<void> {
  await page.evaluate(
    'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(() => done()))))',
  );
}

describe.skipIf(whyNoPage !== undefined)(`F84: what is approved was on screen (${whyNoPage ?? 'in Chromium'})`, () => {
  it.each(cases)(
    '%i × %s: nothing approves before the last line was on screen, in windows of every size',
    async (count, _size, text) => {
      const { team, run, ran } = await askingTeam(count, text, 'idempotent');
      await using _team = team;
      const ids = run.pending.map(({ id }) => id);
      expect(ids).toHaveLength(count);
      const last = ids.at(-1) ?? '';
      const page = await browser.open(`${team.url}/#/runs/${run.id}/talk`);
      for (const [width, height] of viewports) {
        await page.setViewportSize({ width, height });
        await page.reload();
        for (const id of new Set([ids[0] ?? '', ids[1] ?? last, last])) {
          const card = cardOf(page, id);
          await approveIn(card).waitFor();
          await frames(page);
          const first = await cardGeometry(page, id);
          expect(first.violations).toEqual([]);
          if (first.isEnabled) expect(first.isEndSeen).toBe(true);
          else {
            await jumpToButton(page, id);
            const { isEndSeen, isEnabled } = await cardGeometry(page, id);
            expect(isEnabled && !isEndSeen).toBe(false);
            // The last card of a list cannot be scrolled past its end.
            if (isEndSeen) expect(id).toBe(last);
            else {
              await tryHard(page, id);
              expect(await card.getByText('Read to the end to approve.').count()).toBe(1);
            }
          }
          expect(await card.getByRole('button', { name: 'Reject' }).isEnabled()).toBe(true);
          expect(ran).toEqual([]);
          await readToEnd(page, id);
        }
      }
      expect(run.pending).toHaveLength(count);
      await approveIn(cardOf(page, last)).click();
      await cardOf(page, last).waitFor({ state: 'detached' });
      await expect.poll(() => ran).toEqual([`call ${count - 1}`]);
    },
  );

  it('reading one request does not enable another', async () => {
    const { team, run, ran } = await askingTeam(3, statements(80), 'idempotent');
    await using _team = team;
    const [first = '', second = ''] = run.pending.map(({ id }) => id);
    const page = await browser.open(`${team.url}/#/runs/${run.id}/talk`, { width: 390, height: 664 });
    await approveIn(cardOf(page, first)).waitFor();
    await readToEnd(page, first);
    expect((await cardGeometry(page, second)).isEnabled).toBe(false);
    await jumpToButton(page, second);
    await tryHard(page, second);
    expect(ran).toEqual([]);
  });

  it('fails where the buttons stick over arguments that scroll inside, as they once did', async () => {
    const { team, run, ran } = await askingTeam(2, statements(80), 'idempotent');
    await using _team = team;
    const id = run.pending[0]?.id ?? '';
    const page = await browser.open(`${team.url}/#/runs/${run.id}/talk`);
    for (const [width, height] of viewports) {
      await page.setViewportSize({ width, height });
      await page.reload();
      await addStyle(page, formerStyle);
      await approveIn(cardOf(page, id)).waitFor();
      await frames(page);
      const { violations } = await cardGeometry(page, id);
      expect(violations).toEqual(expect.arrayContaining(['scrolls inside: div.request-args', 'sticks: div.request-decide']));
      // Even then the page lets nobody approve what is out of view.
      await tryHard(page, id);
      expect((await cardGeometry(page, id)).isEnabled).toBe(false);
      expect(ran).toEqual([]);
    }
  });

  it('an end that is covered, hidden, clipped or shrunken is not on screen', async () => {
    const { team, run } = await askingTeam(1, 'UPDATE invoices SET open = 0', 'idempotent');
    await using _team = team;
    const id = run.pending[0]?.id ?? '';
    const page = await browser.open(`${team.url}/#/runs/${run.id}/talk`);
    const styles = {
      plain: '',
      covered: 'body::after { content: ""; position: fixed; inset: 0; background: white; z-index: 9; }',
      invisible: '.request-args { visibility: hidden }',
      transparent: '.request-args { opacity: 0 }',
      shrunken: '.request-args { transform: scale(0.1) }',
      clipped: '.request-args { max-block-size: 20px; overflow: hidden }',
      aside: '.request-args { position: relative; inset-inline-start: -3000px }',
    };
    const enabled: string[] = [];
    for (const [what, style] of Object.entries(styles)) {
      await page.goto(`${team.url}/?${what}#/`);
      await addStyle(page, style);
      await page.evaluate(`location.hash = '#/runs/${run.id}/talk'`);
      await approveIn(cardOf(page, id)).waitFor();
      await frames(page);
      if ((await cardGeometry(page, id)).isEnabled) enabled.push(what);
    }
    expect(enabled).toEqual(['plain']);
  });
});

/** Adds rules to a page whose policy allows no style sheets but its own. */
async function addStyle(page: Page, text: string): Promise<void> {
  await page.evaluate(
    `document.adoptedStyleSheets.push(new CSSStyleSheet()); document.adoptedStyleSheets.at(-1).replaceSync(${JSON.stringify(text)})`,
  );
}
