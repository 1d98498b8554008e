import type { CadreEvent } from '../../../core/events/event.ts';
import type { ContentHash } from '../../../core/ids.ts';
import type { JsonObject, JsonValue } from '../../../core/json.ts';
import type { ProfileSet } from '../../../core/profile/profile.ts';
import type { SourceRef } from '../../../core/profile/source-ref.ts';
import type { RunContext } from '../../../core/state/run-context.ts';
import type { TurnRecord } from '../../../inspect/turn/turn-record.ts';
import type { FolderCode } from '../../../engine/toolsets/folder-code.ts';
import type { EvalFacts } from './eval-facts.ts';

/** Kinds of checks; each is a key of a check in a suite. */
export const checkKinds = ['contains', 'lacks', 'equals', 'matches', 'schema', 'cel', 'code', 'judge', 'expect'] as const;

/** Kind of a check. */
export type CheckKind = (typeof checkKinds)[number];

/** A finished run, as checks see it. */
export interface EvalSubject {
  readonly facts: EvalFacts;
  readonly set: ProfileSet;
  readonly events: readonly CadreEvent[];
  readonly state: RunContext;
  readonly turns: readonly TurnRecord[];
  readonly content: (hash: ContentHash) => string | undefined;
  /** Steps of people that were not needed. */
  readonly unusedSteps: number;
}

/** Result of a check, before it is named. */
export interface CheckVerdict {
  /** `error`: the check itself could not be made, so that it says nothing about the run. */
  readonly verdict: 'passed' | 'failed' | 'error';
  /** 0 to 1; of a check without degrees, 1 when it passed and 0 when not. */
  readonly score: number;
  /** One sentence, or the reasons of a judge. */
  readonly reason: string;
  readonly expected?: string;
  readonly actual?: string;
  /** Run of the judge. */
  readonly judgeRun?: string;
}

/** A question to a judge. */
export interface JudgeQuestion {
  readonly rubric: string;
  readonly input: JsonValue;
  readonly output: string;
  readonly llm: string;
  /** Key that tells it from other judges of its case, at any place among the checks. */
  readonly key: string;
}

/** What a judge answered, or why it gave no score. */
export type Judgement = { readonly judgeRun: string } & (
  | { readonly score: number; readonly reason: string }
  | { readonly error: string }
);

/** What checks need besides the run. */
export interface CheckTools {
  /** Asks a judge; its run is recorded like any other. */
  readonly judge: (question: JudgeQuestion) => Promise<Judgement>;
}

/** A check, ready to be made. */
export interface EvalCheck {
  readonly name: string;
  readonly kind: CheckKind;
  readonly at: SourceRef;
  /** LLM config of its judge. */
  readonly llm?: string;
  /** Key of its judge. */
  readonly judgeKey?: string;
  /** Code that makes it. */
  readonly code?: FolderCode;
  /** True when it looks at how the run ended, which then need not be well. */
  readonly readsEnd?: boolean;
  check(subject: EvalSubject, tools: CheckTools): Promise<CheckVerdict>;
}

/** Returns the verdict of a check that holds or does not. */
export function verdictOf(
  isPassed: boolean,
  reason: string,
  compared: Pick<CheckVerdict, 'expected' | 'actual'> = {},
): CheckVerdict {
  return isPassed ? { verdict: 'passed', score: 1, reason } : { verdict: 'failed', score: 0, reason, ...compared };
}

/** Returns the verdict of a check that could not be made. */
export function errorVerdict(reason: string, judgeRun?: string): CheckVerdict {
  return { verdict: 'error', score: 0, reason, ...(judgeRun === undefined ? {} : { judgeRun }) };
}

/** Scope of the texts of a check. */
export function textScope({ vars, case: own }: EvalFacts): Readonly<Record<string, JsonValue | JsonObject>> {
  return { vars, case: own };
}
