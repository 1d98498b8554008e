/*
 * What a simulated process has of its own: the program under test, and the tools that are part of the program. `module-graphs.ts`
 * loads this file once for each process that must not share a module with another.
 */
export { isToolReturn } from '../../../src/core/tool/tool-return.ts';
export { prepareEngine } from '../../../src/engine/create-engine.ts';
export { countingIds } from '../../../src/testing/counting-ids.ts';
export { simIngestors } from '../team/sim-ingestors.ts';
export { simTools } from '../team/sim-tools.ts';
export { simObservers } from '../team/sim-observers.ts';
export { openJournalFile } from '../../../src/journal/sqlite/sqlite-open.ts';
export { SqliteJournal } from '../../../src/journal/sqlite/sqlite-journal.ts';
