/** Test doubles and assertions for teams: a scripted model, a manual clock, counting ids. */
export { assertPairing, promptProblems, type CheckedPrompt } from './assert-pairing.ts';
export { assertJournal, checkJournal, type JournalCheckOptions } from './check-journal.ts';
export { chaosModel, type ChaosModelOptions } from './chaos-model.ts';
export { chaosPerson, type ChaosPerson, type ChaosPersonOptions } from './chaos-person.ts';
export { countingIds } from './counting-ids.ts';
export type { JournalFacts, JournalProblem } from './journal-problem.ts';
export { manualClock, type ManualClock } from './manual-clock.ts';
export { parseRecording, type Recording } from '../core/recording/recording.ts';
export { replayModels } from '../models/replay/replay-model.ts';
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
export { bisectEval, type Bisection, type BisectOptions } from './evals/bisect/bisect.ts';
export { type CodeCheck, type CodeVerdict } from './evals/checks/code-check.ts';
export { type EvalFacts } from './evals/checks/eval-facts.ts';
export { EvalRecording } from './evals/play/eval-recording.ts';
export { runEval, type EvalOptions } from './evals/play/run-eval.ts';
export { evalJson, evalJunit } from './evals/report/eval-files.ts';
export { evalHtml } from './evals/report/eval-html.ts';
export { compareWithBaseline, readBaseline, type Baseline, type BaselineComparison } from './evals/score/baseline.ts';
export { type EvalPlan, type EvalReport, type EvalResult } from './evals/score/eval-result.ts';
export { isPassed, summarize, type VariantSummary } from './evals/score/summarize.ts';
export { readSuite } from './evals/suite/read-suite.ts';
export { type EvalSuite } from './evals/suite/eval-suite.ts';
