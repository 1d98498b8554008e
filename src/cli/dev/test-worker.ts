import { runSuite } from '../../testing/suite/run-suite.ts';
import { toTestReport } from '../../testing/suite/to-test-report.ts';
import { answerParent } from '../../toolsets/worker/answer-parent.ts';
import { knownDocumentTools } from '../options/known-document-tools.ts';
import { openRecordedRun } from '../runs/recorded-run.ts';
import type { TestJob } from './folder-tests.ts';

// Compiles and plays a whole team: on the thread of a server, other requests would wait.
answerParent(async (input) => {
  const { folder, store } = input as TestJob;
  const began = performance.now();
  const at = Date.now();
  using opened = new DisposableStack();
  const report = await runSuite({
    paths: [folder],
    usual: folder,
    team: folder,
    // What a person should look at is not written by a request.
    snapshots: 'none',
    tools: knownDocumentTools(),
    records: async (run) => opened.use(await openRecordedRun(store, run)),
  });
  return toTestReport(report, { folder, at, ms: performance.now() - began });
});
