/** Where what stands in a prompt comes from: inbox sources, and the tools and toolsets whose results the model looks at. */
export interface PromptSources {
  readonly sources: readonly string[];
  /** Those of them that are untrusted, and those whose words came by way of a summary, a briefing or another agent. */
  readonly untrusted: readonly string[];
}

/** What gates see of a prompt as `prompt`, and people who are asked whether a call may run. */
export interface PromptFacts extends PromptSources {
  /** Some agent of the run has read untrusted text. */
  readonly tainted: boolean;
}

/** Where texts of one origin stand last in an agent's history, counted from its start; -1 when nowhere. */
export interface SourceMark {
  readonly at: number;
  /** The same for untrusted texts alone. */
  readonly untrustedAt: number;
  /** Whether untrusted ones stand in messages of the user, which notes for what is left out may quote. */
  readonly isQuotable: boolean;
}

/**
 * What an agent has read, by where it came from: enough to say of any prompt what is in view, without looking at messages.
 * Its size is the number of different sources, not that of items.
 */
export interface SourceMarks {
  readonly marks: Map<string, SourceMark>;
  /** Untrusted sources whose words are in view without an item of theirs: summarised, or passed on by another agent. */
  carried: readonly string[];
  /** Untrusted sources that were in view for a turn alone: in a segment, in the description of a tool, in an item that was not kept. */
  passed: readonly string[];
  /** What the latest prompt held, and where it began. */
  shown: PromptSources;
  shownFrom: number;
  /** Something was read since that is not in `shown`, or only for one turn. */
  isStale: boolean;
}

/** The sources of a prompt that holds nothing. */
export const noSources: PromptSources = Object.freeze({ sources: Object.freeze([]), untrusted: Object.freeze([]) });

/** Marks of an agent that has read nothing, except what it was given to read in other words. */
export function newSourceMarks(carried: readonly string[] = noSources.untrusted): SourceMarks {
  return { marks: new Map(), carried, passed: noSources.untrusted, shown: noSources, shownFrom: 0, isStale: true };
}

/** Every untrusted source an agent has read anything of, in view or not. */
export function untrustedSources({ marks, carried, passed }: SourceMarks): readonly string[] {
  const labels = new Set(carried);
  for (const label of passed) labels.add(label);
  for (const [label, { untrustedAt }] of marks) if (untrustedAt >= 0) labels.add(label);
  return labels.size === carried.length ? carried : [...labels];
}
