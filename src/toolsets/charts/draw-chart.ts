import { createRequire } from 'node:module';
import type { LoggerInterface } from 'vega';
import type { TopLevelSpec } from 'vega-lite';
import { CadreError, describeThrown } from '../../core/error.ts';
import type { JsonObject } from '../../core/json.ts';
import { importPackage } from '../../tools/import-package.ts';
import type { ChartJob, DrawnChart } from './chart-job.ts';
import { checkSpec } from './check-spec.ts';
import { closeSvg } from './close-svg.ts';
import { readRows } from './read-rows.ts';
import { findSpecProblem } from './spec-problem.ts';

/** Rows by the name of their table. */
type Rows = Readonly<Record<string, readonly JsonObject[]>>;

/** Maximum width and height of a chart, in pixels. */
const maxPixels = 6_000;
const maxSvgChars = 5_000_000;
const maxWarnings = 10;
/** Maximum width of a PNG, in pixels; up to it, pictures are drawn at twice their size, so that their text is legible. */
const maxPngWidth = 2_400;

/**
 * Draws a Vega-Lite spec without loading anything. Blocks while it draws, so it runs in a separate process.
 *
 * @throws CadreError `TOOL_FAILED` with the place and the message of the library; `DEPENDENCY_MISSING` without the packages
 */
export async function drawChart({ spec, tables }: ChartJob): Promise<DrawnChart> {
  checkSpec(spec);
  const rows = Object.fromEntries(Object.entries(tables).map(([name, file]) => [name, readRows(file)]));
  const [vegaLite, vega, { Resvg }] = await importPackage(
    () => Promise.all([import('vega-lite'), import('vega'), import('@resvg/resvg-js')]),
    'Drawing charts',
    ['vega', 'vega-lite', '@resvg/resvg-js'],
  );
  const warnings: string[] = [];
  const logger = collect(warnings);
  const complete = withTables(spec, rows);
  let svg: string;
  try {
    const compiled = vegaLite.compile(complete as unknown as TopLevelSpec, { logger });
    const view = new vega.View(vega.parse(compiled.spec), { renderer: 'none', loader: closedLoader, logger });
    svg = await view.toSVG();
  } catch (thrown) {
    throw failed(describeThrown(thrown), [...problemOf(withTables(spec, noRows(rows))), ...warnings]);
  }
  const { width, height } = sizeOf(svg);
  if (svg.length > maxSvgChars || width > maxPixels || height > maxPixels)
    throw failed(
      `it would be ${width} by ${height} pixels with ${svg.length} characters of SVG; at most ${maxPixels} by ${maxPixels} with ${maxSvgChars} are drawn`,
      [],
    );
  // Programs that open the picture would follow what it refers to.
  const { svg: closed, removed } = closeSvg(svg);
  const zoom = Math.min(2, maxPngWidth / Math.max(1, width));
  const png = new Resvg(closed, { fitTo: { mode: 'zoom', value: zoom }, background: '#fff' }).render().asPng();
  return {
    svg: closed,
    png,
    width,
    height,
    warnings: [
      ...removed.map((one) => `left out, since a picture refers to nothing outside: ${one}`),
      ...problemOf(withTables(spec, noRows(rows))),
      ...new Set(warnings),
    ].slice(0, maxWarnings),
  };
}

function withTables(spec: JsonObject, tables: Rows): JsonObject {
  const [only, ...others] = Object.keys(tables);
  if (only === undefined) return spec;
  const datasets = { ...(spec['datasets'] as JsonObject | undefined), ...tables };
  const data = spec['data'] === undefined && others.length === 0 ? { data: { name: only } } : {};
  return { ...spec, ...data, datasets };
}

/** Empties the tables, whose rows fit any schema. */
function noRows(tables: Rows): Rows {
  return Object.fromEntries(Object.keys(tables).map((name) => [name, []]));
}

/** Loader that loads neither data nor pictures, and removes links. */
const closedLoader = {
  load: refuse,
  sanitize: () => Promise.resolve({ href: '#' }),
  http: refuse,
  file: refuse,
};

function refuse(uri: unknown): Promise<never> {
  return Promise.reject(new Error(`nothing is loaded from ${String(uri).slice(0, 100)}`));
}

function collect(warnings: string[]): LoggerInterface {
  const keep = (...words: readonly unknown[]): LoggerInterface => {
    if (warnings.length < maxWarnings)
      warnings.push(
        words
          .map((word) => describeThrown(word))
          .join(' ')
          .slice(0, 500),
      );
    return logger;
  };
  const ignore = (): LoggerInterface => logger;
  const logger = { warn: keep, error: keep, info: ignore, debug: ignore, level: ignore } as unknown as LoggerInterface;
  return logger;
}

/** Returns the first problem of a spec by the schema of Vega-Lite, or an empty list. */
function problemOf(spec: JsonObject): readonly string[] {
  const schema = createRequire(import.meta.url)('vega-lite/vega-lite-schema.json') as JsonObject;
  const problem = findSpecProblem(schema, spec);
  return problem === undefined ? [] : [`${problem.path === '' ? 'the spec' : problem.path} ${problem.message}`];
}

function sizeOf(svg: string): { readonly width: number; readonly height: number } {
  const [, width = 0, height = 0] = (/^<svg[^>]*?\bwidth="([\d.]+)" height="([\d.]+)"/.exec(svg) ?? []).map(Number);
  return { width: Math.ceil(width), height: Math.ceil(height) };
}

function failed(reason: string, hints: readonly string[]): CadreError {
  const more = hints.map((hint) => `\n- ${hint}`).join('');
  return new CadreError('TOOL_FAILED', `The spec cannot be drawn: ${reason}.${more}`);
}
