import { setTimeout as pause } from 'node:timers/promises';
import { rememberAgreed } from '../../files/guard/agreed-writes.ts';
import { toAllowedWrites } from '../../files/guard/allowed-writes.ts';
import { removeTempSync } from '../../files/temp-folder.ts';
import { readSweepRecords } from './sweep-records.ts';
import { WorkspaceGuard } from './workspace-guard.ts';
import { WorkspaceScan } from './workspace-scan.ts';

// Run by the companion of a killed process: moves away the files that its commands had planted. It scans several times, since killed
// commands may take a moment to end.
const [, , folder = ''] = process.argv;
const { records, agreed } = readSweepRecords(folder);
for (const place of agreed) rememberAgreed(place);
for (const waitMs of [0, 1_000, 3_000]) {
  await pause(waitMs);
  for (const { root, before, programs, held, allowWrites } of records) {
    const known = { autoRun: new Map(before.map((place) => [place, ''] as const)), programs: new Map(programs) };
    const allows = toAllowedWrites(allowWrites);
    await new WorkspaceGuard({ root, scan: new WorkspaceScan(root), before: known, allows, held: new Set(held) }).finish();
  }
}
removeTempSync(folder);
