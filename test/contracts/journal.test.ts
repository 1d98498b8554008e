import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMemoryJournal } from '../../src/journal/memory-journal.ts';
import { createSqliteJournal } from '../../src/journal/sqlite/sqlite-journal.ts';
import { journalContract } from './journal-contract.ts';
import { journalFileContract } from './journal-file-contract.ts';
import { sharedJournalContract } from './shared-journal-contract.ts';

journalContract('memory', () => {
  const journal = createMemoryJournal();
  return { open: () => journal, remove: () => undefined };
});

const sealed = { integrity: { key: 'a key of more than sixteen bytes' } };

for (const [name, options] of [
  ['durability normal', { durability: 'normal' }],
  ['durability full', { durability: 'full' }],
  ['sealed with a key', sealed],
] as const) {
  journalContract(`sqlite, ${name}`, () => {
    const directory = mkdtempSync(join(tmpdir(), 'cadre-journal-'));
    return {
      open: () => createSqliteJournal(join(directory, 'deep', 'down', 'journal.db'), options),
      remove: () => rmSync(directory, { recursive: true }),
    };
  });
}

journalFileContract('sqlite', createSqliteJournal);

sharedJournalContract('memory', createMemoryJournal);
