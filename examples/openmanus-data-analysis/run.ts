/**
 * The analyst of openmanus draws a chart from a CSV file. Data, SQL and chart are real; the replies come from a script that replaces the
 * model (agent_profiles/openmanus/scripts/openmanus.yaml) and composes them from tool results. Run it from the project's folder, with a
 * folder for the results if you want to keep them:
 *
 *     npx node examples/openmanus-data-analysis/run.ts [FOLDER]
 */
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createEngine } from '../../src/index.ts';
import { conclude } from '../checked.ts';

const kept = process.argv[2];
const workspace = kept ?? mkdtempSync(path.join(tmpdir(), 'openmanus-data-analysis-'));
mkdirSync(workspace, { recursive: true });
copyFileSync(`${import.meta.dirname}/sales.csv`, path.join(workspace, 'sales.csv'));

await using engine = await createEngine({
  profiles: `${import.meta.dirname}/../../agent_profiles/openmanus`,
  store: 'memory',
  workspace,
});

const run = await engine.launch(
  { profile: 'data_analysis', input: 'Which product brings in most revenue? Draw it.' },
  { llmConfig: 'offline' },
);
const { output } = await run.result;

for (const { reply, toolInteractions } of run.turns()) {
  if (reply.text !== '') console.log(reply.text);
  for (const { name, content } of toolInteractions)
    console.log(`  ${name}: ${wordsOf(content).split('\n').slice(0, 6).join('\n    ')}`);
}
const chart = path.join(workspace, 'charts/revenue_by_product.png');
const isDrawn = existsSync(chart);
await conclude(run, {
  holds: { 'the chart was drawn': isDrawn },
  says: isDrawn ? `${output} (${statSync(chart).size} bytes)` : undefined,
});
if (kept === undefined) rmSync(workspace, { recursive: true });

/** Returns the text of a result; the picture of a chart is a separate part. */
function wordsOf(content: unknown): string {
  if (typeof content === 'string') return content;
  const parts = Array.isArray(content) ? (content as readonly { readonly type: string; readonly text?: string }[]) : [];
  return parts.map((part) => part.text ?? `[${part.type}]`).join(' ');
}
