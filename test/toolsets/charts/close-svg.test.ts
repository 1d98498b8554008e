import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/core/json.ts';
import { CadreError } from '../../../src/index.ts';
import { closeSvg } from '../../../src/toolsets/charts/close-svg.ts';
import { drawChart } from '../../../src/toolsets/charts/draw-chart.ts';

/** What a program that opens a picture would fetch or run, in the spellings that it understands. */
const hostile = [
  'url(http://evil.test/a)',
  "URL( 'http://evil.test/b#x' )",
  'url(//evil.test/c)',
  'url(file:///etc/hostname)',
  'url(data:image/svg+xml;base64,PHN2Zz4=)',
  'red url(#a) url(http://evil.test/d)',
  'u\\72l(http://evil.test/e)',
  'ur/**/l(http://evil.test/f)',
  'image-set("http://evil.test/g" 1x)',
  '-webkit-image-set(url(http://evil.test/h) 1x)',
  'src("http://evil.test/i")',
  'cross-fade(url(http://evil.test/j), red)',
  '@import "http://evil.test/k"',
  'url(http://evil.test/l',
];

const spec = (text: string): JsonObject => ({
  background: text,
  title: { text: 'a chart', color: text, font: text },
  config: { axis: { gridColor: text, labelFont: text }, view: { stroke: text, cursor: text } },
  data: { values: [{ a: 1, b: 2, link: 'http://evil.test/href', c: text }] },
  layer: [
    {
      mark: { type: 'point', fill: text, stroke: text, cursor: text, href: 'http://evil.test/m' },
      encoding: { x: { field: 'a', type: 'quantitative' }, y: { field: 'b' }, href: { field: 'link' } },
    },
    { mark: { type: 'point' }, encoding: { x: { field: 'a', type: 'quantitative' }, color: { field: 'c', scale: null } } },
    { mark: { type: 'text', font: text, fontStyle: text, text: 'words' }, encoding: { x: { field: 'a' } } },
    {
      mark: {
        type: 'area',
        blend: text,
        color: {
          gradient: 'linear',
          stops: [
            { offset: 0, color: text },
            { offset: 1, color: 'darkgreen' },
          ],
        },
      },
      encoding: { x: { field: 'a', type: 'quantitative' }, y: { field: 'b', type: 'quantitative' } },
    },
  ],
});

/** Attributes of a drawn picture, but for labels, which are read aloud only. */
const attributesOf = (svg: string): string =>
  [...svg.matchAll(/ ([\w:-]+)="([^"]*)"/g)]
    .filter(([, name = '']) => !/^(?:aria-|xmlns)/.test(name))
    .map(([whole]) => whole)
    .join('');

describe('a drawn chart refers to nothing outside of itself', () => {
  it.each(hostile)('F99: a spec with %s wherever a colour or a font stands draws without it, and says so', async (text) => {
    const { svg, warnings } = await drawChart({ spec: spec(text), tables: {} });
    expect(attributesOf(svg)).not.toMatch(/evil|file:|data:|image-set|import|\\/i);
    expect(svg).toMatch(/<a xlink:href="#">/);
    expect(warnings.join('\n')).toMatch(/left out, since a picture refers to nothing outside: .*="/);
  });

  it('F99: property: no text gets a function that loads, an escape or another element into the picture', async () => {
    const pieces = fc.constantFrom(
      'url',
      'image-set',
      'src',
      '(',
      ')',
      '"',
      "'",
      '#',
      '\\',
      '/*',
      '*/',
      '<',
      '>',
      '&',
      ';',
      '{',
      'http://evil.test/',
      ' ',
      'red',
      '\n',
    );
    const texts = fc.array(pieces, { maxLength: 10 }).map((parts) => parts.join(''));
    await fc.assert(
      fc.asyncProperty(texts, async (text) => {
        const { svg } = await drawChart({ spec: spec(text), tables: {} });
        const values = [...svg.matchAll(/ (?!aria-|xmlns)([\w:-]+)="([^"]*)"/g)].map(([, , value = '']) => value);
        for (const value of values) {
          if (/\(/.test(value))
            expect(value).toMatch(/^(?:(?:translate|rotate|scale|rgba?|hsla?)\([^()]*\)|url\(#[\w.-]+\)|[\w.,% -]+|\s)*$/);
          expect(value).not.toMatch(/evil/);
        }
      }),
      { numRuns: 20 },
    );
  });

  it.each([
    ['<svg><image href="http://evil.test/a"/></svg>', '<image'],
    ['<svg><script>alert(1)</script></svg>', '<script'],
    ['<svg><style>@import "http://evil.test"</style></svg>', '<style'],
    ['<svg><foreignObject><p>hi</p></foreignObject></svg>', '<foreignObject'],
    ['<svg><use href="#a"/></svg>', '<use'],
    ['<svg><g fill=red></g></svg>', '<g fill=red'],
    ['<svg><!-- a --></svg>', '<!--'],
    ['<!DOCTYPE svg><svg></svg>', '<!DOCTYPE'],
  ])('refuses %s', (svg, begin) => {
    expect(() => closeSvg(svg)).toThrow(CadreError);
    expect(() => closeSvg(svg)).toThrow(begin);
  });

  it.each([
    ['fill', '&#117;rl(http://evil.test)'],
    ['fill', '&#x75;rl(http://evil.test)'],
    ['fill', '&unknown;rl(http://evil.test)'],
    ['onload', 'alert(1)'],
    ['href', 'javascript:alert(1)'],
    ['xlink:href', 'other.svg#a'],
    ['filter', 'url(#a)'],
    ['style', 'background: url(http://evil.test)'],
  ])('leaves out %s="%s"', (name, value) => {
    const { svg, removed } = closeSvg(`<svg><g ${name}="${value}" d="M0,0"></g></svg>`);
    expect(svg).toBe('<svg><g d="M0,0"></g></svg>');
    expect(removed).toEqual([`${name}="${value}"`]);
  });

  it('keeps whatever the library draws by itself: every attribute it can write is known', async () => {
    const plain: JsonObject = {
      title: { text: 'Sales & more <2026>', subtitle: '"quoted"' },
      data: {
        values: [
          { a: 1, b: 2, c: 'x' },
          { a: 2, b: 5, c: 'y' },
        ],
      },
      layer: [
        {
          mark: {
            type: 'area',
            clip: true,
            blend: 'multiply',
            color: {
              gradient: 'radial',
              stops: [
                { offset: 0, color: 'rgba(1,2,3,0.5)' },
                { offset: 1, color: 'hsl(120, 50%, 50%)' },
              ],
            },
          },
          encoding: { x: { field: 'a', type: 'quantitative' }, y: { field: 'b', type: 'quantitative' } },
        },
        {
          mark: { type: 'line', strokeDash: [4, 2], strokeCap: 'round', strokeJoin: 'bevel', opacity: 0.4, point: true },
          encoding: { x: { field: 'a', type: 'quantitative' }, y: { field: 'b', type: 'quantitative' }, color: { field: 'c' } },
        },
        {
          mark: {
            type: 'text',
            font: 'Fira Sans, "Noto Sans"',
            fontWeight: 700,
            fontStyle: 'italic',
            baseline: 'middle',
            align: 'right',
            angle: 45,
            limit: 40,
            dx: 2,
          },
          encoding: { text: { field: 'c' }, x: { field: 'a', type: 'quantitative' } },
        },
      ],
    };
    const { svg, warnings } = await drawChart({ spec: plain, tables: {} });
    expect(warnings.filter((warning) => warning.startsWith('left out'))).toEqual([]);
    expect(svg).toContain('mix-blend-mode: multiply');
  });
});
