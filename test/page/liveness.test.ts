import { describe, expect, it } from 'vitest';
import { waitsForUser } from '../support/test-engine.ts';
import { allow, tool } from '../support/tools.ts';
import { usePageBrowser, whyNoPage } from './browser.ts';
import { serveTeam } from './served-team.ts';

const browser = usePageBrowser();

const profile = `${waitsForUser}${allow('pay')}stagnation: off
tool_gates: [{ id: money, tools: [pay], verdict: ask, message: Really? }]
`;

describe.skipIf(whyNoPage !== undefined)('how a run stands', () => {
  it('F31: the list, the run and the API say alike what is idle, what is over and what waits for its reader', async () => {
    await using team = await serveTeam(browser, {
      profile: { Talker: profile },
      tools: [tool('pay', () => 'paid')],
      replies: ({ prompt }) =>
        JSON.stringify(prompt).includes('Pay') ? { toolCalls: [{ name: 'pay', args: {} }] } : { text: 'Well.' },
    });
    const runs = new Map<string, string>();
    for (const input of ['Say hello', 'Pay me', 'Stop it']) {
      const run = await team.engine.launch({ profile: 'Talker', input });
      await run.settled();
      if (input === 'Stop it') await run.cancel();
      runs.set(input, run.id);
    }
    const page = await browser.open(`${team.url}/#/`);
    const rowOf = (title: string) => page.getByRole('row').filter({ hasText: title });
    await rowOf('Say hello').getByText('idle', { exact: true }).waitFor();
    await rowOf('Stop it').getByText('cancelled', { exact: true }).waitFor();
    await rowOf('Pay me').getByText('waits for you', { exact: true }).waitFor();
    expect(await page.locator('.run-waits').count()).toBe(1);
    await browser.screenshot(page, 'runs-standing');
    await page.getByRole('button', { name: 'waits for you 1' }).click();
    await rowOf('Say hello').waitFor({ state: 'detached' });
    const statusOf = async (input: string): Promise<unknown> => {
      const id = runs.get(input) ?? '';
      const [one, listed] = await Promise.all([
        fetch(`${team.url}/api/runs/${id}`).then((answer) => answer.json()),
        fetch(`${team.url}/api/runs?q=${id}`).then((answer) => answer.json()),
      ]);
      const { status } = one as { status: string };
      expect(listed).toMatchObject({ runs: [{ status }] });
      return status;
    };
    expect([await statusOf('Say hello'), await statusOf('Pay me'), await statusOf('Stop it')]).toEqual([
      'idle',
      'awaiting',
      'cancelled',
    ]);
    await page.goto(`${team.url}/#/runs/${runs.get('Say hello')}`);
    await page.locator('header').getByText('idle', { exact: true }).waitFor();
    await page.goto(`${team.url}/#/runs/${runs.get('Pay me')}`);
    await page.locator('header').getByText('waits for you', { exact: true }).waitFor();
  });

  it('F53: a call that waits for approval is drawn as waiting, and its tools only while they work', async () => {
    await using team = await serveTeam(browser, {
      profile: { Talker: profile },
      tools: [tool('pay', () => 'paid')],
      replies: [{ toolCalls: [{ name: 'pay', args: {} }] }, { text: 'Done.' }],
    });
    const run = await team.engine.launch({ profile: 'Talker', input: 'Pay.' });
    await run.settled();
    const page = await browser.open(`${team.url}/#/runs/${run.id}`);
    const bar = page.locator('[data-turn="Talker_1.t1"].is-for-person');
    await bar.waitFor();
    expect(await bar.getAttribute('aria-label')).toContain('waits for you');
    const painted = (): Promise<string | null> => page.locator('[data-turn="Talker_1.t1"]').getAttribute('style');
    expect(await painted()).toContain('--part-person');
    expect(await painted()).not.toContain('--part-tools');
    await page.locator('.timeline-row-label').getByText('waits for you', { exact: true }).waitFor();
    await page.getByText('waits for a person', { exact: true }).waitFor();
    await browser.screenshot(page, 'timeline-waits');
    await run.approve(run.pending[0]?.id ?? '');
    await page.locator('[data-turn="Talker_1.t1"].is-completed').waitFor();
    await page.locator('.timeline-row-label').getByText('waits for you', { exact: true }).waitFor({ state: 'detached' });
    expect(await painted()).toContain('--part-person');
  });

  it('F80: eight visible windows of one browser all follow a run, and all can ask', async () => {
    // The windows beyond four are refused a stream, which the browser reports.
    browser.expectProblem(/503/);
    await using team = await serveTeam(browser, { profile: { Talker: waitsForUser }, replies: () => ({ text: 'Well.' }) });
    const run = await team.engine.launch({ profile: 'Talker', input: 'Say hello' });
    await run.settled();
    const first = await browser.open(`${team.url}/#/runs/${run.id}`);
    const windows = [first];
    while (windows.length < 8) {
      const window = await first.context().newPage();
      await window.goto(`${team.url}/#/${windows.length % 2 === 0 ? `runs/${run.id}` : ''}`);
      windows.push(window);
    }
    const idle = async (): Promise<void> => {
      for (const window of windows) await window.getByText('idle', { exact: true }).first().waitFor();
    };
    await idle();
    await run.cancel();
    for (const window of windows) await window.getByText('cancelled', { exact: true }).first().waitFor();
  });
});
