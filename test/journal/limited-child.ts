/*
 * A process whose files may not grow beyond what its shell allows: `limited-child.ts FILE` makes the journal of that name, and says `made`, or
 * the code of the error.
 */
import { writeSync } from 'node:fs';
import { CadreError } from '../../src/core/error.ts';
import { createSqliteJournal } from '../../src/journal/sqlite/sqlite-journal.ts';

const [file = ''] = process.argv.slice(2);
try {
  await createSqliteJournal(file).close();
  writeSync(1, 'made');
} catch (error) {
  writeSync(1, error instanceof CadreError ? error.code : String(error));
}
