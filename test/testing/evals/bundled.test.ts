import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { bundledDocs } from '../../../src/cli/options/docs-folder.ts';
import { bundledProfiles } from '../../../src/profiles/files/bundled-teams.ts';
import { createEngine } from '../../../src/index.ts';
import { runEval } from '../../../src/testing/index.ts';
import { formatResult } from '../../../src/testing/evals/report/format-eval.ts';
import { createDocumentTools } from '../../../src/toolsets/documents/create-document-tools.ts';

it('the eval that ships with the bundled team passes with the scripted model', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'cadre-eval-'));
  using tools = createDocumentTools({ root: bundledDocs() ?? '', outDir: path.join(folder, 'out') });
  onTestFinished(async () => await rm(folder, { recursive: true, force: true }));
  const report = await runEval(path.join(bundledProfiles, 'research_team.eval.yaml'), {
    profiles: bundledProfiles,
    variants: ['offline'],
    open: async (profiles) => await createEngine({ profiles, tools: tools.tools, store: 'memory', env: {} }),
  });
  expect(report.results.filter(({ status }) => status !== 'passed').map((result) => formatResult(result))).toEqual([]);
  expect(report.results).toHaveLength(3);
}, 60_000);
