import { CadreError } from '../../core/error.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json.ts';
import type { EffectTool } from '../../core/tool/tool.ts';
import { toolReturn, type ToolReturn } from '../../core/tool/tool-return.ts';
import type { ToolsetKind, ToolsetRequest } from '../../core/tool/toolset.ts';
import { readDataFile } from '../data/read-data-file.ts';
import { defineTool } from '../../tools/define-tool.ts';
import { compileUnreadable, unreadableOf, unreadableSetting } from '../../files/guard/unreadable.ts';
import { writeInside } from '../../files/write-inside.ts';
import { durationOf, durationSetting } from '../settings.ts';
import { runChild } from '../worker/run-child.ts';
import { resolveReadable, type ReadBounds } from '../workspace/workspace-files.ts';
import type { ChartJob, DrawnChart } from './chart-job.ts';
import { checkSpec } from './check-spec.ts';

const maxSpecChars = 1_000_000;
/** Most memory of the process that draws, in megabytes. */
const maxMemoryMb = 1_024;
const advice = 'Draw less: add its rows up before (an aggregate, a sample), or draw a part of them.';

/** Toolset `charts`: draws Vega-Lite specs into the workspace. */
export const chartsToolset: ToolsetKind = {
  kind: 'charts',
  description: 'Draws charts from Vega-Lite specs into the workspace, as SVG and PNG.',
  settings: {
    type: 'object',
    additionalProperties: false,
    properties: { timeout: durationSetting('Longest time to draw a chart; default 20s.'), unreadable: unreadableSetting },
  },
  tools: ['draw_chart'],
  create: (request) => ({ tools: [drawChartTool(request, durationOf(request.settings, 'timeout', 20_000))] }),
};

function drawChartTool(request: ToolsetRequest, timeoutMs: number): EffectTool {
  const bounds = { isUnreadable: compileUnreadable(unreadableOf(request)) };
  const made = defineTool({
    name: request.toolName('draw_chart'),
    toolset: request.name,
    description:
      'Draws a chart from a Vega-Lite spec: writes FILE.svg and FILE.png to the workspace and shows the picture. ' +
      'Data is in the spec (data.values) or comes from CSV or JSON files of the workspace (tables); nothing is loaded from URLs.',
    parameters: {
      type: 'object',
      additionalProperties: false,
      required: ['spec', 'file'],
      properties: {
        spec: { type: 'object', description: 'A Vega-Lite spec.' },
        file: { type: 'string', description: 'Where to write it, a path in the workspace, such as charts/sales.' },
        tables: {
          type: 'object',
          maxProperties: 10,
          additionalProperties: { type: 'string' },
          description:
            'Files as data: a name with the path of a CSV or JSON file. The spec says { "data": { "name": … } }; a single one is the data of a spec that has none.',
        },
      },
    },
    effect: 'idempotent',
    trust: 'untrusted',
    by_name_only: true,
    timeout_ms: timeoutMs + 10_000,
    async execute(args, { workspace, signal }): Promise<ToolReturn> {
      const base = String(args['file']).replace(/\.(?:svg|png)$/i, '');
      // Refuses paths before anything is drawn.
      await resolveReadable(workspace, `${base}.png`, bounds);
      const { root, path } = await resolveReadable(workspace, `${base}.svg`, bounds);
      const job: ChartJob = { spec: args['spec'] as JsonObject, tables: await readTables(workspace, args['tables'], bounds) };
      if (JSON.stringify(job.spec).length > maxSpecChars)
        throw new CadreError(
          'TOOL_FAILED',
          `The spec has more than ${maxSpecChars} characters; put its data in a file and name it in "tables".`,
        );
      checkSpec(job.spec);
      const file = new URL('./chart-worker', import.meta.url);
      const drawn = (await runChild({ file, input: job, timeoutMs, maxMemoryMb, signal, what: 'The chart', advice })) as DrawnChart;
      const stem = path.replace(/\.svg$/, '');
      await writeInside({ root, file: `${stem}.svg`, what: 'the workspace', bytes: Buffer.from(drawn.svg) });
      await writeInside({ root, file: `${stem}.png`, what: 'the workspace', bytes: drawn.png });
      return toReturn(stem, drawn);
    },
  });
  return { ...made, finishes: true };
}

async function readTables(workspace: string, tables: JsonValue | undefined, bounds: ReadBounds): Promise<ChartJob['tables']> {
  const named: JsonObject = isJsonObject(tables) ? tables : {};
  const read = Object.entries(named).map(
    async ([name, file]) => [name, { file: String(file), text: await readDataFile(workspace, String(file), bounds) }] as const,
  );
  return Object.fromEntries(await Promise.all(read));
}

function toReturn(stem: string, { png, width, height, warnings }: DrawnChart): ToolReturn {
  const notes = warnings.map((warning) => `\n- ${warning}`).join('');
  const text = `Drawn: ${stem}.svg and ${stem}.png (${width} × ${height}).${notes === '' ? '' : `\nWarnings:${notes}`}`;
  const data = Buffer.from(png).toString('base64');
  return toolReturn({
    content: [
      { type: 'text', text },
      { type: 'file', mediaType: 'image/png', data: { type: 'data', data } },
    ],
  });
}
