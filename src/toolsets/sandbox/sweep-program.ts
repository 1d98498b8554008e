import { rmSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { rememberAgreed } from '../files/guard/agreed-writes.ts';
import { toAllowedWrites } from '../files/guard/allowed-writes.ts';
import { readSweepRecords } from './sweep-records.ts';
import { WorkspaceGuard } from './workspace-guard.ts';
import { WorkspaceScan } from './workspace-scan.ts';

// Run by itself, by the companion of a process that was killed: moves away what its commands had planted by then. It looks again, since
// what is killed may take a moment to be gone.
const [, , folder = ''] = process.argv;
const { records, agreed } = readSweepRecords(folder);
for (const place of agreed) rememberAgreed(place);
for (const waitMs of [0, 1_000, 3_000]) {
  await pause(waitMs);
  for (const { root, before, held, allowWrites } of records) {
    const known = { autoRun: new Map(before.map((place) => [place, ''] as const)), secrets: new Set<string>(), isComplete: true };
    const allows = toAllowedWrites(allowWrites);
    await new WorkspaceGuard({ root, scan: new WorkspaceScan(root), before: known, allows, held: new Set(held) }).finish();
  }
}
rmSync(folder, { recursive: true, force: true });
