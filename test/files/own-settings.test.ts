import { expect, it } from 'vitest';
import { autoRunFiles } from '../../src/files/guard/auto-run-files.ts';
import { secretFiles } from '../../src/files/guard/secret-files.ts';

it("agents neither read the key of this machine's user nor write what they agreed to, in the folder of their settings or another", () => {
  for (const folder of ['.config', 'settings']) {
    expect(secretFiles.placeIn(`${folder}/cadre/machine-key`)).toBeDefined();
    expect(autoRunFiles.placeIn(`${folder}/cadre/machine-key`)).toBeDefined();
    expect(autoRunFiles.placeIn(`${folder}/cadre/trust.json`)).toBeDefined();
    // What the question about a folder compares with, to show what changed.
    expect(autoRunFiles.placeIn(`${folder}/cadre/agreed/1a2b.json`)).toBeDefined();
  }
  expect(secretFiles.placeIn('notes/machine-key')).toBeUndefined();
});
