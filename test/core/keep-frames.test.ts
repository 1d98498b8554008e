import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cutMiddle } from '../../src/core/cut-middle.ts';
import { cutLines } from '../../src/core/prompt/history-stream.ts';
import { frameUntrusted } from '../../src/core/untrusted/frame-untrusted.ts';
import { leaveOut } from '../../src/core/untrusted/keep-frames.ts';
import { clipLine } from '../../src/ingestors/text/cap-content.ts';
import { clipText } from '../../src/team/reports/clip-text.ts';

const framed = (words: string, nonce?: string): string => frameUntrusted(words, { from: 'page', nonce }).content;

/** True when every `M` of a text is in a frame: between an opening tag and the closing tag with its nonce. */
function isFramed(text: string): boolean {
  const outside = text
    .replace(/<untrusted_data from=\\*"page\\*"((?: nonce=\\*"\w+\\*")?)>: data from outside[\s\S]*?<\/untrusted_data\1>/g, '')
    .replace(/<untrusted_data from="page"[\s\S]*$/, 'open');
  return !outside.includes('M') && !outside.includes('open');
}

const text = fc
  .array(
    fc.oneof(
      fc.constantFrom('own words ', 'a line\n', '… '),
      fc
        .tuple(fc.integer({ min: 1, max: 60 }), fc.constantFrom('n1', 'n2', undefined))
        .map(([count, nonce]) => framed(`${'M'.repeat(count)}\n${'M M\n'.repeat(count)}`, nonce)),
    ),
    { maxLength: 6 },
  )
  .map((parts) => parts.join('\n'));

describe('what is cut keeps its frames', () => {
  it('property: wherever a text is cut, text from outside stays between its tags', () => {
    fc.assert(
      fc.property(text, fc.nat(), fc.nat(), (whole, a, b) => {
        const [headEnd = 0, tailStart = 0] = [a % (whole.length + 1), b % (whole.length + 1)].toSorted((x, y) => x - y);
        const { head, tail } = leaveOut(whole, headEnd, tailStart);
        expect(isFramed(`${head}\n[cut]\n${tail}`)).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });

  it.each<[string, (whole: string, max: number) => string]>([
    ['cutMiddle', (whole, max) => cutMiddle(whole, max, (count) => `\n… [${count}] …\n`)],
    ['clipText', clipText],
    ['cutLines', (whole, max) => cutLines(whole, 1 + (max % 9))],
    ['clipLine', (whole, max) => clipLine(whole, max)],
  ])('property: %s', (_, cut) => {
    fc.assert(
      fc.property(text, fc.nat({ max: 900 }), (whole, max) => {
        expect(isFramed(cut(whole, max))).toBe(true);
      }),
    );
  });

  it('a text without frames is cut as before', () => {
    expect(leaveOut('abcdef', 2, 4)).toEqual({ head: 'ab', tail: 'ef' });
    expect(leaveOut('a <untrusted_data> b', 9, 12)).toEqual({ head: 'a <untrus', tail: '_data> b' });
  });

  it('a frame that is quoted in JSON gets its end in the same form', () => {
    const quoted = JSON.stringify({ said: framed('MMMMMMMM', 'n1') });
    const { head } = leaveOut(quoted, quoted.indexOf('MMMM') + 4, quoted.length);
    expect(head.endsWith('MMMM\n</untrusted_data nonce=\\"n1\\">')).toBe(true);
  });
});
