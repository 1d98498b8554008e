import { beforeAll, describe, expect, it } from 'vitest';
import { hashToken } from '../../src/server/access/users.ts';
import { tool } from '../support/tools.ts';
import { waitsForUser } from '../support/test-engine.ts';
import { buildPage, usePageBrowser, whyNoPage } from './browser.ts';
import { serveTeam } from './served-team.ts';

const browser = usePageBrowser();

const paying = {
  profile: `${waitsForUser}tool_access_policy: { allowed_individual_tools: [pay] }\ntool_gates: [{ id: money, tools: [pay], verdict: ask }]\n`,
  tools: [tool('pay', () => 'paid')],
  replies: [{ toolCalls: [{ name: 'pay', args: {} }] }, { text: 'Paid.' }],
};
const tokenOf = (name: string): string => `the-token-of-${name}-here`;
const users = [
  { name: 'rita', role: 'read', tokenHash: hashToken(tokenOf('rita')) },
  { name: 'alice', role: 'approve', tokenHash: hashToken(tokenOf('alice')) },
] as const;

describe.skipIf(whyNoPage !== undefined)('F85: the page of a person', () => {
  beforeAll(buildPage, 120_000);

  it('says who looks, and offers only what their role allows', async () => {
    await using team = await serveTeam(browser, { ...paying, serving: { users } });
    const run = await team.engine.launch({ profile: 'Root', input: 'Pay.' }, { by: 'bob' });
    await run.settled();
    const open = async (name: string) => {
      const page = await browser.open(`${team.url}/?token=${tokenOf(name)}#/runs/${run.id}/talk`);
      await page.getByText('Conversation').first().waitFor({ state: 'attached' });
      return page;
    };
    const reading = await open('rita');
    await reading.locator('.you').getByText('read', { exact: true }).waitFor();
    await reading.locator('.message-user').getByText('bob').waitFor();
    await reading.getByText('You are rita, with the role read; this needs the role approve.').waitFor();
    await reading.getByText('You are rita, with the role read; this needs the role talk.').waitFor();
    expect(await reading.getByRole('button', { name: /^Approve/ }).count()).toBe(0);
    expect(await reading.getByRole('textbox', { name: 'Message' }).count()).toBe(0);
    const cancel = reading.getByRole('button', { name: 'Cancel…' });
    expect([await cancel.isDisabled(), await cancel.getAttribute('title')]).toEqual([
      true,
      expect.stringContaining('needs the role operate'),
    ]);
    await browser.closeWindows();
    const deciding = await open('alice');
    await deciding.getByRole('button', { name: /^Approve/ }).waitFor();
    await deciding.getByRole('textbox', { name: 'Message' }).waitFor();
    expect(deciding.url()).not.toContain('token');
  });
});
