import { readFile } from 'node:fs/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createEngine } from '../../src/index.ts';
import { countingIds, manualClock, scriptedModel, type ScriptedReply } from '../../src/testing/index.ts';
import { call, toolsOf } from '../scenarios/scenario.ts';
import { makeFolder } from '../files/temp-folder.ts';
import { expectGolden, journalText } from './golden-log.ts';

const sees = (words: string): ScriptedReply => {
  const deliverables = { global_caption: words, confidence: 'mid', summary_of_this_turn: words };
  return call('finish_flow', { summary: words, deliverables });
};

/** The reasoner says words, asks once, and answers; the same every time. */
async function journal(): Promise<string> {
  const translator = [sees('Something red above a field.'), sees('A red square on a string.')];
  const reasoner: ScriptedReply[] = [
    { text: 'That may be anything.' },
    call('terminate', { status: 'ask_translator', message: 'What shape has it?' }),
    call('submit_answer', { answer: 'a kite', confidence: 'high', reasoning: 'Square, on a string.' }),
  ];
  const model = scriptedModel((request) => {
    const reply = (toolsOf(request).includes('finish_flow') ? translator : reasoner).shift();
    if (reply === undefined) throw new Error('nothing is left to say');
    return reply;
  });
  const engine = await createEngine({
    profiles: 'agent_profiles/seeingeye',
    models: { default: model },
    store: 'memory',
    env: {},
    workspace: await makeFolder({ 'kite.png': await readFile('examples/seeingeye-picture/kite.png') }),
    clock: manualClock(),
    ids: countingIds(),
    random: () => 0,
  });
  onTestFinished(async () => await engine.close());
  const run = await engine.launch({ profile: 'refinement', input: 'What is in the sky?\nimage_path: kite.png' });
  expect((await run.result).output).toBe('a kite');
  return await journalText(run);
}

describe('golden turn log of seeingeye', () => {
  it('is the same, byte for byte (UPDATE_GOLDEN=1 writes it anew)', async () => {
    const [one, two] = await Promise.all([journal(), journal()]);
    expect(one).toBe(two);
    expectGolden('seeingeye.jsonl', one);
  });
});
