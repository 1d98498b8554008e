/** Test doubles and assertions for teams: a scripted model, a manual clock, counting ids. */
export { assertPairing, promptProblems, type CheckedPrompt } from './assert-pairing.ts';
export { assertJournal, checkJournal, type JournalCheckOptions } from './check-journal.ts';
export { chaosModel, type ChaosModelOptions } from './chaos-model.ts';
export { chaosPerson, type ChaosPerson, type ChaosPersonOptions } from './chaos-person.ts';
export { countingIds } from './counting-ids.ts';
export type { JournalFacts, JournalProblem } from './journal-problem.ts';
export { manualClock, type ManualClock } from './manual-clock.ts';
export { parseRecording, type Recording } from '../core/recording/recording.ts';
export { replayModels } from './replay-models.ts';
export { scriptedModel, type ScriptedRequest } from '../models/scripted/scripted-replies.ts';
export { type ScriptedReply } from '../models/scripted/scripted-reply.ts';
export { createMemoryJournal } from '../journal/memory-journal.ts';
export {
  ExpectedRun,
  ExpectedTurn,
  expectRun,
  expectTurn,
  loadTestProfiles,
  turnMatchers,
  type RunCase,
  type TestProfiles,
  type TestProfilesOptions,
  type TurnCase,
} from './suite/expect-turn.ts';
export type { Failure } from './expect/failure.ts';
export type {
  ExpectedCall,
  ExpectedItem,
  ExpectedText,
  Given,
  GivenAgent,
  GivenCall,
  GivenItem,
  GivenMessage,
  GivenReply,
  GivenResult,
  GivenRun,
  PersonStep,
  RunExpectations,
  TurnExpectations,
} from './cases/test-case.ts';
