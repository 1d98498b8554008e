import * as fc from 'fast-check';

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

/** One small change of a text, such as a slip of the hand or a broken merge makes it. */
export const mutation = fc.oneof(
  fc.record({ kind: fc.constant('insert' as const), at: fc.nat(), text: fc.constantFrom(...fragments) }),
  fc.record({ kind: fc.constant('delete' as const), at: fc.nat(), length: fc.integer({ min: 1, max: 40 }) }),
  fc.record({ kind: fc.constant('swap' as const), at: fc.nat(), length: fc.integer({ min: 1, max: 30 }), to: fc.nat() }),
  fc.record({ kind: fc.constant('line' as const), at: fc.nat(), to: fc.nat() }),
);

/** Kind of mutation. */
export type Mutation = typeof mutation extends fc.Arbitrary<infer T> ? T : never;

/** The text with one change. */
export function mutate(text: string, change: Mutation): string {
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
