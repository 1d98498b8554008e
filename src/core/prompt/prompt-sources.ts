/** Provenance of a prompt: inbox sources, and the tools and toolsets whose results are in view. */
export interface PromptSources {
  readonly sources: readonly string[];
  /** Untrusted sources among them, and those whose text arrived through a summary, a briefing or another agent. */
  readonly untrusted: readonly string[];
}

/** Provenance that gates see as `prompt`, and people who decide about a call. */
export interface PromptFacts extends PromptSources {
  /** True once any agent of the run has read untrusted text. */
  readonly tainted: boolean;
}

/** Last position of texts of one origin in an agent's history, counted from its start; -1 = none. */
export interface SourceMark {
  readonly at: number;
  /** The same for untrusted texts alone. */
  readonly untrustedAt: number;
  /** True when untrusted ones are in user messages, which notes about omitted messages may quote. */
  readonly isQuotable: boolean;
}

/**
 * Index of everything an agent has read, by origin: shows what a prompt has in view without reading messages. Its size is the
 * number of different sources, not of items.
 */
export interface SourceMarks {
  readonly marks: Map<string, SourceMark>;
  /** Untrusted sources in view without an item of theirs: summarised, or passed on by another agent. */
  carried: readonly string[];
  /** Untrusted sources in view for one turn only: in a segment, in a tool description, in an item that was not kept. */
  passed: readonly string[];
  /** Provenance of the latest prompt, and its first message. */
  shown: PromptSources;
  shownFrom: number;
  /** True after reading something that is not in `shown`, or that only one turn saw. */
  isStale: boolean;
}

/** Sources of an empty prompt. */
export const noSources: PromptSources = Object.freeze({ sources: Object.freeze([]), untrusted: Object.freeze([]) });

/** Creates the marks of an agent that has read nothing but the sources carried over to it. */
export function newSourceMarks(carried: readonly string[] = noSources.untrusted): SourceMarks {
  return { marks: new Map(), carried, passed: noSources.untrusted, shown: noSources, shownFrom: 0, isStale: true };
}

/** Returns every untrusted source that an agent has read, in view or not. */
export function untrustedSources({ marks, carried, passed }: SourceMarks): readonly string[] {
  if (marks.size === 0 && passed.length === 0) return carried;
  const labels = new Set(carried);
  for (const label of passed) labels.add(label);
  for (const [label, { untrustedAt }] of marks) if (untrustedAt >= 0) labels.add(label);
  return labels.size === carried.length ? carried : [...labels];
}
