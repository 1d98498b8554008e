import type { Template } from '../../../core/expression/template.ts';
import { errorVerdict, type EvalCheck, textScope } from './eval-check.ts';

/** Settings of a check by a judge. */
export interface JudgePlan {
  readonly rubric: Template;
  readonly llm: string;
  /** Least score that passes, 0 to 1. */
  readonly passScore: number;
  /** Its key in the case. */
  readonly key: string;
}

/** Returns the check that a judge makes; its reasons are those of its recorded run. */
export function judgeCheck({ rubric, llm, passScore, key }: JudgePlan): EvalCheck['check'] {
  return async ({ facts }, { judge }) => {
    const { output } = facts;
    const asked = { rubric: rubric.render(textScope(facts)), input: facts.case.input, output, llm, key };
    const judgement = await judge(asked);
    const { judgeRun } = judgement;
    if ('error' in judgement) return errorVerdict(judgement.error, judgeRun);
    const { score, reason } = judgement;
    const isPassed = score >= passScore;
    return {
      verdict: isPassed ? 'passed' : 'failed',
      score,
      reason,
      judgeRun,
      ...(isPassed ? {} : { expected: `a score of ${passScore} or more`, actual: String(score) }),
    };
  };
}
