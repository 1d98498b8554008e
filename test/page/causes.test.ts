import { describe, expect, it } from 'vitest';
import { usePageBrowser, whyNoPage } from './browser.ts';
import { builtRun, crowdJournal } from './timeline-runs.ts';

const browser = usePageBrowser();

describe.skipIf(whyNoPage !== undefined)(`all causes of many agents (${whyNoPage ?? 'in Chromium'})`, () => {
  it('F54: are faint, those of the turn that is looked at stand out; how many are drawn is said where not all are', async () => {
    const page = await browser.open(await builtRun(crowdJournal(50, 1_000)));
    await page.getByLabel('all causes').check();
    await page.locator('.arrows.is-many').waitFor();
    const opacity = (paths: string): Promise<readonly number[]> =>
      page.$$eval(paths, (found) => [...new Set(found.map((path) => Number(getComputedStyle(path).opacity)))]);
    expect(await opacity('.arrow')).toEqual([expect.closeTo(0.22)]);
    await page.getByRole('status').getByText('Only 400 arrows are drawn').waitFor();
    expect(await page.locator('.arrow').count()).toBe(400);
    await browser.screenshot(page, 'timeline-many-causes');
    for (let zoom = 0; zoom < 6; zoom++) await page.getByRole('button', { name: 'zoom in' }).click();
    const turn = page.locator('[data-turn]').first();
    await turn.hover();
    await page.locator('.arrow.is-highlighted').first().waitFor({ state: 'attached' });
    expect(await opacity('.arrow.is-highlighted')).toEqual([1]);
    const id = await turn.getAttribute('data-turn');
    const ends = await page.$$eval('.arrow.is-highlighted', (paths) =>
      paths.map((path) => [path.getAttribute('data-from'), path.getAttribute('data-to')]),
    );
    for (const pair of ends) expect(pair).toContain(id);
  });
});

declare function getComputedStyle(element: unknown): { readonly opacity: string };
