import { describe, expect, it } from 'vitest';
import { waitsForUser } from '../support/test-engine.ts';
import { allow, tool } from '../support/tools.ts';
import { usePageBrowser, whyNoPage } from './browser.ts';
import { serveTeam } from './served-team.ts';

const browser = usePageBrowser();

describe.skipIf(whyNoPage !== undefined)(`times on the page (${whyNoPage ?? 'in Chromium'})`, () => {
  it('F54: stand everywhere in the reader’s zone, which is named, and in UTC when they are pointed at', async () => {
    await using team = await serveTeam(browser, {
      profile: {
        Talker: `${waitsForUser}${allow('pay')}tool_gates: [{ id: money, tools: [pay], verdict: ask, message: Really? }]\n`,
      },
      tools: [tool('pay', () => 'paid')],
      replies: [{ toolCalls: [{ name: 'pay', args: {} }] }, { text: 'Well.' }],
    });
    const run = await team.engine.launch({ profile: 'Talker', input: 'Pay.' });
    await run.settled();
    const page = await browser.open(`${team.url}/#/`, { timezoneId: 'Asia/Kolkata', width: 1400 });
    /** Returns the times in a part of the page, each checked against its own UTC time. */
    const timesIn = async (part: string): Promise<readonly string[]> => {
      await page.locator(`${part} time`).first().waitFor();
      const found = await page
        .locator(`${part} time`)
        .evaluateAll((times) => times.map((time) => [time.textContent, time.getAttribute('datetime'), time.getAttribute('title')]));
      return found.map(([text = '', utc = '', title]) => {
        expect(title).toBe(`${utc} (UTC)`);
        const local = new Date(Date.parse(utc ?? '') + 330 * 60_000).toISOString();
        expect(text).toContain(local.slice(11, 19));
        return text ?? '';
      });
    };
    const clock = /^(?:\d{4}-\d\d-\d\d )?\d\d:\d\d:\d\d(?:\.\d{3})?$/;
    const zoned = /^(?:\d{4}-\d\d-\d\d )?\d\d:\d\d:\d\d(?:\.\d{3})? GMT\+5:30$/;
    for (const [view, part, shape, column] of [
      ['', '[role=table] .run-updated', clock, 'updated, GMT+5:30'],
      [`runs/${run.id}/turns`, '[role=table]', clock, 'began, GMT+5:30'],
      [`runs/${run.id}/events`, '[role=table]', clock, 'time, GMT+5:30'],
      [`runs/${run.id}/talk`, '.message', zoned, ''],
      [`runs/${run.id}/talk`, '.request', zoned, ''],
      [`runs/${run.id}/turns/Talker_1.t1`, '.turn-head', zoned, ''],
    ] as const) {
      await page.goto(`${team.url}/#/${view}`);
      for (const text of await timesIn(part)) expect([view, text]).toEqual([view, expect.stringMatching(shape)]);
      if (column !== '') await page.getByRole('columnheader', { name: column }).waitFor();
      if (view.endsWith('/turns')) await browser.screenshot(page, 'turns-times');
      if (view.endsWith('/events')) await browser.screenshot(page, 'events-times');
    }
  });

  it('F64: that the server did not answer is no longer said when it does; what was typed is still there', async () => {
    await using team = await serveTeam(browser, { profile: { Talker: waitsForUser }, replies: () => ({ text: 'Well.' }) });
    const run = await team.engine.launch({ profile: 'Talker', input: 'Go.' });
    await run.settled();
    browser.expectProblem(/ERR_|Failed to load/);
    const page = await browser.open(`${team.url}/#/runs/${run.id}/talk`);
    await page.getByRole('textbox', { name: 'Message' }).fill('Are you there?');
    await team.goAway();
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByRole('alert').getByText('The server does not answer').waitFor();
    await team.comeBack();
    await page.getByText('connected', { exact: true }).waitFor();
    await page.getByRole('alert').waitFor({ state: 'detached' });
    expect(await page.getByRole('textbox', { name: 'Message' }).inputValue()).toBe('Are you there?');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByLabel('Conversation').getByText('Are you there?').waitFor();
  });
});
