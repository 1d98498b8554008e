import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileProfileFiles } from '../../src/profiles/compile-profile-files.ts';

const folder = fileURLToPath(new URL('fixtures/team', import.meta.url));
const texts = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.yaml'))
  .map((path) => ({ path, text: readFileSync(`${folder}/${path}`, 'utf8') }));

const fragments = [
  '{{',
  '}}',
  '{{ x',
  '!',
  '&a ',
  '*a',
  '? ',
  '- ',
  ': ',
  '|',
  '>',
  '>-\n',
  '"',
  "'",
  '\\',
  '\t',
  '\n',
  '\r\n',
  '[',
  ']',
  '{',
  '}',
  '#',
  '%',
  '@',
  '`',
  '---\n',
  '...\n',
  '<<: ',
  '__proto__: ',
  'null',
  '~',
  '1e999',
  '0x',
  '\u2028',
  '\uD800',
  '😀',
  'remove: true',
  'id: ',
  'type: ',
  '_type: from_env',
  'constructor: ',
  '\u0000',
  '\u0085',
];

const mutation = fc.oneof(
  fc.record({ kind: fc.constant('insert' as const), at: fc.nat(), text: fc.constantFrom(...fragments) }),
  fc.record({ kind: fc.constant('delete' as const), at: fc.nat(), length: fc.integer({ min: 1, max: 40 }) }),
  fc.record({ kind: fc.constant('swap' as const), at: fc.nat(), length: fc.integer({ min: 1, max: 30 }), to: fc.nat() }),
  fc.record({ kind: fc.constant('line' as const), at: fc.nat(), to: fc.nat() }),
);
type Mutation = typeof mutation extends fc.Arbitrary<infer T> ? T : never;

function mutate(text: string, change: Mutation): string {
  const at = change.at % (text.length + 1);
  switch (change.kind) {
    case 'insert':
      return text.slice(0, at) + change.text + text.slice(at);
    case 'delete':
      return text.slice(0, at) + text.slice(at + change.length);
    case 'swap':
      return text.slice(0, at) + text.slice(change.to % (text.length + 1)).slice(0, change.length) + text.slice(at + change.length);
    case 'line': {
      const lines = text.split('\n');
      const [line = ''] = lines.splice(change.at % lines.length, 1);
      lines.splice(change.to % (lines.length + 1), 0, line);
      return lines.join('\n');
    }
  }
}

describe('whatever stands in a file', () => {
  it('compiling answers with a set or with errors that lie in the file, and never throws', () => {
    fc.assert(
      fc.property(fc.constantFrom(...texts), fc.array(mutation, { minLength: 1, maxLength: 4 }), (original, changes) => {
        const text = changes.reduce(mutate, original.text);
        const { set, diagnostics } = compileProfileFiles([{ path: original.path, text }], { known: {}, env: {} });
        expect(set === undefined).toBe(diagnostics.some(({ severity }) => severity === 'error'));
        const lines = text.split('\n');
        for (const { source, message } of diagnostics) {
          expect(message).not.toBe('');
          expect(source.file).toBe(original.path);
          expect(source.line).toBeLessThanOrEqual(lines.length);
          expect(source.column).toBeLessThanOrEqual((lines[source.line - 1] ?? '').length + 1);
        }
      }),
      { numRuns: 1_000 },
    );
  });

  it('text of any kind', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
        const { set, diagnostics } = compileProfileFiles([{ path: 'p.yaml', text }], { known: {}, env: {} });
        expect(set === undefined).toBe(diagnostics.some(({ severity }) => severity === 'error'));
      }),
      { numRuns: 500 },
    );
  });
});
