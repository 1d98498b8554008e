import { tool } from 'ai';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { defineTool } from '../../src/tools/define-tool.ts';
import { createToolRegistry } from '../../src/tools/registry.ts';

const description = 'Does something.';
const execute = (): string => 'done';
const city = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'], additionalProperties: false };
const search = defineTool({ name: 'search', toolset: 'web', description, parameters: city, execute });
const fetch = defineTool({ name: 'web.fetch', toolset: 'web', description, execute });
const note = defineTool({ name: 'note', description, execute });

describe('[A2.1.tool-collection] [B.86] createToolRegistry', () => {
  test('takes a list or a record; names of their own count, and keys for those without one', () => {
    const record = createToolRegistry({
      first: search,
      weather: tool({ inputSchema: z.object({}), execute }),
      bare: { description, execute },
    });
    expect(record.names()).toEqual(['search', 'weather', 'bare']);
    expect(createToolRegistry([search, fetch, note]).names()).toEqual(['search', 'web.fetch', 'note']);
    expect(createToolRegistry({}).names()).toEqual([]);
  });

  test('finds tools by name and by toolset (A1.8 Registration: the toolset defaults to the name)', () => {
    const registry = createToolRegistry([search, fetch, note]);
    expect(registry.get('web.fetch')).toBe(fetch);
    expect(registry.toolsets()).toEqual(['web', 'note']);
    expect(registry.inToolset('web')).toEqual([search, fetch]);
    expect(registry.inToolset('none')).toEqual([]);
    expect(registry.fromWire(registry.wireName('web.fetch'))).toBe('web.fetch');
  });

  test.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty', ''])('looking for %j finds nothing (M10)', (name) => {
    const registry = createToolRegistry([search]);
    expect(registry.get(name)).toBeUndefined();
    expect(registry.inToolset(name)).toEqual([]);
    expect(registry.validate(name, {})).toMatchObject({ ok: false, errors: [{ path: '' }] });
  });

  test.each(['__proto__', 'constructor', 'toString'])('a tool may be called %s', (name) => {
    const registry = createToolRegistry([defineTool({ name, description, execute })]);
    expect(registry.get(name)?.name).toBe(name);
    expect(registry.inToolset(name)).toHaveLength(1);
    expect(registry.fromWire(registry.wireName(name))).toBe(name);
  });

  test('two tools of one name are TOOL_INVALID', () => {
    expect(() => createToolRegistry([search, { ...search }])).toThrow(
      expect.objectContaining({ code: 'TOOL_INVALID', message: expect.stringContaining("'search'") as string }) as Error,
    );
  });

  test('a schema that cannot be compiled is TOOL_INVALID at registration, with the name of its tool', () => {
    const bad = defineTool({
      name: 'bad',
      description,
      parameters: { type: 'object', properties: { a: { type: 'strng' } } },
      execute,
    });
    expect(() => createToolRegistry([bad])).toThrow(
      expect.objectContaining({ code: 'TOOL_INVALID', message: expect.stringContaining("tool 'bad'") as string }) as Error,
    );
  });

  test('the tool that verifies must exist, and be pure', () => {
    const look = defineTool({ name: 'note', description, effect: 'pure', execute });
    const pay = defineTool({ name: 'pay', description, effect: 'verifiable', verify: 'note', execute });
    expect(createToolRegistry([pay, look]).names()).toEqual(['pay', 'note']);
    expect(() => createToolRegistry([pay, note])).toThrow(/must be an effect tool that is pure/);
    expect(() => createToolRegistry([pay])).toThrow(
      expect.objectContaining({ code: 'TOOL_INVALID', details: { field: 'verify' } }) as Error,
    );
  });

  test('what a schema asks for and is not checked is a warning', () => {
    const odd = defineTool({
      name: 'odd',
      description,
      parameters: { type: 'object', properties: { a: { type: 'string', pattern: '(?!x)y' } } },
      execute,
    });
    expect(createToolRegistry([odd, search]).warnings).toEqual([expect.stringContaining("tool 'odd': the pattern")]);
  });
});

describe('validate', () => {
  const registry = createToolRegistry([search]);

  test('arguments that fit', () => {
    expect(registry.validate('search', { city: 'Rome' })).toEqual({ ok: true, errors: [] });
  });

  test('arguments that do not, with every problem', () => {
    const { ok, errors } = registry.validate('search', { town: 'Rome' });
    expect(ok).toBe(false);
    expect(errors.map((error) => error.message)).toEqual([
      expect.stringContaining('"city" is missing'),
      expect.stringContaining('"town" is unknown'),
    ]);
  });

  test.each([null, undefined, 'x', 5, []])('%j is no arguments', (args) => {
    expect(registry.validate('search', args).ok).toBe(false);
  });

  test('a name with a typo is told the right one', () => {
    expect(registry.validate('serach', {}).errors[0]?.message).toContain("did you mean 'search'");
  });

  test('arguments that contain themselves are refused, not followed', () => {
    const args: Record<string, unknown> = { city: 'x' };
    args['self'] = args;
    expect(registry.validate('search', args).ok).toBe(false);
  });
});
