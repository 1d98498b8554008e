import { CadreError } from '../../../core/error.ts';
import type { Diagnostic, ProfileSet } from '../../../core/profile/profile.ts';
import type { SourceRef } from '../../../core/profile/source-ref.ts';
import { usualProfile } from '../../../engine/launch/usual-profile.ts';
import { formatDiagnostics } from '../../../profiles/format-diagnostics.ts';
import { nameHint } from '../../../profiles/wording.ts';
import type { EvalSuite, EvalVariant } from '../suite/eval-suite.ts';
import type { EvalSession } from './eval-session.ts';
import { judgeFile, judgeProfile } from './judge.ts';
import type { PlannedRun } from './planned-run.ts';

/** Profiles of an eval: those of each variant, and those with a judge for each LLM config that judges. */
export interface EvalProfiles {
  /** Names of the LLM configs that judges may use. */
  readonly judgeLlms: readonly string[];
  readonly variants: ReadonlyMap<string, ProfileSet>;
  readonly judges: ReadonlyMap<string, ProfileSet>;
}

/** Loads all profiles of a suite. Fails with PROFILE_INVALID. */
export async function loadEvalProfiles(session: EvalSession, suite: EvalSuite): Promise<EvalProfiles> {
  const own = session.engine.profiles;
  const byFolder = new Map<string, ProfileSet>();
  const variants = new Map<string, ProfileSet>();
  for (const { name, profiles } of suite.variants) {
    if (profiles !== undefined && !byFolder.has(profiles)) byFolder.set(profiles, await session.load(profiles));
    variants.set(name, profiles === undefined ? own : (byFolder.get(profiles) ?? own));
  }
  const judges = new Map<string, ProfileSet>();
  const wanted = new Set(suite.cases.flatMap(({ checks }) => checks.flatMap(({ llm }) => llm ?? [])));
  for (const llm of wanted) if (own.llmConfigs.has(llm)) judges.set(llm, await session.loadFiles([...own.files, judgeFile(llm)]));
  return { variants, judges, judgeLlms: [...own.llmConfigs.keys()] };
}

/** Plans the runs of a suite, the first of every case before the second of any. Fails with PROFILE_INVALID naming what does not exist. */
export function planRuns(suite: EvalSuite, { variants, judges, judgeLlms }: EvalProfiles): readonly PlannedRun[] {
  const problems: Diagnostic[] = [];
  const tell = (code: string, at: SourceRef, message: string, hint: string): void => {
    problems.push({ severity: 'error', code, message, source: at, hint });
  };
  for (const { checks } of suite.cases)
    for (const { llm, at } of checks)
      if (llm !== undefined && !judges.has(llm))
        tell('UNKNOWN_LLM_CONFIG', at, `there is no LLM config '${llm}' for the judge`, nameHint(llm, judgeLlms, 'LLM configs'));
  const planned: PlannedRun[] = [];
  for (const variant of suite.variants) {
    const set = variants.get(variant.name);
    if (set === undefined) continue;
    checkVariant(variant, set, tell);
    for (const own of suite.cases) {
      const profile = variant.profile ?? own.profile ?? usualProfile(set);
      if (profile === undefined)
        tell(
          'MISSING_KEY',
          own.at,
          'no profile of the team is of type partner',
          'name the profile that runs start with: profile: NAME',
        );
      else if (!set.profiles.has(profile) || profile === judgeProfile) {
        const at = variant.profile === undefined ? own.at : variant.at;
        tell(
          'UNKNOWN_PROFILE',
          at,
          `variant '${variant.name}' has no profile '${profile}'`,
          nameHint(profile, set.profiles.keys(), 'profiles'),
        );
      } else for (let repeat = 1; repeat <= own.repeats; repeat += 1) planned.push({ case: own, variant, repeat, set, profile });
    }
  }
  if (problems.length > 0) {
    const unique = [...new Map(problems.map((problem) => [JSON.stringify(problem), problem])).values()];
    throw new CadreError('PROFILE_INVALID', `the eval suite does not fit its profiles:\n${formatDiagnostics(unique)}`, {
      details: { diagnostics: unique },
    });
  }
  return planned.toSorted((a, b) => a.repeat - b.repeat);
}

function checkVariant(
  { name, llm, at }: EvalVariant,
  set: ProfileSet,
  tell: (code: string, at: SourceRef, message: string, hint: string) => void,
): void {
  if (llm !== undefined && !set.llmConfigs.has(llm))
    tell(
      'UNKNOWN_LLM_CONFIG',
      at,
      `variant '${name}' has no LLM config '${llm}'`,
      nameHint(llm, set.llmConfigs.keys(), 'LLM configs'),
    );
}
