import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ScriptedRequest } from '../../src/testing/index.ts';
import { call, say, speaks } from '../scenarios/scenario.ts';
import { testEngine, waitsForUser } from '../support/test-engine.ts';
import { allow, tool } from '../support/tools.ts';

/** Lines as patches, Makefiles, tables, markup and logs have them. */
const line = fc.oneof(
  fc.constantFrom(
    '',
    ' ',
    '\tcc -o a a.c',
    '- a',
    '+  b',
    '@@ -1,2 +1,2 @@',
    '| a | b |',
    '"quoted" \\ back',
    '</notes>',
    '<b>&amp;</b>',
  ),
  fc.constantFrom(
    '# Title',
    '* **Status:** done',
    '    four spaces',
    '{{ state.flags.a }}',
    '${HOME}',
    'ü – 漢字 🙂',
    '```',
    '---',
    'a\r',
  ),
  fc.string({ unit: 'grapheme-ascii', maxLength: 30 }),
);
const words = fc
  .array(line, { minLength: 1, maxLength: 6 })
  .map((lines) => lines.join('\n'))
  .filter((text) => text.trim() !== '');

/** All that a model reads in a request, word for word. */
function read({ prompt }: Pick<ScriptedRequest, 'prompt'>): string {
  const texts: string[] = [];
  const collect = (value: unknown): void => {
    if (typeof value === 'string') texts.push(value);
    else if (Array.isArray(value)) for (const each of value) collect(each);
    else if (typeof value === 'object' && value !== null)
      for (const [key, each] of Object.entries(value)) if (key !== 'type' && key !== 'input') collect(each);
  };
  collect(prompt);
  return texts.join('\u0000');
}

describe('what was said is what the model reads', () => {
  it('F8, F9: by a person, a tool, a caller and an agent that reports', async () => {
    await fc.assert(
      fc.asyncProperty(words, words, words, words, async (asked, more, brought, reported) => {
        const boss = speaks(
          call('look'),
          call('call_agent', { profile: 'Worker', input: brought }),
          say('Done.'),
          say('Done again.'),
        );
        const worker = speaks(call('look_inside'), say(reported));
        const profile = {
          Boss: `llm_config_ref: boss\n${waitsForUser}callable_profiles: [Worker]\ntool_access_policy: { allowed_toolsets: [agents], allowed_individual_tools: [look] }\n`,
          Worker: `llm_config_ref: worker\n${allow('look_inside')}`,
        };
        const tools = [
          tool('look', () => brought, { trust: 'trusted' }),
          tool('look_inside', () => brought, { trust: 'untrusted' }),
        ];
        const team = await testEngine({ profile, models: { boss, worker }, tools, team: {} });
        const run = await team.launch(asked);
        await run.settled();
        await run.send(more);
        await run.settled();
        expect(read(boss.requests[0] ?? { prompt: [] })).toContain(asked);
        expect(read(boss.requests[1] ?? { prompt: [] })).toContain(brought);
        expect(read(worker.requests[0] ?? { prompt: [] })).toContain(brought);
        expect(read(worker.requests[1] ?? { prompt: [] }).split(brought).length).toBeGreaterThan(2);
        // What it reports is data, and stands in the prompt as JSON.
        expect(read(boss.requests[2] ?? { prompt: [] })).toContain(JSON.stringify(reported));
        expect(read(boss.requests.at(-1) ?? { prompt: [] })).toContain(more);
      }),
      { numRuns: 40 },
    );
  });

  it.each(['', ' ', '\n'])('F8: a result %j is sent as it is, framed where it is untrusted', async (result) => {
    for (const trust of ['trusted', 'untrusted'] as const) {
      const team = await testEngine({
        profile: allow('look'),
        replies: [call('look'), say('Done.')],
        tools: [tool('look', () => result, { trust })],
      });
      const run = await team.launch();
      await run.settled();
      expect(run.state.outcome).toBe('success');
      const last = team.model.requests[1]?.prompt.at(-1);
      const [part] = last?.role === 'tool' ? last.content : [];
      const value = part?.type === 'tool-result' ? part.output : undefined;
      if (trust === 'trusted') expect(value).toEqual({ type: 'text', value: result });
      else expect(value).toMatchObject({ type: 'text', value: expect.stringMatching(/^<untrusted[^]*<\/untrusted/) as string });
      expect(JSON.stringify(team.model.requests)).not.toContain('no result');
    }
  });
});
