import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { waitsForUser } from '../support/test-engine.ts';
import { allow, tool } from '../support/tools.ts';
import { usePageBrowser, whyNoPage } from './browser.ts';
import { serveTeam, type ServedTeam } from './served-team.ts';

const browser = usePageBrowser();

/** A profile with a status segment that changes every turn, and with rules after the one that matches. */
const watched = `
pre_turn_observers:
  - { id: status, action: { type: add_to_inbox, inbox_item: { source: TEAM_STATUS, payload: "Turns so far: {{ state.turn_count }}\\nAll is well." } } }
inbox_handling_strategies:
  - { source: TEAM_STATUS, ingestor: generic_message, params: { is_persistent_in_memory: false } }
flow_decider:
  - { id: tools, condition: state.current_action, action: { type: continue_with_tool } }
  - { id: wait, condition: "state.turn_count < 5", action: { type: await_user_input } }
  - { id: end, action: { type: end_agent_turn, outcome: success } }
`;

/** Returns a run that has answered, and got one more message. */
async function talked(team: ServedTeam, said: string): Promise<string> {
  const run = await team.engine.launch({ profile: 'Talker', input: said });
  await run.settled();
  await run.send('And now?');
  await run.settled();
  return run.id;
}

const section = (page: Page, name: string) => page.locator(`#turn-${name}`);

describe.skipIf(whyNoPage !== undefined)(`what the page tells of a turn (${whyNoPage ?? 'in Chromium'})`, () => {
  it('F54: a status that is rendered anew is one changed block, before and after; rules that were not asked are listed', async () => {
    await using team = await serveTeam(browser, { profile: { Talker: watched }, replies: () => ({ text: 'Well.' }) });
    const runId = await talked(team, 'Go.');
    const page = await browser.open(`${team.url}/#/runs/${runId}/turns/Talker_1.t2?section=diff`);
    const diff = section(page, 'diff');
    await diff.getByRole('heading', { name: /^changed: TEAM_STATUS/ }).waitFor();
    expect(await diff.getByRole('heading', { name: /TEAM_STATUS/ }).count()).toBe(1);
    expect(await diff.locator('.diff-line.diff-removed').allInnerTexts()).toEqual([expect.stringMatching(/Turns so far: \d/)]);
    expect(await diff.locator('.diff-line.diff-added').first().innerText()).toMatch(/Turns so far: \d|Well/);
    const rules = section(page, 'decision').getByRole('row');
    expect(await rules.filter({ hasText: 'tools' }).first().innerText()).toContain('false');
    expect(await rules.filter({ hasText: 'await user input' }).innerText()).toContain('matched');
    expect(await rules.filter({ hasText: 'end agent turn' }).innerText()).toContain('not evaluated');
    await browser.screenshot(page, 'turn-changed-status');
  });

  it('F54: a run that failed leads to the turn it failed in, whose cost is unknown where that of the run is', async () => {
    await using team = await serveTeam(browser, {
      profile: {
        Talker: `${allow('look')}flow_decider: [{ id: tools, condition: state.current_action, action: { type: continue_with_tool } }]\n`,
      },
      tools: [tool('look', () => 'seen')],
      replies: [
        { toolCalls: [{ name: 'look', args: {} }] },
        () => {
          throw new Error('the provider is gone');
        },
      ],
    });
    const run = await team.engine.launch({ profile: 'Talker', input: 'Look.' });
    await run.settled();
    const page = await browser.open(`${team.url}/#/runs/${run.id}`);
    await page.locator('.run-problem').getByRole('link').click();
    const failing = String(run.state.agents.values().next().value?.turn.lastId);
    await page.getByRole('heading', { name: failing }).waitFor();
    expect(await page.locator('.facts').innerText()).toContain('cost unknown');
    expect(await page.locator('.turn-head').innerText()).toMatch(/cost\s+cost unknown/);
    await browser.screenshot(page, 'turn-failed');
  });

  it('F54: an address and a search lead to the place they ask about, wherever it stands', async () => {
    const long = Array.from({ length: 400 }, (_, line) => `This is line ${line} of what was said.`).join('\n');
    await using team = await serveTeam(browser, {
      profile: { Talker: waitsForUser },
      replies: () => ({ text: `${long}\nThe end.` }),
    });
    const runId = await talked(team, long);
    const at = `${team.url}/#/runs/${runId}/turns/Talker_1.t1`;
    for (const why of ['line 371 of what', '@prompt:13000-13010', 'The end.']) {
      const page = await browser.open(`${at}?why=${encodeURIComponent(why)}`);
      const line = page.locator('.t-line[aria-pressed="true"]').first();
      await line.waitFor();
      await expect.poll(() => line.evaluate(inView), { timeout: 5_000 }).toBe(true);
      if (why === 'line 371 of what') await browser.screenshot(page, 'turn-why-scrolled');
    }
    const page = await browser.open(at);
    await page.getByRole('heading', { name: 'Talker_1.t1' }).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('line 355 of');
    await page.keyboard.press('Enter');
    const line = page.locator('.t-line[aria-pressed="true"]').first();
    await expect.poll(() => line.evaluate(inView), { timeout: 5_000 }).toBe(true);
    expect(await line.innerText()).toContain('line 355 of');
  });

  it('F54: items that an agent never read are told where it missed something, not for the result it ended with', async () => {
    await using team = await serveTeam(browser, {
      profile: { Talker: allow('finish_flow') },
      team: {},
      replies: [{ toolCalls: [{ name: 'finish_flow', args: { summary: 'Done.' } }] }],
    });
    const run = await team.engine.launch({ profile: 'Talker', input: 'Go.' });
    await run.settled();
    const page = await browser.open(`${team.url}/#/runs/${run.id}/tree`);
    await page.getByText('success').first().waitFor();
    expect(await page.getByText('never read').count()).toBe(0);
  });

  it('F64: Escape leads from a turn to the view it was opened from, as it was', async () => {
    await using team = await serveTeam(browser, { profile: { Talker: waitsForUser }, replies: () => ({ text: 'Well.' }) });
    const runId = await talked(team, 'Go.');
    const page = await browser.open(`${team.url}/#/runs/${runId}`);
    await page.locator('[data-turn="Talker_1.t1"]').click();
    await page.getByRole('heading', { name: 'Talker_1.t1' }).waitFor();
    await page.keyboard.press('j');
    await page.getByRole('heading', { name: 'Talker_1.t2' }).waitFor();
    await page.keyboard.press('Escape');
    await page.locator('[data-turn="Talker_1.t1"]').waitFor();
    expect(page.url()).toMatch(/\?turn=Talker_1\.t1$/);
    await page.goto(`${team.url}/#/runs/${runId}/talk`);
    await page.getByRole('link', { name: 'Talker_1.t1' }).last().click();
    await page.getByRole('heading', { name: 'Talker_1.t1' }).waitFor();
    await page.keyboard.press('Escape');
    await page.waitForURL(/\/talk$/);
  });
});

/** True when an element is visible in the window and in every scroller around it. */
function inView(element: { getBoundingClientRect(): { top: number; bottom: number } }): boolean {
  const { top, bottom } = element.getBoundingClientRect();
  return top >= 0 && bottom <= 800;
}
