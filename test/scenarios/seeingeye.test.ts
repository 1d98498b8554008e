import { readFile, readdir } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createEngine, type EngineOptions, type Run } from '../../src/index.ts';
import type { JsonObject } from '../../src/core/json.ts';
import { scriptedModel, type ScriptedReply } from '../../src/testing/index.ts';
import { makeFolder } from '../files/temp-folder.ts';
import { agentsOf, call, messagesOf, promptOf, say, speaks, toolsOf, turnsOf, type Model } from './scenario.ts';

const folder = 'agent_profiles/seeingeye';
const picture = await readFile('examples/seeingeye-picture/kite.png');
const question = 'What is in the sky?\nOptions: A: a balloon, B: a kite\nimage_path: kite.png';

interface Play extends Omit<EngineOptions, 'profiles'> {
  readonly profile: string;
  readonly model: Model;
  readonly input?: unknown;
  /** In place of files that ship, by path. */
  readonly files?: Readonly<Record<string, string>>;
}

/** Plays what ships, with a picture in the workspace, until nothing runs any more. */
async function play({ profile, model, input = question, files = {}, ...options }: Play): Promise<Run> {
  const names = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.yaml'));
  const shipped = await Promise.all(
    names.map(async (name) => ({ path: name, text: files[name] ?? (await readFile(path.join(folder, name), 'utf8')) })),
  );
  const engine = await createEngine({
    profiles: { files: shipped },
    models: { default: model },
    store: 'memory',
    env: {},
    random: () => 0,
    workspace: await makeFolder({ 'kite.png': picture }),
    ...options,
  });
  onTestFinished(async () => await engine.close());
  const run = await engine.launch({ profile, input });
  await run.settled();
  return run;
}

const caption = (words: string, more: JsonObject = {}): ScriptedReply =>
  call('finish_flow', {
    summary: words,
    deliverables: { global_caption: words, confidence: 'high', summary_of_this_turn: words, ...more },
  });
const asks = (message: string): ScriptedReply => call('terminate', { status: 'ask_translator', message });
const answers = (answer = 'B'): ScriptedReply =>
  call('submit_answer', { answer, confidence: 'high', reasoning: 'A square on a string.' });
const looks = (file = 'kite.png'): ScriptedReply => call('read_file', { path: file });

/** A model that speaks for both agents: which one asks is known by the tools on offer. */
function both(translator: readonly ScriptedReply[], reasoner: readonly ScriptedReply[]): Model {
  const left = { translator: [...translator], reasoner: [...reasoner] };
  return scriptedModel((request) => {
    const list = toolsOf(request).includes('finish_flow') ? left.translator : left.reasoner;
    return list.shift() ?? { error: { status: 400, message: 'nothing is left to say' } };
  });
}

const calledBy = (run: Run): readonly (string | undefined)[] =>
  turnsOf(run, 'refinement').flatMap(({ toolInteractions }) => toolInteractions.map(({ providerCallId }) => providerCallId));

describe('vqa', () => {
  it('[A3.agents] [A3.terminate-and-answer] sees a picture that comes with the question, and answers word for word', async () => {
    const model = speaks(answers('B: a kite'));
    const parts = [
      { type: 'text', text: 'What is in the sky?' },
      { type: 'file', mediaType: 'image/png', data: { type: 'data', data: picture.toString('base64') } },
    ];
    const run = await play({ profile: 'vqa', model, input: parts });
    expect(messagesOf(model.requests[0])[0]).toContain('What is in the sky?[file]');
    expect(toolsOf(model.requests[0])).toEqual(expect.arrayContaining(['run_python', 'submit_answer', 'read_file']));
    expect(await run.result).toMatchObject({
      status: 'completed',
      output: 'B: a kite',
      deliverables: { answer: 'B: a kite', confidence: 'high', reasoning: 'A square on a string.' },
    });
    expect(turnsOf(run, 'vqa')[0]?.attempts).toHaveLength(1);
  });

  it('[A3.prompt-choice] a prompt for the first step, for those that go on, and for the last; none of them stays', async () => {
    const model = speaks(looks(), looks('./kite.png'), looks('none.png'), answers());
    const run = await play({ profile: 'vqa', model });
    const lasts = model.requests.map((request) => messagesOf(request).at(-1) ?? '');
    expect(lasts[0]).toContain('step 1] Begin.');
    expect(lasts[1]).toContain('step 2] You go on with your own');
    expect(lasts[2]).toContain('step 3] You go on');
    expect(lasts[3]).toContain('Your steps are used up.');
    expect(promptOf(model.requests[3])).not.toContain('Begin.');
    expect(run.state.output).toBe('B');
  });

  it('[A3.forced-last-step] [A3.forced-answer] behind three steps there is one in which it can only answer, and then the end', async () => {
    const model = speaks(looks(), looks('./kite.png'), looks('none.png'), looks(), looks(), 'It may be a kite.');
    const run = await play({ profile: 'vqa', model });
    expect(toolsOf(model.requests[2])).toContain('run_python');
    expect(toolsOf(model.requests[3])).toEqual(['submit_answer']);
    expect(model.requests[3]?.toolChoice).toEqual({ type: 'tool', toolName: 'submit_answer' });
    expect(
      turnsOf(run, 'vqa')
        .map(({ toolInteractions }) => toolInteractions[0]?.status)
        .slice(3),
    ).toEqual(['denied', 'denied', undefined]);
    expect(await run.result).toMatchObject({ outcome: 'limit', output: 'It may be a kite.' });
  });

  it('[A3.terminate-and-answer] an answer that does not fit its schema is handed back', async () => {
    const wrong = call('submit_answer', { answer: 'B', confidence: 'absolute' });
    const model = speaks(wrong, answers());
    const run = await play({ profile: 'vqa', model });
    expect(turnsOf(run, 'vqa')[0]?.toolInteractions[0]).toMatchObject({
      status: 'error',
      error: { code: 'TOOL_ARGUMENTS_INVALID' },
    });
    expect(run.state.outcome).toBe('success');
  });

  it('[A3.retry-truncated] a call that was cut off is not run; it is asked for again, whole', async () => {
    const cut = { toolCalls: [{ name: 'submit_answer', input: '{"answer": "B: a ki' }], finishReason: 'length' };
    const model = speaks(cut, answers('B: a kite'));
    const run = await play({ profile: 'vqa', model });
    const [first] = turnsOf(run, 'vqa');
    expect(first?.toolInteractions[0]).toMatchObject({ status: 'error', error: { code: 'TOOL_ARGUMENTS_TRUNCATED' } });
    expect(run.state.output).toBe('B: a kite');
  });

  it('[A3.text-fallback] a model without calls of its own writes them in its text', async () => {
    const config = 'name: text\ntype: llm_config\nconfig: { model: default, tool_protocol: loose_json, max_retries: 0 }\n';
    const base = await readFile(path.join(folder, 'profiles/step_base.yaml'), 'utf8');
    const files = {
      'profiles/step_base.yaml': base.replace('llm_config_ref: default', 'llm_config_ref: openai'),
      'llm_configs/offline.yaml': config.replace('name: text', 'name: offline'),
      'llm_configs/openai.yaml': config.replace('name: text', 'name: openai'),
    };
    const model = speaks('<tool_call>{"name": "submit_answer", "arguments": {"answer": "B: a kite"}}</tool_call>');
    const run = await play({ profile: 'vqa', model, files });
    expect(run.state).toMatchObject({ outcome: 'success', output: 'B: a kite' });
  });

  it('words alone are no end: it is told so, and three times are an error', async () => {
    const model = speaks('A kite.', 'A kite, I said.', 'A kite!');
    const run = await play({ profile: 'vqa', model });
    expect(promptOf(model.requests[1])).toContain('Words alone end nothing here.');
    expect(run.state).toMatchObject({ outcome: 'error', error: { message: expect.stringContaining('three times') } });
  });
});

describe('the flow', () => {
  it('[A3.refinement-flow] [A3.terminate-and-ask] the reasoner asks, the translator looks again, and the answer is the run’s', async () => {
    const model = both(
      [caption('Something red.'), caption('A red square on a string.')],
      [asks('What shape has it?'), answers('B: a kite')],
    );
    const run = await play({ profile: 'refinement', model });
    expect(calledBy(run)).toEqual(['translate@1', 'reason@1', 'translate@2', 'reason@2']);
    expect(await run.result).toMatchObject({ status: 'completed', output: 'B: a kite' });
    const [first, , again, second] = model.requests;
    expect(promptOf(first)).toMatch(/\* \*\*The question:\*\*\s+What is in the sky\?/);
    expect(promptOf(first)).toContain('Options: A: a balloon, B: a kite');
    // What an agent says that has looked at a file is framed where the flow quotes it.
    const framed = (title: string, text: string): RegExp =>
      new RegExp(`\\* \\*\\*${title}:\\*\\*\\s+<untrusted_data [^\\n]+\\n${RegExp.escape(text)}\\n</untrusted_data `);
    expect(promptOf(again)).toMatch(framed('The description so far', 'Something red.'));
    expect(promptOf(again)).toMatch(framed('What the reasoner still needs', 'What shape has it?'));
    expect(promptOf(second)).toMatch(framed('The description of the picture', 'A red square on a string.'));
    expect(promptOf(first)).toContain('[iteration 1 of 3, step 1] Begin.');
    expect(promptOf(second)).toContain('[iteration 2 of 3, step 1]');
  });

  it('[A3.agents] the picture is opened without a model and seen by the translator in each iteration; the reasoner never sees it', async () => {
    const model = both([caption('a'), caption('b')], [asks('More.'), answers()]);
    const run = await play({ profile: 'refinement', model });
    const seen = model.requests.map((request) =>
      messagesOf(request).some((message) => message.includes('[file]') || message.includes('image/png')),
    );
    expect(seen).toEqual([true, false, true, false]);
    expect(turnsOf(run, 'translator')[0]).toMatchObject({ attempts: [], reply: { modelId: 'planner:rules' } });
    expect(agentsOf(run, 'translator')).toHaveLength(2);
    expect(toolsOf(model.requests[1])).toEqual(expect.arrayContaining(['run_python', 'submit_answer', 'terminate']));
    expect(toolsOf(model.requests[1])).not.toContain('read_file');
    expect(run.state.outcome).toBe('success');
  });

  it('[A3.refinement-flow] [A3.forced-answer] at most three iterations; in the last one the reasoner has nobody to ask (D2.18)', async () => {
    const model = both([caption('a'), caption('b'), caption('c')], [asks('x'), asks('y'), asks('z'), answers('B')]);
    const run = await play({ profile: 'refinement', model });
    const reasoner = model.requests.filter((request) => !toolsOf(request).includes('finish_flow'));
    expect(reasoner.map((request) => toolsOf(request).includes('terminate'))).toEqual([true, true, false, false]);
    expect(reasoner[2]?.toolChoice).toEqual({ type: 'required' });
    expect(promptOf(reasoner[2])).toContain('[last iteration, step 1] Nobody can be asked any more.');
    expect(turnsOf(run, 'reasoner')[2]?.toolInteractions[0]).toMatchObject({ name: 'terminate', status: 'denied' });
    expect(calledBy(run)).toHaveLength(6);
    expect(await run.result).toMatchObject({ status: 'completed', output: 'B' });
  });

  it('(D2.17) where it goes next is the tool the reasoner ended with, whatever its words say', async () => {
    const model = both([caption('FINAL ANSWER: unclear, more is missing')], [answers('It is unclear what is missing; need more.')]);
    const run = await play({ profile: 'refinement', model });
    expect(calledBy(run)).toEqual(['translate@1', 'reason@1']);
    expect(run.state.output).toBe('It is unclear what is missing; need more.');
  });

  it('[A3.terminate-and-caption] a description is checked: what lacks a field is handed back to the translator', async () => {
    const wrong = call('finish_flow', { summary: 'x', deliverables: { global_caption: 'Red.', confidence: 'sure' } });
    const model = both([wrong, caption('A red square.')], [answers()]);
    const run = await play({ profile: 'refinement', model });
    expect(turnsOf(run, 'translator')[1]?.toolInteractions[0]).toMatchObject({ name: 'finish_flow', status: 'error' });
    expect(promptOf(model.requests[2])).toContain('A red square.');
    expect(run.state.outcome).toBe('success');
  });

  it('[A3.iteration-errors] an iteration whose agent failed in a way that passes is followed by the next, with new agents (D2.19)', async () => {
    const wrong = call('run_python', { script: 'none' });
    const idle = [say('Hm.'), say('Well.'), wrong, wrong, say('Hm.')];
    const model = both([caption('a'), caption('b')], [...idle, answers('B')]);
    const run = await play({ profile: 'refinement', model });
    expect(agentsOf(run, 'reasoner').map(({ result: { outcome } }) => outcome)).toEqual(['limit', 'success']);
    expect(calledBy(run)).toEqual(['translate@1', 'reason@1', 'translate@2', 'reason@2']);
    expect(run.state.output).toBe('B');
  });

  it('[A3.iteration-errors] [A3.flow-executor] one that does not pass is the failure of the run, with its code and when it was', async () => {
    const run = await play({ profile: 'refinement', model: both([], []) });
    const { startedAt, endedAt } = run.turns().at(-1) ?? {};
    expect(startedAt).toBeLessThanOrEqual(endedAt ?? 0);
    const result = await run.result;
    expect(result).toMatchObject({ status: 'failed', error: { code: 'PLAN_FAILED' } });
    expect(result.error?.message).toContain("step 'translate' failed in iteration 1 of 3");
    expect(result.error?.message).toContain('nothing is left to say');
    expect(result.error?.message.length).toBeLessThan(1_002);
  });

  it('[A3.logging] every step is on record: who, which iteration and step, calls, errors, and why the flow went on', async () => {
    const model = both([caption('a'), caption('b')], [asks('More.'), answers()]);
    const run = await play({ profile: 'refinement', model });
    const log = run
      .turns()
      .map(({ profile, reply, toolInteractions }) => [profile, reply.modelId?.split(':')[0], toolInteractions[0]?.name]);
    expect(log).toContainEqual(['refinement', 'planner', 'translate_picture']);
    expect(log).toContainEqual(['translator', 'planner', 'read_file']);
    expect(turnsOf(run, 'refinement')[2]?.reply.reasoning).toBe(
      "iteration 1 of 3: 'results.reason.ended_by.tool == 'submit_answer'' does not hold; iteration 2 of 3, step 'translate'",
    );
    expect(turnsOf(run, 'reasoner')[0]?.inputs.map(({ source }) => source)).toEqual(['AGENT_STARTUP_BRIEFING', 'STEP_PROMPT']);
  });

  it('runs without a key: the script says what can be said without looking', async () => {
    const engine = await createEngine({
      profiles: folder,
      store: 'memory',
      env: {},
      workspace: await makeFolder({ 'kite.png': picture }),
    });
    onTestFinished(async () => await engine.close());
    const run = await engine.launch({ profile: 'refinement', input: question });
    expect(await run.result).toMatchObject({ status: 'completed', output: expect.stringContaining('kite.png (image/png') });
    expect(calledBy(run)).toHaveLength(4);
  });
});
