import { describe, expect, it } from 'vitest';
import { scriptedModel, chaosModel, chaosPerson, createMemoryJournal, type ScriptedReply } from '../../src/testing/index.ts';
import { fittingValue, plainWords } from '../../src/testing/chaos-values.ts';
import { seededRandom } from '../../src/testing/seeded-random.ts';
import { checkSchema } from '../../src/tools/schema/check-arguments.ts';
import { testEngine, waitsForUser } from '../support/test-engine.ts';
import { tool } from '../support/tools.ts';

const profile = `tool_access_policy: { allowed_individual_tools: [look, note] }\nlimits: { max_turns: 12 }\n`;

/** Runs an agent with two tools on chaos, and returns its actions and words. */
async function play(seed: number, more = '', faults?: number) {
  const model = chaosModel({ seed, ...(faults === undefined ? {} : { faults }) });
  const team = await testEngine({
    profile: profile + more,
    models: { m: model },
    tools: [tool('look', () => 'seen'), tool('note', () => 'noted')],
    files: [
      { path: 'llm_configs/text.yaml', text: 'name: text\ntype: llm_config\nconfig: { model: m, tool_protocol: json_actions }\n' },
    ],
  });
  const run = await team.launch();
  const settled = run.settled();
  for (let turn = 0; turn < 200 && run.state.outcome === undefined; turn++) await team.clock.advance(60_000);
  await settled;
  const calls = run.turns().flatMap(({ toolInteractions }) => toolInteractions.map(({ name, status }) => `${name} ${status}`));
  await team.engine.close();
  return { run, model, calls, said: run.turns().map(({ reply }) => reply.text) };
}

describe('chaosModel', () => {
  it('says the same for the same seed, and something else for another', async () => {
    const [first, again, other] = [await play(7), await play(7), await play(8)];
    expect({ calls: again.calls, said: again.said }).toEqual({ calls: first.calls, said: first.said });
    expect({ calls: other.calls, said: other.said }).not.toEqual({ calls: first.calls, said: first.said });
  });

  it('calls offered tools rightly and wrongly, and tools that do not exist', async () => {
    const calls: string[] = [];
    for (let seed = 1; seed <= 12; seed++) calls.push(...(await play(seed)).calls);
    expect(calls).toEqual(expect.arrayContaining(['look ok', 'note ok', 'look error']));
    expect(calls.some((call) => !/^(look|note) /.test(call))).toBe(true);
  });

  it('without faults calls tools with arguments that fit, and answers', async () => {
    for (let seed = 1; seed <= 5; seed++) {
      const { calls, run } = await play(seed, '', 0);
      expect(calls.filter((call) => !/^(look|note) ok$/.test(call))).toEqual([]);
      expect(run.turns().every(({ attempts }) => attempts.length === 1)).toBe(true);
    }
  });

  it('finds tools where calls are written as text, and writes them so', async () => {
    const calls: string[] = [];
    for (let seed = 1; seed <= 6; seed++) calls.push(...(await play(seed, 'llm_config_ref: text\n')).calls);
    expect(calls).toEqual(expect.arrayContaining(['look ok', 'note ok']));
  });
});

describe('fitting values', () => {
  it.each([
    {
      type: 'object',
      required: ['a', 'b'],
      properties: { a: { type: 'integer', minimum: 3, maximum: 4 }, b: { enum: ['x', 'y'] } },
    },
    { type: 'array', minItems: 2, maxItems: 3, items: { type: 'string', minLength: 4 } },
    { anyOf: [{ const: 1 }, { type: 'object', required: ['k'], properties: { k: { type: ['string', 'null'] } } }] },
    {
      type: 'object',
      properties: { deep: { type: 'object', properties: { deeper: { type: 'boolean' } } } },
      additionalProperties: false,
    },
  ])('fit their schema, whatever the seed: %j', (schema) => {
    for (let seed = 0; seed < 200; seed++)
      expect(checkSchema(schema, fittingValue(schema, { random: seededRandom(seed), words: plainWords }))).toMatchObject({
        ok: true,
      });
  });
});

describe('chaosPerson', () => {
  it('decides what waits, speaks to a run that awaits a message as often as it may, and then says that nothing is to be done', async () => {
    const replies: ScriptedReply[] = [
      { toolCalls: [{ name: 'look', args: {} }] },
      { text: 'One.' },
      { text: 'Two.' },
      { text: 'Three.' },
    ];
    const store = createMemoryJournal();
    const team = await testEngine({
      profile: `${waitsForUser}\ntool_access_policy: { allowed_individual_tools: [look] }\ntool_gates: [{ id: ask, tools: [look], verdict: ask }]\n`,
      models: { m: scriptedModel(replies) },
      tools: [tool('look', () => 'seen')],
      store,
    });
    const run = await team.launch();
    await run.settled();
    expect(run.pending).toHaveLength(1);
    const person = chaosPerson({ seed: 1, messages: 2 });
    const did: boolean[] = [];
    for (let round = 0; round < 4; round++) {
      did.push(await person.attend(run));
      await run.settled();
    }
    expect(did).toEqual([true, true, true, false]);
    expect(run.turns().at(-1)?.reply.text).toBe('Three.');
  });
});
