import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Ids } from '../../src/core/ids.ts';
import type { Journal } from '../../src/index.ts';
import { countingIds } from '../../src/testing/index.ts';
import { testEngine, type TestEngine, type TestEngineOptions } from './test-engine.ts';

let engines = 0;

/** An engine over a journal that others had before: its ids are no ids of theirs. All of them work in one folder. */
export async function engineOver(store: Journal, options: TestEngineOptions): Promise<TestEngine> {
  const ids = countingIds();
  const prefix = `e${++engines}_`;
  const own: Ids = {
    runId: () => `${prefix}${ids.runId()}` as ReturnType<Ids['runId']>,
    itemId: () => `${prefix}${ids.itemId()}` as ReturnType<Ids['itemId']>,
  };
  return await testEngine({ workspace: sharedFolder, ...options, store, ids: own });
}

/** The workspace of all runs of a test file. */
export const sharedFolder = mkdtempSync(path.join(tmpdir(), 'cadre-toolsets-'));
