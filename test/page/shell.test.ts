import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { waitsForUser } from '../support/test-engine.ts';
import { allow, tool } from '../support/tools.ts';
import { usePageBrowser, whyNoPage } from './browser.ts';
import { serveTeam } from './served-team.ts';

const browser = usePageBrowser();

/** Scripts evaluated in the window; as text, since these tests have no DOM types. */
const scripts = {
  widths: '[document.documentElement.scrollWidth, innerWidth]',
  focused: 'document.activeElement.textContent',
  background: 'getComputedStyle(document.body).backgroundColor',
  nodes: "document.querySelectorAll('*').length",
  text: 'document.body.innerText',
  hit: 'window.hit',
  home: "void (location.hash = '#/')",
  unnamed: `(() => {
    const nameOf = (element) =>
      element.getAttribute('aria-label') ?? element.getAttribute('aria-labelledby') ??
      (element.labels?.length ? 'labelled' : element.textContent.trim() || element.getAttribute('title') || '');
    const found = [...document.querySelectorAll('button, a[href], input, select, textarea, summary, [role=meter], dialog')]
      .filter((element) => nameOf(element) === '').map((element) => element.outerHTML.slice(0, 200));
    for (const what of ['h1', 'main', 'header.top']) {
      const count = document.querySelectorAll(what).length;
      if (count !== 1) found.push(count + ' times ' + what);
    }
    const ids = [...document.querySelectorAll('[id]')].map((element) => element.id);
    if (new Set(ids).size !== ids.length) found.push('an id stands twice');
    return found;
  })()`,
} as const;

/** Returns the milliseconds from a change of the address until the view of a run is painted. */
const opening = (hash: string): string => `(async () => {
  const began = performance.now();
  location.hash = ${JSON.stringify(hash)};
  while (document.querySelector('[data-turn], .table-row, .message') === null || document.querySelector('.facts') === null)
    await new Promise((resolve) => requestAnimationFrame(resolve));
  await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
  return performance.now() - began;
})()`;

/** Checks that nothing on the page is wider than the window. */
async function assertNarrowEnough(page: Page): Promise<void> {
  const [content = 0, window = 0] = await page.evaluate<readonly number[]>(scripts.widths);
  expect(content).toBeLessThanOrEqual(window);
}

/** Checks that every control has a name, and every view its landmarks and one main heading. */
async function assertNamed(page: Page): Promise<void> {
  expect(await page.evaluate(scripts.unnamed)).toEqual([]);
}

const hostile = [
  '<script>window.hit = 1</script><img src="https://evil.example/x.png" onerror="window.hit = 1">',
  '\u001B[31mred\u001B[0m \u202Eright to left\u202C \u0000 \u2028',
  '](javascript:alert(1)) {{constructor.constructor("window.hit = 1")()}}',
].join('\n');

describe.skipIf(whyNoPage !== undefined)(`the page as a whole (${whyNoPage ?? 'in Chromium'})`, () => {
  it('lists runs as they come and change, by status and words that stay in the address; j, k, enter, / and esc lead around', async () => {
    await using team = await serveTeam(browser, {
      profile: { Talker: waitsForUser, Worker: '' },
      replies: () => ({ text: 'Done.' }),
    });
    const launch = async (profile: string, title: string) => {
      const run = await team.engine.launch({ profile, input: 'Go.', title });
      await run.settled();
      return run;
    };
    const talk = await launch('Talker', 'First talk');
    const page = await browser.open(`${team.url}/#/`);
    const rows = page.getByRole('table', { name: 'Runs' }).getByRole('row');
    await page.getByRole('link', { name: 'First talk' }).waitFor();
    const second = await launch('Talker', 'Second talk');
    await page.getByRole('link', { name: 'Second talk' }).waitFor();
    await second.cancel('enough');
    await page.getByRole('button', { name: /^cancelled/ }).click();
    expect(page.url()).toContain('status=cancelled');
    expect(await rows.count()).toBe(2);
    // A title and a project set elsewhere appear immediately.
    await team.engine.catalog.rename(second.id, 'Second chat');
    await team.engine.catalog.move(second.id, 'Kitchen');
    await page.getByRole('link', { name: 'Second chat' }).waitFor();
    await page.getByText('Kitchen', { exact: true }).waitFor();
    await team.engine.catalog.rename(second.id, null);
    await page.getByRole('link', { name: 'Second talk' }).waitFor();
    await page.reload();
    await page.getByRole('button', { name: /^cancelled/, pressed: true }).click();
    await page.keyboard.press('/');
    await page.keyboard.type('first');
    await page.getByRole('link', { name: 'Second talk' }).waitFor({ state: 'detached' });
    expect(page.url()).toContain('q=first');
    await page.getByRole('button', { name: 'idle 1' }).waitFor();
    await page.getByRole('button', { name: 'cancelled 0' }).waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('j');
    expect(await page.evaluate(scripts.focused)).toBe('First talk');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'First talk' }).waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('t');
    await page.getByRole('link', { name: 'Talker_1.t1' }).waitFor();
    expect(await page.evaluate(scripts.focused)).toBe('Turns');
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.waitForURL(/turns\/Talker_1\.t1$/);
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys' }).getByText('next turn', { exact: true }).waitFor();
    await browser.screenshot(page, 'keys');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    await page.waitForURL(/\/turns$/);
    await page.keyboard.press('Escape');
    await page.getByRole('heading', { level: 1, name: 'Runs' }).waitFor();
    // Keys pressed before the page is rendered again count from where the previous key led.
    await page.goto(`${team.url}/#/runs/${talk.id}/turns/Talker_1.t1`);
    await page.getByText('Talker_1.t1').first().waitFor();
    await page.evaluate(
      `for (const key of ['Escape', 'Escape']) document.body.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }))`,
    );
    await page.getByRole('heading', { level: 1, name: 'Runs' }).waitFor();
    await page.keyboard.press('Tab');
  });

  it('what a run says is text in every view, however it is written and however long it is; nothing is wider than the window', async () => {
    await using team = await serveTeam(browser, {
      profile: {
        Talker: `stagnation: off\n${waitsForUser}${allow('pay')}\ntool_gates: [{ id: money, tools: [pay], verdict: ask, message: Sure? }]`,
      },
      tools: [tool('pay', () => 'paid')],
      limits: { tokens: 100_000_000 },
      replies: [
        { text: hostile.repeat(3) },
        { text: 'Read.' },
        { toolCalls: [{ name: 'pay', args: { to: hostile, long: 'z'.repeat(300_000) } }] },
      ],
    });
    const run = await team.engine.launch({ profile: 'Talker', input: hostile, title: hostile });
    await run.settled();
    await run.send(`x${'y'.repeat(5_000_000)}`);
    await run.settled();
    await run.send('Pay.');
    await run.settled();
    for (const width of [1280, 390]) {
      const page = await browser.open(`${team.url}/#/`, { width });
      for (const place of [
        '',
        `runs/${run.id}`,
        `runs/${run.id}/board`,
        `runs/${run.id}/tree`,
        `runs/${run.id}/talk`,
        `runs/${run.id}/turns`,
        `runs/${run.id}/events?seq=6`,
      ]) {
        await page.goto(`${team.url}/#/${place}`);
        await page.getByText('<script>').first().waitFor();
        await assertNarrowEnough(page);
        await assertNamed(page);
        expect(await page.evaluate(scripts.hit)).toBeUndefined();
        const shown = await page.evaluate<string>(scripts.text);
        expect(['\u202E', '\u001B', '\u0000'].filter((character) => shown.includes(character))).toEqual([]);
        if (place === '' || place.endsWith('/talk'))
          await browser.screenshot(page, `hostile-${place === '' ? 'runs' : 'talk'}-${width}`);
      }
      await page.context().close();
    }
  });

  it('is dark or light as the system is, or as somebody chose, also the next time', async () => {
    await using team = await serveTeam(browser, { profile: { Talker: waitsForUser }, replies: () => ({ text: 'Done.' }) });
    const run = await team.engine.launch({ profile: 'Talker', input: 'Go.' });
    await run.settled();
    const page = await browser.open(`${team.url}/#/runs/${run.id}/talk`, { colorScheme: 'dark' });
    const background = (): Promise<string> => page.evaluate<string>(scripts.background);
    await page.getByText('Done.').waitFor();
    const dark = await background();
    await browser.screenshot(page, 'dark');
    await page.getByLabel('Colours').selectOption('light');
    const light = await background();
    expect(light).not.toBe(dark);
    await page.reload();
    await page.getByText('Done.').waitFor();
    expect(await background()).toBe(light);
  });

  it('a run of 1,000 turns opens at once, with few nodes however long it is', async () => {
    const turns = 1_000;
    await using team = await serveTeam(browser, {
      profile: {
        Talker: `stagnation: off\ncontext_policy: { window: 20 }\nlimits: { max_turns: 1010, max_tool_calls: 1010 }\n${allow('look')}`,
      },
      tools: [tool('look', () => 'There is nothing to see here, and that is said at some length.', { effect: 'pure' })],
      replies: (_request, index) =>
        index < turns - 1
          ? { text: `Looking for the ${index}th time.`, toolCalls: [{ name: 'look', args: { index } }] }
          : { text: 'Done.' },
      limits: { turns: turns + 10, toolCalls: turns + 10 },
    });
    const run = await team.engine.launch({ profile: 'Talker', input: 'Look.' });
    await run.result;
    expect(run.turns().length).toBe(turns);
    const page = await browser.open(`${team.url}/#/`);
    await page.getByRole('link', { name: 'Look.' }).waitFor();
    for (const place of ['', '/turns', '/events', '/talk']) {
      const ms = await page.evaluate<number>(opening(`#/runs/${run.id}${place}`));
      const nodes = await page.evaluate<number>(scripts.nodes);
      console.log(`1,000 turns${place}: ${Math.round(ms)} ms, ${nodes} nodes`);
      expect(nodes).toBeLessThan(6_000);
      expect(ms).toBeLessThan(5_000);
      await page.evaluate(scripts.home);
      await page.getByRole('heading', { level: 1, name: 'Runs' }).waitFor();
    }
  });
});
