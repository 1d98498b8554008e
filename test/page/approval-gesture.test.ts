import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { allow, tool } from '../support/tools.ts';
import { waitsForUser } from '../support/test-engine.ts';
import { usePageBrowser, whyNoPage } from './browser.ts';
import { serveTeam } from './served-team.ts';

const browser = usePageBrowser();

/** A team that waits with calls of a payment, and those that ran. */
async function payingTeam(amounts: readonly number[], effect = 'unsafe') {
  const paid: unknown[] = [];
  const team = await serveTeam(browser, {
    profile: `${waitsForUser}stagnation: off\n${allow('pay')}tool_gates: [{ id: money, tools: [pay], verdict: ask }]`,
    tools: [tool('pay', ({ amount }) => (paid.push(amount), 'paid'), { effect })],
    replies: [{ toolCalls: amounts.map((amount) => ({ name: 'pay', args: { amount } })) }, { text: 'finished' }],
  });
  const run = await team.engine.launch({ profile: 'Root', input: 'Go.' });
  await run.settled();
  return { team, run, paid };
}

describe.skipIf(whyNoPage !== undefined)(`F84: a verdict is meant (${whyNoPage ?? 'in Chromium'})`, () => {
  it('an unsafe call is approved in two steps, at two places, by mouse and by key; neither a double click nor a held key does it', async () => {
    const { team, run, paid } = await payingTeam([5, 7]);
    await using _team = team;
    const page = await browser.open(`${team.url}/#/runs/${run.id}/talk`, { width: 390, height: 664 });
    const card = page.getByRole('region', { name: `approval ${run.pending[0]?.id}`, exact: true });
    const approve = card.getByRole('button', { name: 'Approve', exact: true });
    const back = card.getByRole('button', { name: 'Back' });
    const sure = card.getByRole('button', { name: 'Yes, run pay(…)' });
    await approve.scrollIntoViewIfNeeded();
    await expect.poll(() => approve.isEnabled()).toBe(true);
    const first = (await approve.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
    const [x, y] = [first.x + first.width / 2, first.y + first.height / 2];

    await page.mouse.dblclick(x, y);
    await back.waitFor();
    const second = (await sure.boundingBox()) ?? first;
    expect(second.y).toBeGreaterThanOrEqual(first.y + first.height);
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Back');
    await page.mouse.click(x, y, { delay: 5 });
    await page.mouse.dblclick(x, y);
    await page.mouse.dblclick(x, y);
    expect(paid).toEqual([]);
    if (await back.isVisible()) await page.keyboard.press('Escape');
    await approve.waitFor();
    expect(page.url()).toContain(run.id);

    await approve.focus();
    for (let index = 0; index < 6; index++) await page.keyboard.press('Enter');
    for (let index = 0; index < 5; index++) await page.keyboard.press('Space');
    expect(paid).toEqual([]);
    if (await approve.isVisible()) await page.keyboard.press('Enter');
    await back.waitFor();
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Yes, run pay(…)');
    await page.keyboard.press('Enter');
    await expect.poll(() => paid).toEqual([5]);
    await card.waitFor({ state: 'detached' });
    expect(run.pending).toHaveLength(1);
  });

  it('a double click approves no second call that takes the place of the first', async () => {
    const { team, run, paid } = await payingTeam([5, 7], 'pure');
    await using _team = team;
    const page = await browser.open(`${team.url}/#/runs/${run.id}/talk`);
    const approve = page.getByRole('button', { name: 'Approve', exact: true }).first();
    await expect.poll(() => approve.isEnabled()).toBe(true);
    await approve.click({ clickCount: 2 });
    await expect.poll(() => paid).toEqual([5]);
    expect(run.pending).toHaveLength(1);
  });

  it('a change of a file is shown as a difference to the file as it is; if the file changes meanwhile, it is read again', async () => {
    const workspace = mkdtempSync(path.join(tmpdir(), 'cadre-card-'));
    const file = path.join(workspace, 'price.txt');
    writeFileSync(file, 'apples 1\npears 2\n');
    await using team = await serveTeam(browser, {
      profile: `${waitsForUser}stagnation: off
tool_access_policy: { allowed_toolsets: [workspace] }
tool_gates: [{ id: files, tools: [edit_file], verdict: ask }]`,
      workspace,
      replies: [
        {
          toolCalls: [
            { name: 'edit_file', args: { command: 'str_replace', path: 'price.txt', old_str: 'pears 2', new_str: 'pears 3' } },
          ],
        },
        { text: 'finished' },
      ],
    });
    const run = await team.engine.launch({ profile: 'Root', input: 'Go.' });
    await run.settled();
    const page = await browser.open(`${team.url}/#/runs/${run.id}/talk`);
    const change = page.getByRole('region', { name: 'Change of price.txt' });
    await change.waitFor();
    expect(await change.locator('.diff-removed').innerText()).toContain('pears 2');
    expect(await change.locator('.diff-added').innerText()).toContain('pears 3');
    const approve = page.getByRole('button', { name: 'Approve', exact: true });
    await approve.scrollIntoViewIfNeeded();
    await expect.poll(() => approve.isEnabled()).toBe(true);
    writeFileSync(file, 'apples 9\npears 2\n');
    await approve.click();
    await page.getByRole('alert').filter({ hasText: 'has changed while it was shown' }).waitFor();
    expect(run.pending).toHaveLength(1);
    expect(readFileSync(file, 'utf8')).toContain('pears 2');
    await change.getByText('apples 9').waitFor();
    await change.getByText('has changed since the agent asked').waitFor();
    await approve.scrollIntoViewIfNeeded();
    await expect.poll(() => approve.isEnabled()).toBe(true);
    await approve.click();
    await expect.poll(() => readFileSync(file, 'utf8')).toBe('apples 9\npears 3\n');
    rmSync(workspace, { recursive: true });
  });

  it('a link to a request brings it to the middle of the view', async () => {
    const { team, run } = await payingTeam([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    await using _team = team;
    const id = run.pending[5]?.id ?? '';
    for (const [width, height] of [
      [390, 664],
      [1280, 800],
      [1920, 1080],
    ] as const) {
      const page = await browser.open(`${team.url}/#/runs/${run.id}/talk?request=${encodeURIComponent(id)}`, { width, height });
      const card = page.getByRole('region', { name: `approval ${id}`, exact: true });
      await card.getByRole('button', { name: 'Reject' }).waitFor();
      const middle = async (): Promise<number> => {
        const view = await page.locator('.talk').boundingBox();
        const box = await card.boundingBox();
        if (view === null || box === null) return Number.POSITIVE_INFINITY;
        return Math.abs(box.y + box.height / 2 - view.y - view.height / 2);
      };
      await expect.poll(middle).toBeLessThan(100);
    }
  });
});
