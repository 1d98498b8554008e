import { describe, expect, it } from 'vitest';
import { startChatModel, writeSoloTeam } from '../cli/chat-model.ts';
import { startForTest, temporaryFolder } from '../cli/cli-process.ts';
import { waitsForUser } from '../support/test-engine.ts';
import { usePageBrowser, whyNoPage } from './browser.ts';
import { serveTeam } from './served-team.ts';

const browser = usePageBrowser();

describe.skipIf(whyNoPage !== undefined)('a reply in progress', () => {
  it('F62: shows from its beginning in a window that is opened late, and after a reload', async () => {
    await using team = await serveTeam(browser, {
      profile: { Talker: waitsForUser },
      replies: [{ text: 'Once upon a time there was a king who had three daughters.', cutAfter: 8, hang: true }],
    });
    const run = await team.engine.launch({ profile: 'Talker', input: 'Tell.' });
    await expect.poll(() => run.replies[0]?.deltas.length).toBeGreaterThan(0);
    const page = await browser.open(`${team.url}/#/runs/${run.id}/talk`);
    const said = page.getByRole('article', { name: 'Talker_1 is writing' }).getByText(/^Once /);
    await said.waitFor();
    const text = await said.textContent();
    await page.reload();
    await said.waitFor();
    expect(await said.textContent()).toBe(text);
    // The connection is lost in the middle of a reply, and comes back.
    browser.expectProblem(/ERR_|Failed to load|status of/);
    await team.goAway();
    await page.getByText('[…]').waitFor();
    await team.comeBack();
    await page.getByText('[…]').waitFor({ state: 'detached', timeout: 20_000 });
    await said.waitFor();
    expect(await said.textContent()).toBe(text);
    await run.cancel();
  });

  it('F62: words of a process that was killed are not joined with those of the attempt that follows', async () => {
    const cwd = await temporaryFolder();
    const model = await startChatModel();
    await writeSoloTeam(cwd, model.baseUrl);
    model.begin('These are dead words.');
    const serve = (port: string) => startForTest(['serve', '--open', '--port', port, '--docs', 'docs'], { cwd });
    const first = serve('0');
    await first.until('(Ctrl-C');
    const [url = '', port = ''] = /http:\/\/127\.0\.0\.1:(\d+)/.exec(first.said()) ?? [];
    const launched = await fetch(`${url}/api/runs`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ input: 'Speak.' }),
    });
    const { runId } = (await launched.json()) as { readonly runId: string };
    const page = await browser.open(`${url}/#/runs/${runId}/talk`);
    const live = page.locator('.message-live');
    await live.getByText('These are dead words.').waitFor();
    browser.expectProblem(/ERR_|Failed to load|status of/);
    first.child.kill('SIGKILL');
    await first.finished;
    model.begin('Those who live say this.');
    const second = serve(port);
    await second.until('was interrupted and is resumed.');
    await live.getByText('Those who live say this.').waitFor({ timeout: 30_000 });
    expect(await live.textContent()).not.toContain('dead words');
    second.child.kill('SIGKILL');
    await second.finished;
  });
});
