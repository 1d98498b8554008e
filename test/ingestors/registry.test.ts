import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Ingestor } from '../../src/core/inbox/ingestor.ts';
import type { JsonValue } from '../../src/core/json.ts';
import type { Content } from '../../src/core/prompt/message.ts';
import { globalStrategies } from '../../src/core/inbox/strategy.ts';
import { defineIngestor } from '../../src/ingestors/define-ingestor.ts';
import { createIngestorRegistry } from '../../src/ingestors/registry.ts';
import { viewWith } from './ingestor-view.ts';

describe('createIngestorRegistry', () => {
  test('A1.4: every ingestor is there, with and without the suffix', () => {
    const registry = createIngestorRegistry();
    const expected = [
      'aggregated_results',
      'available_associates',
      'dispatch_result',
      'generic_message',
      'json_history',
      'markdown_formatter',
      'notes',
      'observer_failure',
      'plan',
      'principal_history_summary',
      'protocol_aware',
      'tagged_content',
      'templated_content',
      'tool_result',
      'user_prompt',
      'visible_history',
      'work_modules',
    ];
    expect(registry.names().toSorted()).toEqual(expected.flatMap((name) => [name, `${name}_ingestor`]).toSorted());
    for (const name of expected) expect(registry.get(`${name}_ingestor`)).toBe(registry.get(name));
  });

  test('A1.3: every ingestor the global strategies name exists', () => {
    const registry = createIngestorRegistry();
    for (const { ingestor } of globalStrategies.values()) expect(registry.get(ingestor)?.name).toBe(ingestor);
  });

  test.each(['__proto__', 'constructor', '_ingestor', '', 'none'])('%j is none', (name) => {
    expect(createIngestorRegistry().get(name)).toBeUndefined();
  });

  test('[B.14] further ingestors are added, and replace built-in ones of their name', () => {
    const loud = defineIngestor({ name: 'loud_ingestor', ingest: (payload) => String(payload).toUpperCase() });
    const own = defineIngestor({ name: 'user_prompt', ingest: () => 'mine' });
    const registry = createIngestorRegistry([loud, own]);
    for (const name of ['loud', 'loud_ingestor']) expect(registry.get(name)?.ingest('hi', {}, viewWith())).toBe('HI');
    expect(registry.get('user_prompt')?.ingest('hi', {}, viewWith())).toBe('mine');
    expect(registry.names().filter((name) => name === 'user_prompt')).toHaveLength(1);
  });

  test.each(['{"name":"x"}', '{"name":""}', '{}'])('%s is no ingestor: OPTION_INVALID', (text) => {
    const definition = JSON.parse(text) as Ingestor;
    const invalid = expect.objectContaining({ code: 'OPTION_INVALID' }) as Error;
    expect(() => defineIngestor(definition)).toThrow(invalid);
    expect(() => createIngestorRegistry([definition])).toThrow(invalid);
  });

  test('what is no content is handed on, so that the turn can say what is wrong with it', () => {
    const registry = createIngestorRegistry([{ name: 'broken', ingest: () => JSON.parse('5') as Content }]);
    expect(registry.get('broken')?.ingest(null, {}, viewWith())).toBe(5);
  });

  test('what an ingestor returns is capped, in parts as well', () => {
    const long = 'a'.repeat(2_000_000);
    const registry = createIngestorRegistry([
      { name: 'text', ingest: () => long },
      {
        name: 'parts',
        ingest: (): Content => [
          { type: 'text', text: long },
          { type: 'text', text: long },
        ],
      },
    ]);
    const text = registry.get('text')?.ingest(null, {}, viewWith());
    expect(text).toMatch(/^a+\n… \[\d+ characters cut\] …\na+$/);
    expect(text?.length).toBeLessThan(600_000);
    expect(JSON.stringify(registry.get('parts')?.ingest(null, {}, viewWith())).length).toBeLessThan(600_000);
  });

  test('property: built-in ingestors put any payload into words, or say what is wrong with it', () => {
    const registry = createIngestorRegistry();
    fc.assert(
      fc.property(fc.constantFrom(...registry.names()), fc.jsonValue({ maxDepth: 5 }), (name, value) => {
        const payload = JSON.parse(JSON.stringify(value)) as JsonValue;
        const content = registry.get(name)?.ingest(payload, {}, viewWith());
        expect(typeof content === 'string' || Array.isArray(content)).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });
});
