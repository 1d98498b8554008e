import { describe, expect, it } from 'vitest';
import { cleanSchema } from '../../../src/toolsets/mcp/server-tool.ts';

const hidden = '\u{e0041}\u200b\u202e';

describe("F37: a server's schema without invisible characters", () => {
  it('loses them in the texts for readers, at every depth, and counts them', () => {
    const at = (text: string): Record<string, unknown> => ({
      type: 'object',
      title: text,
      properties: { q: { anyOf: [{ type: 'array', items: { type: 'string', description: text } }] } },
    });
    expect(cleanSchema(at(`a${hidden}b`) as never)).toEqual({ value: at('ab'), removed: 6 });
  });

  it.each([
    ['the name of an argument', { properties: { [`q${hidden}`]: {} } }, '/properties/q'],
    ['an allowed value', { properties: { q: { enum: ['a', `b${hidden}`] } } }, '/properties/q/enum/1'],
    ['a default', { properties: { q: { default: hidden } } }, '/properties/q/default'],
  ])('names the place where %s would change', (_, schema, place) => {
    expect(cleanSchema(schema as never).changed).toBe(place);
  });

  it('leaves what is clean as it is', () => {
    const schema = { type: 'object', properties: { q: { description: '👩‍💻 می‌خواهم' } } };
    expect(cleanSchema(schema).value).toBe(schema);
  });
});
