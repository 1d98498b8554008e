import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/core/json.ts';
import { defineTransitionTool } from '../../src/tools/define-transition-tool.ts';
import { createEngine } from '../../src/index.ts';
import { scriptedModel } from '../../src/testing/index.ts';
import { profileFiles, waitsForUser } from '../support/test-engine.ts';
import { allow, tool } from '../support/tools.ts';
import { usePageBrowser, whyNoPage } from './browser.ts';
import { serveTeam, type ServedTeamOptions } from './served-team.ts';

const browser = usePageBrowser();

const payParameters = {
  type: 'object',
  properties: { amount: { type: 'number' }, to: { type: 'string' } },
  required: ['amount'],
  additionalProperties: false,
};

/** Asks a person as its arguments say. */
const ask = defineTransitionTool({
  name: 'ask',
  description: 'Asks.',
  parameters: { type: 'object' },
  run: ({ prompt, schema, afterMs }) => ({
    kind: 'suspend',
    memo: null,
    on: {
      kind: 'question',
      prompt: String(prompt),
      ...(schema === undefined ? {} : { schema: schema as JsonObject }),
      ...(typeof afterMs === 'number' ? { expires: { afterMs, verdict: 'deny' } } : {}),
    },
  }),
  resume: (_args, _context, happening) => ({
    kind: 'result',
    content: happening.kind === 'answer' ? `they say ${JSON.stringify(happening.value)}` : '',
  }),
});

/** A team that talks, calls a payment tool that needs approval, and asks questions. */
function talkingTeam(replies: ServedTeamOptions['replies'], options: ServedTeamOptions = {}) {
  const paid: unknown[] = [];
  const run = (args: unknown): string => {
    paid.push(args);
    return 'paid';
  };
  const profile = `description_for_human: Talks and pays.
stagnation: off
${waitsForUser}${allow('pay', 'ask')}
tool_gates:
  - { id: money, tools: [pay], verdict: ask, message: Really? }
`;
  const tools = [tool('pay', run, { parameters: payParameters }), ask];
  return serveTeam(browser, { profile: { Talker: profile }, tools, replies: replies ?? [], ...options }).then((team) => ({
    ...team,
    paid,
  }));
}

const runIdOf = (page: Page): string => /#\/runs\/([^/?]+)/.exec(page.url())?.[1] ?? '';

describe.skipIf(whyNoPage !== undefined)(`a live run on the page (${whyNoPage ?? 'in Chromium'})`, () => {
  it('[A5.web] is launched, says something as it thinks of it, is interrupted by a message, and cancelled with a reason', async () => {
    await using team = await talkingTeam([
      { text: 'Good morning.' },
      { text: 'Let me think about this for a very long time.', cutAfter: 4, hang: true },
      { text: 'Understood.' },
    ]);
    const page = await browser.open(`${team.url}/#/`);
    await page.getByRole('heading', { name: 'No runs yet' }).waitFor();
    await page.getByRole('button', { name: 'New run' }).click();
    const dialog = page.getByRole('dialog', { name: 'New run' });
    expect(await dialog.getByText('Talks and pays.').count()).toBe(1);
    await dialog.getByLabel('Task for the team').fill('Say hello.');
    await dialog.getByLabel('Title').fill('Greeting');
    await browser.screenshot(page, 'launch');
    await dialog.getByRole('button', { name: 'Start' }).click();
    await page.getByRole('heading', { level: 1, name: 'Greeting' }).waitFor();
    const runId = runIdOf(page);
    await page.getByRole('link', { name: 'talk', exact: true }).click();
    await page.getByRole('article', { name: 'Talker_1', exact: true }).getByText('Good morning.').waitFor();
    await expect.poll(() => page.title()).toBe('talk · Greeting · Cadre');

    // The reply shows while it is written, and a message with priority `now` interrupts it.
    const say = async (text: string): Promise<void> => {
      await page.getByRole('textbox', { name: 'Message' }).fill(text);
      await page.getByRole('button', { name: 'Send' }).click();
      await page.getByRole('article', { name: 'You to Talker_1' }).getByText(text).waitFor();
    };
    await say('And now in <b>bold</b>.');
    await page.getByRole('article', { name: 'Talker_1 is writing' }).getByText('Let').waitFor();
    await browser.screenshot(page, 'talk');
    await page.getByLabel('read').selectOption('now');
    await say('Stop.');
    await page.getByText('Understood.').waitFor();
    await page.getByRole('link', { name: 'read by Talker_1.t3' }).first().waitFor();
    await page.getByRole('link', { name: 'turns', exact: true }).click();
    await page.getByRole('table', { name: 'Turns' }).getByRole('link', { name: 'Talker_1.t2' }).waitFor();

    await page.getByRole('button', { name: 'Cancel…' }).click();
    await page.getByLabel('Reason').fill('enough of it');
    await page.getByRole('button', { name: 'Cancel the run' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByText('cancelled', { exact: true }).waitFor();
    expect(await page.getByRole('button', { name: 'Cancel…' }).count()).toBe(0);
    const events = await team.engine.records.read(runId as never);
    expect(events.at(-1)).toMatchObject({ type: 'run.end', status: 'cancelled' });
    expect(JSON.stringify(events)).toContain('enough of it');
  });

  it('a call is approved with other arguments, and one is rejected with words the model reads', async () => {
    await using team = await talkingTeam([
      { toolCalls: [{ name: 'pay', args: { amount: 100 } }] },
      { toolCalls: [{ name: 'pay', args: { amount: 5, to: 'pаypal' } }] },
      { text: 'done' },
    ]);
    const run = await team.engine.launch({ profile: 'Talker', input: 'Pay.' });
    const page = await browser.open(`${team.url}/#/runs/${run.id}`);
    await page.getByRole('region', { name: 'Waiting for you' }).getByRole('link', { name: 'approve pay' }).click();
    const card = page.getByRole('region', { name: /^approval / });
    await card.getByText('Really?').waitFor();
    await card.getByText('no untrusted text was read in this run').waitFor();
    await browser.screenshot(page, 'approval');
    await card.getByRole('button', { name: 'Edit arguments' }).click();
    const args = card.getByLabel('All arguments');
    await args.fill('{ "amount": 7');
    await card.getByRole('alert').filter({ hasText: 'no JSON' }).waitFor();
    expect(await card.getByRole('button', { name: 'Approve with these arguments' }).isDisabled()).toBe(true);
    browser.expectProblem(/status of 422/);
    await args.fill('{ "amount": "much" }');
    await card.getByRole('button', { name: 'Approve with these arguments' }).click();
    await card.getByRole('button', { name: 'Yes, run pay(…)' }).click();
    await card.getByRole('alert').filter({ hasText: '/amount' }).waitFor();
    await args.fill('{ "amount": 7 }');
    await card.getByRole('button', { name: 'Yes, run pay(…)' }).click();
    await page.getByText('mixes letters of several scripts: p\\u{430}ypal').waitFor();
    expect(team.paid).toEqual([{ amount: 7 }]);
    await card.getByRole('textbox', { name: /Reason for the rejection/ }).fill('nobody of that name');
    await card.getByRole('button', { name: 'Reject' }).click();
    await page.getByText('done', { exact: true }).waitFor();
    expect(team.paid).toHaveLength(1);
    expect(JSON.stringify(run.turns())).toContain('nobody of that name');
  });

  it('questions are answered as they are asked: by a choice, a number, a text, with a deadline that counts down', async () => {
    const question = (args: object) => ({ toolCalls: [{ name: 'ask', args: args as never }] });
    await using team = await talkingTeam([
      question({ prompt: 'Which one?', schema: { enum: ['the red one', 'the blue one'] } }),
      question({ prompt: 'How many?', schema: { type: 'integer' } }),
      question({ prompt: 'Are you sure?', schema: { type: 'boolean' } }),
      question({ prompt: 'Anything else?', schema: { type: 'string' }, afterMs: 90_000 }),
      { text: 'Thank you.' },
    ]);
    const run = await team.engine.launch({ profile: 'Talker', input: 'Ask.' });
    const page = await browser.open(`${team.url}/#/runs/${run.id}/talk`);
    await page.getByText('Which one?').waitFor();
    await page.getByRole('button', { name: 'the blue one' }).click();
    await page.getByText('How many?').waitFor();
    await page.getByRole('spinbutton', { name: 'Your answer' }).fill('12');
    await page.getByRole('button', { name: 'Answer' }).click();
    await page.getByText('Are you sure?').waitFor();
    await page.getByRole('button', { name: 'yes' }).click();
    await page.getByText('Anything else?').waitFor();
    expect(await page.getByText(/^expires in (1 min \d+|\d+) s \(then denied\)$/).count()).toBe(1);
    await page.getByRole('textbox', { name: 'Your answer' }).fill('No.');
    await page.getByRole('textbox', { name: 'Your answer' }).press('Control+Enter');
    await page.getByText('Thank you.').waitFor();
    const said = run.turns().flatMap((turn) => turn.toolInteractions.map((call) => JSON.stringify(call)));
    expect(said).toEqual([
      expect.stringContaining('the blue one'),
      expect.stringContaining('they say 12'),
      expect.stringContaining('they say true'),
      expect.stringContaining('No.'),
    ]);
  });

  it('a turn is taken again with other words: the fork reads them, and its page opens', async () => {
    await using team = await serveTeam(browser, {
      profile: 'instructions: Repeat.\nflow_decider: [{ id: said, action: { type: end_agent_turn, outcome: success } }]',
      replies: ({ prompt }) => ({ text: `heard ${JSON.stringify(prompt.at(-1)?.content)}` }),
    });
    const run = await team.engine.launch({ profile: 'Root', input: 'first words' });
    await run.settled();
    const page = await browser.open(`${team.url}#/runs/${run.id}/turns/${run.turns()[0]?.turnId}`);
    await page.getByRole('button', { name: 'Fork before…' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('USER_PROMPT').fill('other words');
    await dialog.getByLabel('with the profiles that the server uses now').check();
    await dialog.getByRole('button', { name: 'Fork', exact: true }).click();
    await expect.poll(() => page.url()).not.toContain(run.id);
    const fork = (await team.engine.runs()).find(({ runId }) => runId !== run.id);
    const taken = await team.engine.open(fork?.runId ?? '');
    await taken.settled();
    expect(taken.turns().map(({ reply }) => reply.text)).toEqual([expect.stringContaining('other words')]);
    expect(run.turns()[0]?.reply.text).toContain('first words');
  });

  it('a lost connection is said, and nothing is missed or doubled when it is back; the same after a reload', async () => {
    await using team = await talkingTeam((_request, index) => ({ text: `Answer ${index}.` }));
    const run = await team.engine.launch({ profile: 'Talker', input: 'Go.' });
    await run.settled();
    const page = await browser.open(`${team.url}/#/runs/${run.id}/events`);
    const counted = async (): Promise<void> => {
      const count = (await team.engine.records.read(run.id)).length;
      await page.getByText(`${count} events`, { exact: true }).waitFor();
    };
    await page.getByText('connected', { exact: true }).waitFor();
    await counted();
    browser.expectProblem(/ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED_ENCODING|ERR_CONNECTION_RESET|ERR_EMPTY_RESPONSE/);
    await team.goAway();
    await page.getByText('the server does not answer; retrying').waitFor();
    for (let index = 0; index < 5; index++) {
      await run.send(`Message ${index}`);
      await run.settled();
    }
    await browser.screenshot(page, 'lost');
    await team.comeBack();
    await page.getByText('connected', { exact: true }).waitFor();
    await counted();
    await run.send('While it listens');
    await run.settled();
    await counted();
    await page.reload();
    await page.getByText('connected', { exact: true }).waitFor();
    await counted();
    await page.getByRole('link', { name: 'talk', exact: true }).click();
    await expect.poll(async () => await page.getByText(/^Message \d$/).count()).toBe(5);
  });

  it('more windows than a browser has connections: those out of view hold none, and catch up when they are looked at', async () => {
    await using team = await talkingTeam((_request, index) => ({ text: `Answer ${index}.` }));
    const run = await team.engine.launch({ profile: 'Talker', input: 'Go.' });
    await run.settled();
    const url = `${team.url}/#/runs/${run.id}/events`;
    const count = async (): Promise<string> => `${(await team.engine.records.read(run.id)).length} events`;
    const first = await browser.open(url);
    await first.getByText('connected', { exact: true }).waitFor();
    // Links opened in new windows start hidden.
    const others: Page[] = [];
    for (let index = 0; index < 8; index++) {
      const page = await first.context().newPage();
      await page.addInitScript("Object.defineProperty(document, 'hidden', { get: () => window.isShown !== true })");
      await page.goto(url);
      await page.getByText(await count(), { exact: true }).waitFor();
      others.push(page);
    }
    await run.send('While nobody looks');
    await run.settled();
    for (const page of [others[7], others[3]]) {
      await page?.evaluate("window.isShown = true; document.dispatchEvent(new Event('visibilitychange'))");
      await page?.getByText('connected', { exact: true }).waitFor();
      await page?.getByText(await count(), { exact: true }).waitFor();
    }
    await run.send('While somebody looks');
    await run.settled();
    for (const page of [first, others[7], others[3]]) await page?.getByText(await count(), { exact: true }).waitFor();
  });

  it('what this version cannot read is said, and what came before stays', async () => {
    await using team = await talkingTeam([{ text: 'Hello.' }]);
    const run = await team.engine.launch({ profile: 'Talker', input: 'Go.' });
    await run.settled();
    const page = await browser.open(`${team.url}/#/`);
    await page.route('**/journal?*', async (route) => {
      const response = await route.fetch();
      const lines = (await response.text()).split('\n');
      lines[5] = (lines[5] ?? '').replace(/"type":"[^"]*"/, '"type":"agent.levitate"');
      await route.fulfill({ response, body: lines.join('\n') });
    });
    await page.goto(`${team.url}/#/runs/${run.id}/events`);
    await page.getByRole('alert').filter({ hasText: "'agent.levitate', which this version of Cadre does not know" }).waitFor();
    await page.getByText('5 events', { exact: true }).waitFor();
  });

  it('in windows of any width what is said and decided can be reached, however long a call is; Escape closes the menu alone', async () => {
    const long = Array.from({ length: 60 }, (_, line) => `line ${line} of a long text`).join('\n');
    await using team = await talkingTeam([{ text: 'Hello.' }, { toolCalls: [{ name: 'pay', args: { amount: 1, to: long } }] }]);
    const run = await team.engine.launch({ profile: 'Talker', input: 'Go.' });
    await run.settled();
    const places: string[][] = [];
    for (const isAsked of [false, true]) {
      if (isAsked) {
        await run.send('Pay.');
        await run.settled();
      }
      for (const [width, height] of [
        [1280, 850],
        [390, 800],
      ] as const) {
        const page = await browser.open(`${team.url}/#/runs/${run.id}/talk`, { width, height });
        await page.getByRole('button', { name: 'Send' }).waitFor();
        if (isAsked) await page.getByRole('checkbox', { name: 'always' }).check();
        const parts = [
          page.getByRole('textbox', { name: 'Message' }),
          page.getByRole('combobox', { name: 'read' }),
          page.getByRole('button', { name: 'Send' }),
        ];
        if (isAsked) {
          // The decision stands after the arguments, which are read first.
          const decision = ['Approve', 'Reject'].map((name) => page.getByRole('button', { name, exact: true }));
          await decision[1]?.scrollIntoViewIfNeeded();
          parts.push(...decision);
        }
        for (const part of parts) {
          const { x, y, width: wide, height: high } = (await part.boundingBox()) ?? { x: -1, y: -1, width: 0, height: 0 };
          if (x < 0 || y < 0 || x + wide > width || y + high > height)
            places.push([`${width}`, `${isAsked}`, await part.innerText(), `${x},${y} ${wide} × ${high}`]);
        }
        await browser.screenshot(page, `desk-${isAsked ? 'asked' : 'said'}-${width}`);
        await page.close();
      }
    }
    expect(places).toEqual([]);

    const page = await browser.open(`${team.url}/#/runs/${run.id}/talk`);
    const focused = (): Promise<string> => page.evaluate<string>('document.activeElement.textContent');
    await page.getByText('More', { exact: true }).click();
    await page.getByRole('button', { name: 'Fork…' }).waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Fork…' }).waitFor({ state: 'detached' });
    expect(await focused()).toBe('More');
    expect(page.url()).toContain(run.id);

    // A key pressed as soon as the menu exists, before it is painted, goes to the menu.
    await page.evaluate(`new MutationObserver((_, observer) => {
      if (document.querySelector('.menu-items') === null) return;
      observer.disconnect();
      document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true, cancelable: true }));
    }).observe(document.body, { subtree: true, childList: true })`);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Fork…' }).waitFor({ state: 'detached' });
    await page.locator('details.menu:not([open])').waitFor();
    expect(page.url()).toContain(run.id);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Fork…' }).click();
    await page.getByRole('dialog', { name: 'Fork this run' }).waitFor();
    expect(await page.getByRole('link', { name: 'export as JSON' }).count()).toBe(0);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await focused()).toBe('More');
  });

  it('a run that nobody knows is said where the run would be, with the way to those there are', async () => {
    await using team = await talkingTeam([{ text: 'Hello.' }]);
    browser.expectProblem(/status of 404/);
    const page = await browser.open(`${team.url}/#/runs/no-such-run/talk`);
    await page.getByRole('main').getByRole('alert').filter({ hasText: 'no-such-run' }).waitFor();
    expect(await page.getByRole('navigation', { name: 'Views of this run' }).count()).toBe(0);
    await browser.screenshot(page, 'unknown-run');
    await page.getByRole('main').getByRole('link', { name: 'All runs' }).click();
    await page.getByRole('heading', { name: 'No runs yet' }).waitFor();
  });

  it('a run that only awaits somebody and that no process has is taken up by what is said to it; Resume stands in the menu', async () => {
    await using team = await serveTeam(browser, { profile: { Talker: waitsForUser }, replies: [{ text: 'Here again.' }] });
    const elsewhere = await createEngine({
      team: false,
      profiles: { files: profileFiles({ Talker: waitsForUser }) },
      models: { m: scriptedModel([{ text: 'Hello.' }]) },
      store: team.store,
    });
    const run = await elsewhere.launch({ profile: 'Talker', input: 'Go.' });
    await run.settled();
    await elsewhere.close();
    const page = await browser.open(`${team.url}/#/runs/${run.id}/talk`);
    const resume = page.getByRole('button', { name: 'Resume' });
    await page.getByText('More', { exact: true }).click();
    await page.locator('.menu-items').getByRole('button', { name: 'Resume' }).waitFor();
    expect(await resume.count()).toBe(1);
    await page.keyboard.press('Escape');
    expect(await resume.count()).toBe(0);
    await page.getByRole('textbox', { name: 'Message' }).fill('Are you there?');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText('Here again.').waitFor();
  });

  it('a launch that nobody answers loses nothing of what was typed', async () => {
    await using team = await talkingTeam([{ text: 'Hello.' }]);
    const page = await browser.open(`${team.url}/#/`);
    await page.getByRole('button', { name: 'New run' }).click();
    await page.getByLabel('Task for the team').fill('A long thought.');
    browser.expectProblem(/ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED_ENCODING|ERR_CONNECTION_RESET|ERR_EMPTY_RESPONSE/);
    await team.goAway();
    await page.getByRole('button', { name: 'Start' }).click();
    await page.getByRole('dialog').getByRole('alert').filter({ hasText: 'The server does not answer' }).waitFor();
    expect(await page.getByLabel('Task for the team').inputValue()).toBe('A long thought.');
    await team.comeBack();
    await page.getByRole('button', { name: 'Start' }).click();
    await page.getByRole('heading', { level: 1, name: 'A long thought.' }).waitFor();
  });

  it('a server that only reads shows no controls', async () => {
    await using team = await talkingTeam([{ toolCalls: [{ name: 'pay', args: { amount: 3 } }] }], {
      serving: { readOnly: true },
    });
    const run = await team.engine.launch({ profile: 'Talker', input: 'Go.' });
    const page = await browser.open(`${team.url}/#/runs/${run.id}/talk`);
    await page.getByText('wants to call pay').waitFor();
    await page.getByText('connected', { exact: true }).waitFor();
    for (const name of ['Approve', 'Reject', 'Send', 'Cancel…', 'Fork…'])
      expect(await page.getByRole('button', { name }).count()).toBe(0);
    await page.goto(`${team.url}/#/`);
    await page.getByText('read only').waitFor();
    expect(await page.getByRole('button', { name: 'New run' }).count()).toBe(0);
  });
});
