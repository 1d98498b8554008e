import type { EvalCase, EvalSuite } from '../suite/eval-suite.ts';
import type { PlannedRun } from './planned-run.ts';

const longestTitle = 200;
const longestProject = 100;

/** Returns the project that the runs of a suite are filed under. */
export function evalProject({ name }: Pick<EvalSuite, 'name'>): string {
  return asLine(`eval ${name}`, longestProject).trim();
}

/** Returns the title of a run: its case and variant, and its number when there are several. */
export function runTitle({ case: own, variant, repeat }: Pick<PlannedRun, 'case' | 'variant' | 'repeat'>): string {
  return asLine(`${own.name} · ${variant.name}${own.repeats === 1 ? '' : ` · ${repeat} of ${own.repeats}`}`, longestTitle);
}

/** Returns the title of the judges of a case. */
export function judgeTitle({ name }: Pick<EvalCase, 'name'>): string {
  return asLine(`judge of ${name}`, longestTitle);
}

/** Returns the title that all repeats of a run share. */
export function titleWithoutRepeat(title: string): string {
  return title.replace(/ · \d+ of \d+$/, '');
}

/** Returns a text as one line of at most `most` characters, none of them cut in two. */
function asLine(text: string, most: number): string {
  return text
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .slice(0, most)
    .replace(/[\uD800-\uDBFF]$/, '');
}
