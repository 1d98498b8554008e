import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { FolderTests } from '../../src/cli/dev/folder-tests.ts';
import { teamFolder } from '../testing/profile-tests/team.ts';
import { usePageBrowser, whyNoPage } from './browser.ts';
import { serveTeam } from './served-team.ts';

const browser = usePageBrowser();

const widths = '[document.documentElement.scrollWidth, innerWidth]';

const cases = (expected: string): string => `profile: Clerk
cases:
  - name: looks
    given: { inbox: [{ user: Hello. }] }
    reply: { tool_calls: [{ tool: list_files }] }
    expect: { rule: call }
  - name: waits <b>bold</b>
    given: { inbox: [{ user: Hello. }] }
    reply: { text: Hi. }
    expect: { rule: ${expected} }
`;

/** Serves a page beside a folder of profiles with tests. */
async function served(files: Readonly<Record<string, string>>, isFollowing: boolean) {
  const folder = await teamFolder(files);
  const tests = new FolderTests({ folder, store: 'memory', isFollowing });
  return { folder, team: await serveTeam(browser, { serving: { tests } }) };
}

describe.skipIf(whyNoPage !== undefined)(`coverage on the page (${whyNoPage ?? 'in Chromium'})`, () => {
  it('runs the tests on request; lists what each profile declares, which test exercises it, and what failed with a diff', async () => {
    const { folder, team: opened } = await served({ 'profiles/Clerk.test.yaml': cases('call') }, false);
    await using team = opened;
    const page = await browser.open(`${team.url}/#/`);
    await page.getByRole('link', { name: 'Coverage' }).click();
    await page.getByRole('heading', { name: 'The tests have not run yet' }).waitFor();
    await page.getByRole('button', { name: 'Run the tests' }).click();
    await page.getByText('running…').waitFor();
    const main = page.getByRole('main');
    await main.getByText('1 failed,').waitFor({ timeout: 60_000 });
    // What failed: its name, file:line, and expected and actual lines.
    const failed = main.getByRole('article', { name: 'waits <b>bold</b>' });
    expect(await failed.textContent()).toMatch(/profiles\/Clerk\.test\.yaml:10:\d+/);
    await failed.locator('.diff-removed', { hasText: 'call' }).waitFor();
    await failed.locator('.diff-added', { hasText: 'done' }).waitFor();
    // Totals, and each behaviour.
    const totals = main.getByRole('table', { name: 'Totals' });
    expect(await totals.getByRole('row', { name: /^Clerk/ }).textContent()).toMatch(/^Clerk2 of 3/);
    const clerk = main.getByRole('table', { name: 'Clerk', exact: true });
    expect(await clerk.getByRole('row', { name: /^rule call/ }).textContent()).toMatch(
      /Clerk\.yaml:\d+:\d+looks .*Clerk\.test\.yaml:3:\d+/,
    );
    expect(await clerk.getByRole('row', { name: /^rule quiet/ }).textContent()).toContain('no test');
    await browser.screenshot(page, 'coverage');
    await main.getByRole('button', { name: 'only what no test exercises' }).click();
    await page.waitForURL(/only=missing/);
    await clerk.getByRole('row', { name: /^rule call/ }).waitFor({ state: 'detached' });
    // Files that were written since are told; the tests do not run by themselves.
    await writeFile(path.join(folder, 'profiles/Clerk.test.yaml'), cases('done'));
    await page.getByText('files changed since').waitFor();
    await main.getByText('1 failed,').waitFor();
    await page.keyboard.press('r');
    await main.getByText('2 passed').waitFor({ timeout: 60_000 });
    // The report is there for the next reader, in a narrow and dark window, too.
    const narrow = await browser.open(`${team.url}/#/coverage`, { width: 390, colorScheme: 'dark' });
    await narrow.getByText('2 passed').waitFor();
    const [content = 0, window = 0] = await narrow.evaluate<readonly number[]>(widths);
    expect(content).toBeLessThanOrEqual(window);
    await browser.screenshot(narrow, 'coverage-dark-390');
    await narrow.keyboard.press('Escape');
    await narrow.getByRole('heading', { level: 1, name: 'Runs' }).waitFor();
  }, 240_000);

  it('runs them again after each change where the server follows changes, and says what to do without tests', async () => {
    const { folder, team: opened } = await served({}, true);
    await using team = opened;
    const page = await browser.open(`${team.url}/#/coverage`);
    await page.getByRole('button', { name: 'Run the tests' }).click();
    await page.getByRole('heading', { name: /^There are no tests in/ }).waitFor({ timeout: 60_000 });
    await page.getByText('cadre test --from RUN TURN').waitFor();
    await writeFile(path.join(folder, 'profiles/Clerk.test.yaml'), cases('done'));
    await page.getByText('2 passed').waitFor({ timeout: 60_000 });
    await writeFile(path.join(folder, 'profiles/Clerk.test.yaml'), `${cases('done')}limts: {}\n`);
    await page.getByText(/Clerk\.test\.yaml:11:1: .*limts/).waitFor({ timeout: 60_000 });
  }, 240_000);

  it('is not offered by a server without a folder of profiles, and says why at its address', async () => {
    await using team = await serveTeam(browser);
    browser.expectProblem(/403/);
    const page = await browser.open(`${team.url}/#/`);
    await page.getByText('No runs yet').waitFor();
    expect(await page.getByRole('link', { name: 'Coverage' }).count()).toBe(0);
    await page.goto(`${team.url}/#/coverage`);
    await page.getByRole('alert').getByText('no folder of profiles to test').waitFor();
    expect(await page.getByRole('button', { name: 'Run the tests' }).isDisabled()).toBe(true);
  });
});
