import { describe, expect, it } from 'vitest';
import { createEngine, type Run, type RunContext } from '../../src/index.ts';
import { createMemoryJournal, scriptedModel, type ScriptedReply } from '../../src/testing/index.ts';
import { promptOf, say, speaks, storePath, systemOf } from '../scenarios/scenario.ts';
import { gate, testEngine, waitsForUser } from '../support/test-engine.ts';
import { compileText, placeOf } from '../profiles/marked-files.ts';
import { verifyRun } from '../support/verify-run.ts';

const titles = { llmConfig: 'namer' };
const long = 'Why does my long question about the price of green tea in the port of Yokohama have no short title?';

async function titleOf(reply: ScriptedReply, options: { title?: string } = {}): Promise<Run> {
  const namer = speaks(reply);
  const team = await testEngine({
    profile: waitsForUser,
    models: { namer },
    replies: [say('It has none.'), say('Still none.')],
    titles,
  });
  const run = await team.engine.launch({ profile: 'Root', input: long, ...options });
  await run.settled();
  await run.send('And now?');
  await run.settled();
  await verifyRun(run, team.journal, {
    requests: [...team.model.requests, ...namer.requests].slice(0, team.model.requests.length),
  });
  expect(namer.requests.length).toBe(options.title === undefined ? 1 : 0);
  return run;
}

describe('titles worded by a model', () => {
  it('[A1.13.titles] [A5.auto-title] [B.83] one call after the first reply names the run, on the record and in the list; its cost counts', async () => {
    const journal = createMemoryJournal();
    const first = { text: 'It has none.', usage: { inputTokens: 20, outputTokens: 4 } };
    const namer = speaks({ text: '# "The price of green tea."\nMore words.', usage: { inputTokens: 50, outputTokens: 7 } });
    const team = await testEngine({
      profile: waitsForUser,
      models: { namer },
      replies: [first, say('No.')],
      titles,
      store: journal,
    });
    const run = await team.engine.launch({ profile: 'Root', input: long });
    await run.settled();
    expect(run.state.meta.title).toBe('The price of green tea');
    expect((await team.engine.runs())[0]?.title).toBe('The price of green tea');
    const used = run.state.usage;
    expect(used).toMatchObject({ modelCalls: 2 });
    expect(run.state.budget.tokens).toBe(used.inputTokens + used.outputTokens);
    expect((await team.engine.runs())[0]).toMatchObject({ inputTokens: used.inputTokens, outputTokens: used.outputTokens });
    await run.send('And now?');
    await run.settled();
    expect(namer.requests).toHaveLength(1);
    expect(systemOf(namer.requests[0])).toContain('title');
    expect(promptOf(namer.requests[0])).toContain(`User: ${long}`);
    expect(promptOf(namer.requests[0])).toContain('Agent: It has none.');
    await verifyRun(run, journal);
  });

  it.each([
    ['words in quotation marks', '“Tea”', 'Tea'],
    ['a heading behind blank lines', '\n\n## Title: Tea prices\n', 'Tea prices'],
    ['far too much', 'tea '.repeat(60), /^(tea ){19}tea?…?$|…$/],
    ['a line that only begins', `Tea${'"'.repeat(300_000)}x`, /^Tea/],
    ['what would move a terminal', 'Tea\u001B[2J \u202Eprices', 'Tea [2J prices'],
  ])('%s is made fit for a list', async (_what, text, expected) => {
    const { title } = (await titleOf(say(text))).state.meta;
    if (typeof expected === 'string') expect(title).toBe(expected);
    else expect(title).toMatch(expected);
    expect(title.length).toBeLessThanOrEqual(80);
  });

  it.each([
    ['a model that fails', { error: { status: 401 } }],
    ['a model that says nothing', say('""')],
  ])('%s is on record, and the run keeps the title it had and goes on', async (_what, reply) => {
    const run = await titleOf(reply);
    expect(run.state.meta.title).toBe(`${long.slice(0, 79)}…`);
    expect(run.state.isTitled).toBe(true);
    expect(run.state.status).toBe('awaiting');
    expect(run.turns().map(({ status }) => status)).toEqual(['completed', 'completed']);
  });

  it('a title the launcher gave stays', async () => {
    expect((await titleOf(say('Other'), { title: 'Mine' })).state.meta.title).toBe('Mine');
  });

  it('nothing waits for it: the run has its result before, and the title comes when it comes', async () => {
    const held = gate();
    const namer = scriptedModel(async () => {
      await held.promise;
      return say('Late title');
    });
    const journal = createMemoryJournal();
    const team = await testEngine({ models: { namer }, replies: [say('Done.')], titles, store: journal });
    const run = await team.launch('Go on then.');
    expect((await run.result).output).toBe('Done.');
    expect(run.state.meta.title).toBe('Go on then.');
    held.open();
    await run.settled();
    await verifyRun(run, journal);
    expect((await journal.runs())[0]).toMatchObject({ title: 'Late title', status: 'completed' });
    await team.engine.close();
  });

  it('I9: a run that is cancelled has no title worded any more', async () => {
    const namer = scriptedModel(async ({ abortSignal }) => {
      await new Promise((_resolve, reject) => abortSignal?.addEventListener('abort', () => reject(new Error('stopped'))));
      return say('never');
    });
    const journal = createMemoryJournal();
    const team = await testEngine({ profile: waitsForUser, models: { namer }, replies: [say('Done.')], titles, store: journal });
    const run = await team.launch('Go on then.');
    await run.cancel('enough');
    await run.settled();
    await verifyRun(run, journal);
    expect((await journal.read(run.id)).map(({ type }) => type)).not.toContain('run.title');
    expect((await journal.runs())[0]?.title).toBe('Go on then.');
  });

  it('one that was lost with its process is asked for again; an engine that closes waits for it a while', async () => {
    const store = await storePath();
    const profiles = {
      files: [{ path: 'profiles/A.yaml', text: `name: A\ntype: associate\nllm_config_ref: m\ninstructions: x\n${waitsForUser}` }],
    };
    const never = scriptedModel(() => new Promise(() => undefined));
    const first = await createEngine({ profiles, models: { m: speaks('Hello.'), namer: never }, titles, store, graceMs: 20 });
    const run = await first.launch({ profile: 'A', input: 'Go.' });
    for await (const event of run.events()) if (event.type === 'agent.await') break;
    await first.close({ graceMs: 20 });
    const second = await createEngine({ profiles, models: { m: speaks('x'), namer: speaks('Named at last') }, titles, store });
    const resumed = await second.resume(run.id);
    await resumed.settled();
    expect(resumed.state.meta.title).toBe('Named at last');
    await second.close();
  });

  it('a fork from before there was one has its own', async () => {
    const namer = speaks('First title', 'Second title');
    const team = await testEngine({ profile: waitsForUser, models: { namer }, replies: [say('Done.'), say('Again.')], titles });
    const run = await team.launch();
    await run.settled();
    const fork = await team.engine.fork(run.id);
    await fork.send('More.');
    await fork.settled();
    expect([fork.state.meta.title, namer.requests.length]).toEqual(['Second title', 2]);
  });

  it('who words them stands in team.yaml, checked at load, or in code', async () => {
    const files = (config: string): Readonly<Record<string, string>> => ({
      'team.yaml': `type: team\nname: t\ntitles: { llm_config: ${config} }\n`,
      'p.yaml': 'name: A\ninstructions: x\nllm_config_ref: namer\n',
    });
    const names = { models: new Set(['namer']) };
    expect(compileText(files('namer'), names).set?.team?.titles).toEqual({ llmConfig: 'namer' });
    expect(compileText(files('nobody'), names).diagnostics.map((found) => `${placeOf(found)} ${found.code}`)).toEqual([
      'team.yaml:3:23 UNKNOWN_LLM_CONFIG',
    ]);
    await expect(testEngine({ titles: { llmConfig: 'nobody' } })).rejects.toMatchObject({ code: 'OPTION_INVALID' });
  });

  it('a run that may not spend more goes without', async () => {
    const namer = speaks('Title');
    const team = await testEngine({
      profile: waitsForUser,
      models: { namer },
      replies: [{ text: 'Done.', usage: { inputTokens: 8_900, outputTokens: 1 } }],
      titles,
    });
    const run = await team.launch('Go.', { limits: { maxTokens: 9_000 } });
    await run.settled();
    const state: RunContext = run.state;
    expect([state.isTitled, namer.requests.length]).toEqual([false, 0]);
  });
});
