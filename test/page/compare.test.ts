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
  background: 'getComputedStyle(document.querySelector(".diff-added")).backgroundColor',
  hit: 'window.hit',
  text: 'document.body.innerText',
  rows: "document.querySelectorAll('.compared .table-row').length",
} as const;

const hostile = '<script>window.hit = 1</script><img src=x onerror="window.hit = 1">\u001B[31m\u202Ered\u202C\u0000';

/** Serves a team that looks and then answers; `said` are the results of its tool, in order. */
async function lookingTeam(said: readonly string[]) {
  const results = [...said];
  return await serveTeam(browser, {
    profile: `stagnation: off\n${waitsForUser}${allow('look')}`,
    tools: [tool('look', () => results.shift() ?? 'nothing', { effect: 'pure' })],
    replies: (_request, index) => (index % 2 === 0 ? { toolCalls: [{ name: 'look', args: {} }] } : { text: 'Seen.' }),
  });
}

/** Launches runs one after the other. */
async function launchAll(team: Awaited<ReturnType<typeof lookingTeam>>, titles: readonly string[]): Promise<readonly string[]> {
  const ids: string[] = [];
  for (const title of titles) {
    const run = await team.engine.launch({ profile: 'Root', input: 'What is there?', title });
    await run.settled();
    ids.push(run.id);
  }
  return ids;
}

async function assertNarrowEnough(page: Page): Promise<void> {
  const [content = 0, window = 0] = await page.evaluate<readonly number[]>(scripts.widths);
  expect(content).toBeLessThanOrEqual(window);
}

describe.skipIf(whyNoPage !== undefined)(`comparing runs on the page (${whyNoPage ?? 'in Chromium'})`, () => {
  it('shows the first difference and its cause, aligns the turns, and compares the prompts of one; two runs are chosen in the list', async () => {
    await using team = await lookingTeam(['a grey cat', 'a brown dog']);
    const [a = '', b = ''] = await launchAll(team, ['First look', 'Second look']);
    const longer = await team.engine.open(b);
    await longer.send('And now?');
    await longer.settled();
    const page = await browser.open(`${team.url}/#/`);
    await page.getByRole('checkbox', { name: 'Compare First look' }).check();
    await page.getByRole('link', { name: 'Compare with…' }).waitFor();
    await page.getByRole('checkbox', { name: 'Compare Second look' }).check();
    await page.getByRole('link', { name: 'Compare the two runs' }).click();
    await page.waitForURL(new RegExp(`#/compare/${a}/${b}$`));
    const main = page.getByRole('main');
    await main.getByText('tool result', { exact: true }).waitFor();
    expect(await main.getByRole('region', { name: 'First difference' }).textContent()).toContain(
      'Root_1.t1, results: tool result, the same call of look ended otherwise',
    );
    // Figures of both runs, and those that differ are marked.
    const turns = main.getByRole('table', { name: 'The runs' }).getByRole('row', { name: /^turns/ });
    expect(await turns.textContent()).toBe('turns24');
    expect(await turns.getAttribute('class')).toBe('sides-differ');
    // One row per turn.
    const row = (turnId: string) => main.getByRole('table', { name: 'Compared turns' }).getByRole('row', { name: turnId });
    expect(await row('Root_1.t1').textContent()).toContain('results');
    expect(await row('Root_1.t2').textContent()).toContain('messages');
    expect(await row('Root_1.t3').textContent()).toContain('only in B');
    // The first turn that differs is shown in full.
    await main.getByRole('heading', { name: 'result of look' }).waitFor();
    await main.locator('.diff-removed', { hasText: 'a grey cat' }).first().waitFor();
    await main.locator('.diff-added', { hasText: 'a brown dog' }).first().waitFor();
    await browser.screenshot(page, 'compare');
    // By keys: to the next row, its turn in full, with the difference of the prompts.
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.waitForURL(/turn=Root_1\.t2/);
    await main.getByRole('heading', { level: 2, name: 'Root_1.t2' }).waitFor();
    await expect.poll(() => page.evaluate(scripts.focused)).toBe('Root_1.t2');
    await main.getByText('changed: result of look').waitFor();
    await main.getByRole('link', { name: 'the turn in B' }).click();
    await page.waitForURL(new RegExp(`#/runs/${b}/turns/Root_1\\.t2$`));
    await page.goBack();
    await main.getByRole('button', { name: 'only those that differ' }).click();
    await page.waitForURL(/only=differ/);
    await main.getByText('2 the same').waitFor({ state: 'detached' });
    await page.keyboard.press('Escape');
    await page.getByRole('heading', { level: 1, name: 'Runs' }).waitFor();
  });

  it('is reached from a run, also by its address; says when runs are the same, or cannot be compared', async () => {
    await using team = await lookingTeam(['a cat', 'a cat']);
    const [a = '', b = ''] = await launchAll(team, ['First look', 'Second look']);
    const page = await browser.open(`${team.url}/#/runs/${a}`);
    await page.getByText('More', { exact: true }).click();
    await page.getByRole('link', { name: 'compare with…' }).click();
    await page.getByRole('heading', { level: 1, name: 'Compare with…' }).waitFor();
    await page.getByRole('banner').getByRole('link', { name: 'First look' }).waitFor();
    expect(await page.getByRole('table', { name: 'Runs' }).getByRole('link', { name: 'First look' }).count()).toBe(0);
    await page.getByRole('table', { name: 'Runs' }).getByRole('link', { name: 'Second look' }).click();
    await page.waitForURL(new RegExp(`#/compare/${a}/${b}$`));
    await page.getByText('2 turns, no difference.').waitFor();
    await page.reload();
    await page.getByText('2 turns, no difference.').waitFor();
    browser.expectProblem(/404/);
    await page.goto(`${team.url}/#/compare/${a}/run_none`);
    await page.getByRole('alert').getByText('run_none').waitFor();
  });

  it('is dark and light, no wider than a narrow window, and shows what runs say as text', async () => {
    await using team = await lookingTeam(['a grey cat', `${hostile}${'z'.repeat(3_000)}`]);
    const [a = '', b = ''] = await launchAll(team, ['First look', `${hostile}${'y'.repeat(400)}`]);
    const seen: string[] = [];
    for (const colorScheme of ['dark', 'light'] as const) {
      const page = await browser.open(`${team.url}/#/compare/${a}/${b}`, { colorScheme, width: 390 });
      await page.locator('.diff-added').first().waitFor();
      await page.locator('.diff-added', { hasText: '<script>' }).first().waitFor();
      await assertNarrowEnough(page);
      expect(await page.evaluate(scripts.hit)).toBeUndefined();
      const shown = await page.evaluate<string>(scripts.text);
      expect(['\u202E', '\u001B', '\u0000'].filter((character) => shown.includes(character))).toEqual([]);
      seen.push(await page.evaluate<string>(scripts.background));
      await browser.screenshot(page, `compare-${colorScheme}-390`);
    }
    expect(new Set(seen).size).toBe(2);
  });

  it('renders the rows in view of runs of 400 turns, and leads to the last one', async () => {
    const turns = 400;
    await using team = await serveTeam(browser, {
      profile: `stagnation: off\nlimits: { max_turns: ${turns + 10}, max_tool_calls: ${turns + 10} }\ncontext_policy: { window: 20 }\n${allow('look')}`,
      tools: [tool('look', () => 'There is nothing to see here.', { effect: 'pure' })],
      replies: (_request, index) =>
        index % turns < turns - 1
          ? { text: 'Looking.', toolCalls: [{ name: 'look', args: { index: index % turns } }] }
          : { text: `Done ${index}.` },
      limits: { turns: turns + 10, toolCalls: turns + 10 },
    });
    const [a = '', b = ''] = await launchAll(team, ['First', 'Second']);
    const page = await browser.open(`${team.url}/#/compare/${a}/${b}`);
    const began = performance.now();
    await page.getByText('399 the same').waitFor();
    console.log(`two runs of 400 turns compared after ${Math.round(performance.now() - began)} ms`);
    expect(await page.evaluate<number>(scripts.rows)).toBeLessThan(100);
    await page
      .getByRole('button', { name: `Root_1.t${turns}`, exact: true })
      .first()
      .waitFor();
    await page.getByRole('heading', { level: 3, name: 'reply' }).waitFor();
  }, 120_000);
});
