import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync, existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/core/json.ts';
import type { EffectTool } from '../../../src/core/tool/tool.ts';
import { CadreError } from '../../../src/index.ts';
import { chartsToolset } from '../../../src/toolsets/charts/charts-toolset.ts';
import { drawChart } from '../../../src/toolsets/charts/draw-chart.ts';
import { testEngine } from '../../support/test-engine.ts';
import { toolContext } from '../../tools/tool-context.ts';

let workspace = '';

beforeAll(() => {
  const top = mkdtempSync(path.join(tmpdir(), 'cadre-charts-'));
  workspace = path.join(top, 'workspace');
  mkdirSync(workspace);
  writeFileSync(path.join(workspace, 'sizes.csv'), 'bird,size\ncrane,120\nheron,95.5\n');
  writeFileSync(path.join(workspace, 'odd.json'), '{"no":"list"}');
});

afterAll(() => rmSync(path.dirname(workspace), { recursive: true }));

const rows = [
  { bird: 'crane', size: 120 },
  { bird: 'heron', size: 95.5 },
];
const bars: JsonObject = {
  data: { values: rows },
  mark: 'bar',
  encoding: { x: { field: 'bird', type: 'nominal' }, y: { field: 'size', type: 'quantitative' } },
};

function draw(args: object, settings = {}): Promise<unknown> {
  const { tools } = chartsToolset.create({ name: 'charts', settings, toolName: (name) => name });
  return Promise.try((tools[0] as EffectTool).execute, { file: 'chart', ...args }, toolContext({ workspace }));
}

async function errorOf(promise: Promise<unknown>): Promise<string> {
  const thrown = await promise.catch((error: unknown) => error);
  return thrown instanceof CadreError ? `${thrown.code}: ${thrown.message}` : `no error: ${String(thrown)}`;
}

/** Draws in this process: for what ends by itself. */
const here = (spec: JsonObject): Promise<string> => errorOf(drawChart({ spec, tables: {} }));

describe('charts', () => {
  it('[B.94] an agent draws a chart of a CSV file: SVG and PNG in the workspace, the picture in its next prompt', async () => {
    const { data: _, ...spec } = bars;
    const { launch, model } = await testEngine({
      profile: 'tool_access_policy: { allowed_toolsets: [charts] }',
      workspace,
      replies: [
        { toolCalls: [{ name: 'draw_chart', args: { spec, file: 'charts/birds.png', tables: { sizes: 'sizes.csv' } } }] },
        { text: 'Drawn.' },
      ],
    });
    await (
      await launch()
    ).result;
    const svg = readFileSync(path.join(workspace, 'charts/birds.svg'), 'utf8');
    expect(svg).toMatch(/^<svg.*crane.*<\/svg>$/s);
    expect(svg).toContain('bird: heron; size: 95.5');
    const png = readFileSync(path.join(workspace, 'charts/birds.png'));
    expect(png.subarray(1, 4).toString()).toBe('PNG');
    const prompt = JSON.stringify(model.requests.at(-1)?.prompt);
    expect(prompt).toContain('Drawn: charts/birds.svg and charts/birds.png (');
    expect(prompt).not.toContain('Warnings');
    expect(prompt).toContain(png.toString('base64').slice(0, 200));
  });

  it.each<[string, JsonObject, string]>([
    ['a mark that is none', { ...bars, mark: 'barr' }, '- /mark must be one of "boxplot", "errorbar"'],
    ['with a guess', { ...bars, mark: 'barr' }, 'and is "barr"; did you mean "bar"?'],
    ['a mark definition', { ...bars, mark: { type: 'lin' } }, '- /mark/type must be one of'],
    ['a type that is none', { ...bars, encoding: { x: { field: 'bird', type: 'nominall' } } }, '/encoding/x/type must be one of'],
    ['nothing', {}, 'Invalid specification {}'],
    ['an expression that breaks off', { ...bars, transform: [{ calculate: 'datum.a +', as: 'b' }] }, 'Unexpected end of input'],
    ['an expression that reaches out', { ...bars, transform: [{ calculate: 'window.process.exit()', as: 'b' }] }, 'Illegal callee'],
    [
      'a function that is none',
      { ...bars, transform: [{ calculate: "require('fs')", as: 'b' }] },
      'Unrecognized function: require',
    ],
    ['data from a URL', { ...bars, data: { url: 'http://169.254.169.254/' } }, '/data/url loads data; give rows in data.values'],
    ['data of a file', { ...bars, data: { url: 'file:///etc/passwd' } }, '/data/url loads data'],
    [
      'a lookup from a URL',
      { ...bars, transform: [{ lookup: 'bird', from: { data: { url: 'x.csv' }, key: 'bird', fields: ['a'] } }] },
      '/transform/0/from/data/url loads data',
    ],
    ['images', { ...bars, mark: { type: 'image' }, encoding: { url: { value: '/etc/passwd' } } }, '/mark draws images from URLs'],
    [
      'Vega',
      { $schema: 'https://vega.github.io/schema/vega/v6.json', marks: [] },
      '/$schema is "https://vega.github.io/schema/vega/v6.json"',
    ],
    ['more pixels than a wall has', { ...bars, width: 100_000 }, 'pixels with'],
  ])('says what is wrong: %s', async (_what, spec, message) => {
    expect(await here(spec)).toContain(`TOOL_FAILED: The spec cannot be drawn: `);
    expect(await here(spec)).toContain(message);
  });

  it('draws what can be drawn, and says what it left out', async () => {
    const { warnings, svg } = await drawChart({
      spec: { ...bars, encoding: { ...(bars['encoding'] as JsonObject), z: { field: 'bird' } } },
      tables: {},
    });
    expect(warnings).toEqual([
      '/encoding/z is not known here; did you mean "x"?',
      'z-encoding is dropped as z is not a valid encoding channel.',
    ]);
    expect(svg).toContain('crane');
  });

  it('links in a spec lead nowhere in the picture', async () => {
    const { svg } = await drawChart({
      spec: { ...bars, encoding: { ...(bars['encoding'] as JsonObject), href: { value: 'javascript:alert(1)' } } },
      tables: {},
    });
    expect(svg).not.toMatch(/javascript|href="[^#]/);
  });

  it('rows may be called anything', async () => {
    const values = [{ url: 'http://x.example/', mark: 'image' }];
    expect(await here({ ...bars, data: { values } })).toContain('no error');
  });

  it.each([
    [{ spec: bars, file: '../chart' }, 'PATH_REFUSED'],
    [{ spec: bars, file: '/etc/chart' }, 'PATH_REFUSED'],
    [{ spec: bars, tables: { a: '../x.csv' } }, 'PATH_REFUSED'],
    [{ spec: bars, tables: { a: 'absent.csv' } }, 'absent.csv cannot be read: it does not exist'],
    [{ spec: bars, tables: { a: 'odd.json' } }, 'odd.json has no rows to draw: it must be a list of objects.'],
  ])('%# is refused before anything is drawn', async (args, message) => {
    expect(await errorOf(draw(args))).toContain(message);
    expect(existsSync(path.join(workspace, 'chart.svg'))).toBe(false);
  });

  it('a chart that takes for ever is stopped', async () => {
    const spec = {
      data: { sequence: { start: 0, stop: 1e9 } },
      mark: 'point',
      encoding: { x: { field: 'data', type: 'quantitative' } },
    };
    expect(await errorOf(draw({ spec }, { timeout: 1 }))).toMatch(/took longer than 1 s and was stopped|needed more than 1024 MB/);
  });
});
