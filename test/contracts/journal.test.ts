import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMemoryJournal } from '../../src/journal/memory-journal.ts';
import { createSqliteJournal } from '../../src/journal/sqlite/sqlite-journal.ts';
import { eraseContract } from './erase-contract.ts';
import { journalContract, type JournalPlace } from './journal-contract.ts';
import { journalFileContract } from './journal-file-contract.ts';

function inMemory(): JournalPlace {
  const journal = createMemoryJournal();
  return { open: () => journal, remove: () => undefined };
}

journalContract('memory', inMemory);
eraseContract('memory', inMemory);

const sealed = { integrity: { key: 'a key of more than sixteen bytes' } };

for (const [name, options] of [
  ['durability normal', { durability: 'normal' }],
  ['durability full', { durability: 'full' }],
  ['sealed with a key', sealed],
] as const) {
  const inFile = (): JournalPlace => {
    const directory = mkdtempSync(join(tmpdir(), 'cadre-journal-'));
    return {
      open: () => createSqliteJournal(join(directory, 'deep', 'down', 'journal.db'), options),
      remove: () => rmSync(directory, { recursive: true }),
    };
  };
  journalContract(`sqlite, ${name}`, inFile);
  eraseContract(`sqlite, ${name}`, inFile);
}

journalFileContract('sqlite', createSqliteJournal);
