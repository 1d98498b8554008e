import { jsonSchema, tool } from 'ai';
import { Type } from 'typebox';
import { describe, expect, expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import type { JsonObject } from '../../src/core/json.ts';
import type { TransitionContext } from '../../src/core/tool/transition.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import { defineTransitionTool } from '../../src/tools/define-transition-tool.ts';
import { normalizeTool } from '../../src/tools/normalize-tool.ts';
import { toolContext } from './tool-context.ts';

const description = 'Does something.';
const named = { name: 't', description } as const;
const execute = (): string => 'done';

describe('defineTool', () => {
  test('defaults: unsafe, parallel, two minutes, 32,768 characters, its own toolset, untrusted (A1.8 Registration)', () => {
    expect(defineTool({ ...named, execute })).toMatchObject({
      kind: 'effect',
      name: 't',
      toolset: 't',
      effect: 'unsafe',
      concurrency: 'parallel',
      endsFlow: false,
      unique: false,
      timeoutMs: 120_000,
      maxResultChars: 32_768,
      contextContributions: [],
      trust: 'untrusted',
      parameters: { type: 'object', properties: {} },
    });
  });

  test('every option has its place', () => {
    const tool = defineTool({
      ...named,
      execute,
      toolset: 's',
      effect: 'verifiable',
      verify: 'find_out',
      needs_approval: true,
      concurrency: 'serial',
      ends_flow: true,
      exclusive: true,
      timeout_ms: 5,
      max_result_chars: 100,
      handover_protocol: 'p',
      context_contributions: [{ id: 'c', text: 'Use it well.' }],
      guide: 'g',
      trust: 'untrusted',
    });
    expect(tool).toMatchObject({
      toolset: 's',
      effect: 'verifiable',
      verify: 'find_out',
      needsApproval: true,
      concurrency: 'serial',
      endsFlow: true,
      unique: true,
      timeoutMs: 5,
      maxResultChars: 100,
      handoverProtocol: 'p',
      contextContributions: [{ id: 'c', text: 'Use it well.', order: 99 }],
      guide: 'g',
      trust: 'untrusted',
    });
  });

  test.each<[string, string, unknown]>([
    ['name', 'name', { description, execute }],
    ['name', 'name', { ...named, name: '*', execute }],
    ['name', 'name', { ...named, name: 'a\nb', execute }],
    ['description', 'description', { name: 't', execute }],
    ['execute', 'execute', named],
    ['effect', 'effect', { ...named, execute, effect: 'safe' }],
    ['verify', 'verify', { ...named, execute, effect: 'verifiable' }],
    ['verify', 'verify', { ...named, execute, verify: 'x' }],
    ['concurrency', 'concurrency', { ...named, execute, concurrency: 'one' }],
    ['ends_flow', 'ends_flow', { ...named, execute, ends_flow: 'yes' }],
    ['timeout_ms', 'timeout_ms', { ...named, execute, timeout_ms: 0 }],
    ['max_result_chars', 'max_result_chars', { ...named, execute, max_result_chars: Number.NaN }],
    ['trust', 'trust', { ...named, execute, trust: 'no' }],
    ['context_contributions', 'context_contributions[0]', { ...named, execute, context_contributions: [{ id: 'c' }] }],
    ['a spelling of another system', 'endsFlow', { ...named, execute, endsFlow: true }],
    ['parameters for a text', 'parameters', { ...named, execute, parameters: z.string() }],
    ['parameters that are none', 'parameters', { ...named, execute, parameters: 5 }],
    [
      'parameters of a library without JSON Schema',
      'parameters',
      { ...named, execute, parameters: { '~standard': { version: 1, vendor: 'v', validate: () => ({ value: 1 }) } } },
    ],
    ['way to ask for approval', 'needsApproval', { ...named, execute, needsApproval: true }],
    ['way to ask for approval', 'requires_approval', { ...named, execute, requires_approval: true }],
    ['wish for approval', 'needs_approval', { ...named, execute, needs_approval: 'always' }],
    ['option', 'approval', { ...named, execute, approval: 'required' }],
    ['misspelt option', 'aproval', { ...named, execute, aproval: true }],
    ['misspelt option', 'timout', { ...named, execute, timout: '5s' }],
    [
      'option beside those of the AI SDK',
      'needs_aproval',
      { ...tool({ inputSchema: z.object({}), execute }), name: 't', needs_aproval: true },
    ],
    ['zod shape for parameters', 'parameters', { ...named, execute, parameters: { a: z.number() } }],
    [
      'zod schema within JSON Schema',
      'parameters',
      { ...named, execute, parameters: { type: 'object', properties: { a: z.number() } } },
    ],
    ['list of types for parameters', 'parameters', { ...named, execute, parameters: { a: 'number' } }],
    ['property', 'parameters', { ...named, execute, parameters: { type: 'object', properties: { a: 'number' } } }],
    ['parameters that contain themselves', 'parameters', { ...named, execute, parameters: selfContained() }],
    ['parameters of 300 KB', 'parameters', { ...named, execute, parameters: { type: 'object', description: 'x'.repeat(300_000) } }],
    ['parameters 100 levels deep', 'parameters', { ...named, execute, parameters: deepSchema(100) }],
  ])('a bad %s is TOOL_INVALID naming the field', (_, field, definition) => {
    expect(() => normalizeTool(definition)).toThrow(expect.objectContaining({ code: 'TOOL_INVALID', details: { field } }) as Error);
  });

  test('an option that does not exist is refused with the one that was meant, and all there are', () => {
    const refused = (more: object): unknown => errorOf(() => defineTool({ ...named, execute, ...more }));
    expect(refused({ aproval: true })).toMatchObject({
      message: expect.stringContaining("did you mean 'needs_approval'?") as string,
    });
    expect(refused({ timout_ms: 5 })).toMatchObject({ message: expect.stringContaining("did you mean 'timeout_ms'?") as string });
    expect(refused({ frob: 5 })).toMatchObject({
      message: expect.stringContaining('allowed: name, description, parameters,') as string,
    });
    expect(refused({ inputSchema: z.object({}) })).toMatchObject({
      message: expect.stringContaining("is called 'parameters'") as string,
    });
    expect(
      errorOf(() => defineTransitionTool({ ...named, run: () => ({ kind: 'result', content: '' }), ...{ execute } })),
    ).toMatchObject({ details: { field: 'execute' } });
  });

  test.each([undefined, null, {}, named, 5])('defineTool(%j) is TOOL_INVALID, and so is defineTransitionTool', (value) => {
    for (const define of [defineTool, defineTransitionTool] as readonly ((definition: never) => unknown)[])
      expect(errorOf(() => define(value as never))).toMatchObject({ code: 'TOOL_INVALID' });
  });

  test.each([null, undefined, 'x', 5, [], execute])('%s is no tool', (value) => {
    expect(() => normalizeTool(value, 'n')).toThrow(expect.objectContaining({ code: 'TOOL_INVALID' }) as Error);
  });
});

function errorOf(work: () => unknown): unknown {
  try {
    return work();
  } catch (thrown) {
    return thrown;
  }
}

function selfContained(): unknown {
  const schema: Record<string, unknown> = { type: 'object' };
  schema['properties'] = { self: schema };
  return schema;
}

function deepSchema(levels: number): JsonObject {
  return levels === 0 ? {} : { type: 'object', properties: { a: deepSchema(levels - 1) } };
}

describe('[A4.4.tools] [B.86] parameters of every accepted kind', () => {
  test('zod: types, transformed arguments, and its own words for problems', async () => {
    const tool = defineTool({
      ...named,
      parameters: z.object({ city: z.string().trim().min(2), days: z.coerce.number().default(3) }),
      execute: (args) => {
        expectTypeOf(args).toEqualTypeOf<{ city: string; days: number }>();
        return args;
      },
    });
    expect(tool.check({ city: ' Rome ', days: '5' })).toEqual({ ok: true, args: { city: ' Rome ', days: '5' } });
    expect(await tool.execute({ city: ' Rome ', days: '5' }, toolContext())).toEqual({ city: 'Rome', days: 5 });
    expect(await tool.execute({ city: 'Rome' }, toolContext())).toEqual({ city: 'Rome', days: 3 });
    expect(tool.check({ city: 5 })).toMatchObject({ ok: false, errors: [{ path: '/city' }] });
    expect(tool.parameters).toMatchObject({ type: 'object', properties: { city: { type: 'string' } }, required: ['city'] });
  });

  test('zod with an asynchronous refinement: checked by schema first, refused when it runs', async () => {
    const parameters = z.object({ id: z.string().refine(async (id) => id === 'known', 'is not known') });
    const tool = defineTool({ ...named, parameters, execute: ({ id }) => id });
    expect(tool.check({ id: 5 })).toMatchObject({ ok: false, errors: [{ path: '/id' }] });
    expect(tool.check({ id: 'other' })).toMatchObject({ ok: true });
    expect(await tool.execute({ id: 'known' }, toolContext())).toBe('known');
    await expect(tool.execute({ id: 'other' }, toolContext())).rejects.toMatchObject({
      code: 'TOOL_ARGUMENTS_INVALID',
      message: expect.stringContaining('/id: is not known') as string,
    });
  });

  test('typebox, plain JSON Schema and jsonSchema() of the AI SDK', () => {
    const typebox = defineTool({ ...named, parameters: Type.Object({ n: Type.Integer() }), execute });
    const plain = defineTool({
      ...named,
      parameters: { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] },
      execute,
    });
    const sdk = defineTool({
      ...named,
      parameters: jsonSchema<{ n: number }>({ type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] }),
      execute: (args) => {
        expectTypeOf(args).toEqualTypeOf<{ n: number }>();
      },
    });
    for (const tool of [typebox, plain, sdk]) {
      expect(tool.check({ n: 1 }).ok).toBe(true);
      expect(tool.check({ n: 'x' })).toMatchObject({ ok: false, errors: [{ path: '/n' }] });
      expect(tool.check({}).ok).toBe(false);
    }
  });

  test('the check of jsonSchema() has the last word over its schema', () => {
    const parameters = jsonSchema<{ n: number }>(
      { type: 'object', properties: { n: { type: 'integer' } } },
      {
        validate: (value) =>
          (value as { n: number }).n > 10
            ? { success: true, value: value as { n: number } }
            : { success: false, error: new Error('n is too small') },
      },
    );
    const tool = defineTool({ ...named, parameters, execute });
    expect(tool.check({ n: 11 }).ok).toBe(true);
    expect(tool.check({ n: 1 })).toEqual({ ok: false, errors: [{ path: '', message: 'n is too small' }] });
  });

  test('keys that lead to prototypes are refused by every kind (M9)', () => {
    const args = JSON.parse('{"__proto__":{"n":1}}') as JsonObject;
    expect(defineTool({ ...named, parameters: z.object({}), execute }).check(args).ok).toBe(false);
    expect(defineTool({ ...named, execute }).check(args).ok).toBe(false);
  });

  test('what a tool does to its arguments does not reach the record (X6)', async () => {
    const recorded = { list: [1] };
    const tool = defineTool({ ...named, parameters: { type: 'object' }, execute: (args) => (args['list'] as number[]).push(2) });
    expect(await tool.execute(recorded, toolContext())).toBe(2);
    expect(recorded).toEqual({ list: [1] });
  });

  test('a definition that is an instance keeps its this', async () => {
    class Counter {
      readonly name = 'count';
      readonly description = description;
      // An additional field, which a tool written as an instance may have.
      n = 0;
      execute(): number {
        return ++this.n;
      }
    }
    const counter = defineTool(new Counter());
    await counter.execute({}, toolContext());
    expect(await counter.execute({}, toolContext())).toBe(2);
  });
});

describe('defineTransitionTool', () => {
  const context = {} as TransitionContext;

  test('runs at once, with arguments as its schema made them', () => {
    const tool = defineTransitionTool({
      ...named,
      parameters: z.object({ n: z.number().default(7) }),
      run: ({ n }) => ({ kind: 'result', content: n }),
      resume: ({ n }, _context, happening, memo) => ({ kind: 'result', content: [n, happening.kind, memo] }),
    });
    expect(tool.kind).toBe('transition');
    expect(tool.run({}, context)).toEqual({ kind: 'result', content: 7 });
    expect(tool.resume?.({ n: 1 }, context, { kind: 'answer', value: null }, 'memo')).toEqual({
      kind: 'result',
      content: [1, 'answer', 'memo'],
    });
    expect(normalizeTool(tool)).toBe(tool);
  });

  test('without resume there is none', () => {
    expect(defineTransitionTool({ ...named, run: () => ({ kind: 'result', content: '' }) }).resume).toBeUndefined();
  });

  test('an asynchronous schema is rejected for a transition tool', () => {
    const tool = defineTransitionTool({
      ...named,
      parameters: z.object({ n: z.number().refine(async () => true) }),
      run: () => ({ kind: 'result', content: '' }),
    });
    expect(() => tool.run({ n: 1 }, context)).toThrow(expect.objectContaining({ code: 'TOOL_INVALID' }) as Error);
  });
});
