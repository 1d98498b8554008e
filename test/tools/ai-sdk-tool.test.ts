import { jsonSchema, tool } from 'ai';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { EffectTool } from '../../src/core/tool/tool.ts';
import { normalizeTool } from '../../src/tools/normalize-tool.ts';
import { toResult } from '../../src/tools/result-content.ts';
import { toolContext } from './tool-context.ts';

const inputSchema = z.object({ city: z.string() });

function effectTool(value: unknown, name = 'weather'): EffectTool {
  const normalized = normalizeTool(value, name);
  if (normalized.kind !== 'effect') throw new Error('expected an effect tool');
  return normalized;
}

describe('tool() of the AI SDK is accepted unchanged', () => {
  test('its name is the key it stands under; input and options are those of the AI SDK', async () => {
    const seen: unknown[] = [];
    const weather = effectTool(
      tool({
        description: 'The weather.',
        inputSchema,
        execute: async (input, options) => {
          seen.push(input, options.toolCallId, options.messages, options.abortSignal);
          return { degrees: 20 };
        },
      }),
    );
    const context = toolContext({ agent: { messages: [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }] } });
    expect(weather).toMatchObject({ name: 'weather', description: 'The weather.', effect: 'unsafe', toolset: 'weather' });
    expect(await weather.execute({ city: 'Rome' }, context)).toEqual({ degrees: 20 });
    expect(seen).toEqual([
      { city: 'Rome' },
      'c00000001',
      [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }],
      context.signal,
    ]);
    expect(weather.check({ city: 1 })).toMatchObject({ ok: false });
  });

  test('arguments of jsonSchema() tools are checked, although the AI SDK does not', () => {
    const weather = effectTool(
      tool({
        inputSchema: jsonSchema({ type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }),
        execute: () => 1,
      }),
    );
    expect(weather.check({})).toMatchObject({ ok: false });
    expect(weather.description).toBe('weather');
  });

  test('preliminary results are passed over for the last one', async () => {
    const weather = effectTool(
      tool({
        inputSchema,
        execute: async function* (): AsyncGenerator<string> {
          yield 'loading';
          yield 'sunny';
        },
      }),
    );
    expect(await weather.execute({ city: 'Rome' }, toolContext())).toBe('sunny');
  });

  test('preliminary results end when the call is aborted', async () => {
    const controller = new AbortController();
    const weather = effectTool(
      tool({
        inputSchema,
        execute: async function* (): AsyncGenerator<number> {
          for (let n = 0; ; n += 1) {
            if (n === 3) controller.abort();
            yield n;
          }
        },
      }),
    );
    await expect(weather.execute({ city: 'Rome' }, toolContext({ signal: controller.signal }))).rejects.toThrow('aborted');
  });

  test.each<[string, unknown, { content: unknown; isError: boolean }]>([
    ['text', { type: 'text', value: 'sunny' }, { content: 'sunny', isError: false }],
    ['json', { type: 'json', value: { a: 1 } }, { content: '{\n  "a": 1\n}', isError: false }],
    ['error-text', { type: 'error-text', value: 'no' }, { content: 'no', isError: true }],
    [
      'execution-denied',
      { type: 'execution-denied', reason: 'private' },
      { content: 'The call was denied: private.', isError: true },
    ],
    [
      'content',
      {
        type: 'content',
        value: [
          { type: 'text', text: 'see' },
          { type: 'image-data', data: 'aGk=', mediaType: 'image/png' },
        ],
      },
      {
        content: [
          { type: 'text', text: 'see' },
          { type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'aGk=' } },
        ],
        isError: false,
      },
    ],
  ])('toModelOutput of kind %s is what the model reads', async (_, output, expected) => {
    const weather = effectTool({ description: 'd', inputSchema, execute: () => 'raw', toModelOutput: () => output });
    expect(toResult(await weather.execute({ city: 'Rome' }, toolContext()), 1_000)).toEqual({ ...expected, items: [] });
  });

  test('toModelOutput gets the input and the output', async () => {
    const weather = effectTool(
      tool({
        inputSchema,
        execute: () => ({ degrees: 20 }),
        toModelOutput: ({ input, output }) => ({ type: 'text', value: `${input.city}: ${output.degrees}` }),
      }),
    );
    expect(await weather.execute({ city: 'Rome' }, toolContext())).toEqual({ content: 'Rome: 20' });
  });

  test('options of ours may stand beside', () => {
    expect(
      effectTool({ ...tool({ inputSchema, execute: () => 1 }), effect: 'pure', toolset: 'outside', trust: 'untrusted' }),
    ).toMatchObject({ effect: 'pure', toolset: 'outside', trust: 'untrusted' });
  });

  test.each<[unknown, boolean | undefined]>([
    [true, true],
    [() => false, true],
    [false, undefined],
    [undefined, undefined],
  ])('needsApproval %s makes every call ask: %s', (needsApproval, expected) => {
    expect(effectTool({ inputSchema, execute: () => 1, needsApproval }).needsApproval).toBe(expected);
  });

  test.each<[string, string, unknown]>([
    ['without execute', 'execute', tool({ inputSchema })],
    ['of the provider', 'type', { type: 'provider', id: 'openai.web_search', args: {} }],
  ])('a tool %s is TOOL_INVALID', (_, field, value) => {
    expect(() => normalizeTool(value, 'x')).toThrow(expect.objectContaining({ code: 'TOOL_INVALID', details: { field } }) as Error);
  });
});
