import { createHash } from 'node:crypto';
import type { RunId } from '../../../core/ids.ts';
import type { ProfileSet } from '../../../core/profile/profile.ts';
import type { EvalCase, EvalVariant } from '../suite/eval-suite.ts';

/** One run of an eval: a case with a variant, for the nth time. */
export interface PlannedRun {
  readonly case: EvalCase;
  readonly variant: EvalVariant;
  /** 1 for the first run of the case with the variant. */
  readonly repeat: number;
  readonly set: ProfileSet;
  readonly profile: string;
}

/** Returns a function that gives each run of a round its id. An id says what was run, so that a run of the same is found again. */
export function runIds(suite: string, round: number): (planned: PlannedRun, attempt: number) => RunId {
  return ({ case: own, variant, repeat, set, profile }, attempt) =>
    idOf('ev', {
      suite,
      round,
      attempt,
      repeat,
      variant: variant.name,
      name: own.name,
      input: own.input,
      profile,
      llm: variant.llm ?? null,
      request: { ...own.request, ...variant.request },
      limits: { ...variant.limits, ...own.limits },
      people: own.people,
      profiles: hashOfSet(set),
    });
}

/** Returns an id for a run that is a function of its facts, which are plain data. */
export function idOf(prefix: string, facts: Readonly<Record<string, unknown>>): RunId {
  return `${prefix}_${createHash('sha256').update(JSON.stringify(facts)).digest('hex').slice(0, 20)}` as RunId;
}

// Pure cache: keyed by a loaded set, which never changes.
const hashes = new WeakMap<ProfileSet, string>();

/** Returns the hash of the texts of a profile set; paths count without the folder they were loaded from. */
export function hashOfSet(set: ProfileSet): string {
  const known = hashes.get(set);
  if (known !== undefined) return known;
  const files = set.files.map(({ path, text }) => [path.slice(path.indexOf('/') + 1), text]);
  const made = createHash('sha256').update(JSON.stringify(files.toSorted())).digest('hex');
  hashes.set(set, made);
  return made;
}
