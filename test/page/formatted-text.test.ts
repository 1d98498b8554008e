import { describe, expect, it } from 'vitest';
import { waitsForUser } from '../support/test-engine.ts';
import { allow, tool } from '../support/tools.ts';
import { usePageBrowser, whyNoPage } from './browser.ts';
import { serveTeam } from './served-team.ts';

const browser = usePageBrowser();

const report = [
  '# What we found',
  'Water **early**, see [the guide](https://example.com/guide) and `soil.md`.',
  '',
  '1. Look at the soil',
  '   - dry: water it',
  '2. Wait',
  '',
  '| plant | litres |',
  '|---|---|',
  '| tomato | 2 |',
  '',
  '```sh',
  'water --plant tomato',
  '```',
  '<img src="https://evil.example/x.png" onerror="window.hit = 1"> ![x](https://evil.example/y.png)',
].join('\n');

describe.skipIf(whyNoPage !== undefined)(`words on the page (${whyNoPage ?? 'in Chromium'})`, () => {
  it('F54: Markdown of the talk is laid out, with a switch to what was written; nothing of it is HTML, a link or loaded', async () => {
    await using team = await serveTeam(browser, { profile: { Talker: waitsForUser }, replies: () => ({ text: report }) });
    const run = await team.engine.launch({ profile: 'Talker', input: 'How do I *water*?' });
    await run.settled();
    const page = await browser.open(`${team.url}/#/runs/${run.id}/talk`);
    const said = page.getByRole('article', { name: 'Talker_1', exact: true });
    await said.getByRole('heading', { name: 'What we found' }).waitFor();
    expect(await said.locator('strong').allInnerTexts()).toContain('early');
    expect(await said.locator('.words').innerText()).toContain('the guide (https://example.com/guide) and soil.md');
    expect(await said.locator('.words a, .words img').count()).toBe(0);
    expect(await said.locator('.words').innerText()).toContain(
      '<img src="https://evil.example/x.png" onerror="window.hit = 1"> x (https',
    );
    expect(await said.getByRole('cell').allInnerTexts()).toEqual(['tomato', '2']);
    expect(await said.getByRole('listitem').allInnerTexts()).toEqual([
      expect.stringContaining('Look at the soil'),
      expect.stringContaining('dry: water it'),
      expect.stringContaining('Wait'),
    ]);
    expect(await said.locator('pre').innerText()).toContain('water --plant tomato');
    await browser.screenshot(page, 'talk-markdown');
    await page.getByRole('button', { name: 'raw' }).click();
    expect(await said.locator('.text').textContent()).toBe(report);
    await page.reload();
    expect(await said.locator('.text').textContent()).toBe(report);
    await page.getByRole('button', { name: 'raw', pressed: true }).click();
    await said.getByRole('heading', { name: 'What we found' }).waitFor();
    // The record of the turn keeps every character.
    await page.goto(`${team.url}/#/runs/${run.id}/turns/Talker_1.t1`);
    await page.locator('#turn-reply .t-line').first().waitFor();
    const lines = await page.locator('#turn-reply .t-line-text').allTextContents();
    expect(lines.join('')).toBe(report);
    expect(await page.evaluate('window.hit')).toBe(undefined);
  });

  it('F54: JSON is laid out in lines and, where it is large, in folds; what came is there, too', async () => {
    const rows = Array.from({ length: 40 }, (_, id) => ({ id, name: `Row ${id}`, note: 'x'.repeat(40) }));
    const sent = `{"count":40,"rows":${JSON.stringify(rows)},"big":12345}`;
    await using team = await serveTeam(browser, {
      profile: { Talker: `${waitsForUser}${allow('look')}` },
      tools: [tool('look', () => sent)],
      replies: [
        { toolCalls: [{ name: 'look', args: { where: 'here', how: { deep: [1, 2] } } }] },
        { text: '{"ok":true,"found":[1,2]}' },
      ],
    });
    const run = await team.engine.launch({ profile: 'Talker', input: 'Look.' });
    await run.settled();
    const page = await browser.open(`${team.url}/#/runs/${run.id}/turns/Talker_1.t1`);
    const output = page.locator('#turn-calls').getByRole('group', { name: 'Output', exact: true });
    await output.getByText('"count": 40').waitFor();
    expect(await output.innerText()).toContain('"big": 12345');
    expect(await output.getByText('Row 7').count()).toBe(0);
    await output.locator('summary').filter({ hasText: '40 values' }).click();
    await output.getByText('"name": "Row 7"').waitFor();
    await browser.screenshot(page, 'turn-json');
    await page.locator('#turn-calls').getByText('as it came').click();
    expect(await page.locator('#turn-calls').getByRole('group', { name: 'Output as it came' }).textContent()).toBe(sent);
    await page.goto(`${team.url}/#/runs/${run.id}/talk`);
    expect(await page.getByRole('article', { name: 'Talker_1' }).last().locator('.text').innerText()).toBe(
      '{\n  "ok": true,\n  "found": [\n    1,\n    2\n  ]\n}',
    );
  });
});
