import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';

/** A folder outside those for temporary files, from which no program is started in any case; it goes away with the test. */
export function scratchHome(): string {
  const folder = realpathSync(mkdtempSync(path.join(homedir(), '.cadre-test-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
