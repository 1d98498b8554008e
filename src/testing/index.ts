/** What tests of teams need: a model that says what it is told, a clock that stands still, ids that count. */
export { countingIds } from './counting-ids.ts';
export { manualClock, type ManualClock } from './manual-clock.ts';
export { scriptedModel, type ScriptedReply, type ScriptedRequest } from '../models/scripted-replies.ts';
export { createMemoryJournal } from '../stores/memory-journal.ts';
