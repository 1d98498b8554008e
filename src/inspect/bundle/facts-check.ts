import type { SourceRef } from '../../core/profile/source-ref.ts';
import type { PlainProfileFacts, SegmentFacts } from '../turn/profile-facts.ts';
import { count, list, mapOf, number, optional, record, text } from './check.ts';

const source = record<SourceRef>({ file: text, line: count, column: count });
const written = record<{ readonly source: string }>({ source: text });

const segment = record<SegmentFacts>({
  id: text,
  type: text,
  wrapperTags: optional(list(text)),
  contentKey: optional(text),
  path: optional(text),
  ingestorId: optional(text),
  source,
  condition: optional(written),
  content: optional(written),
});

const declared = list(
  record<PlainProfileFacts['flowDecider'][number]>({
    id: text,
    condition: optional(written),
    action: record<{ readonly type: string }>({ type: text }),
    source,
  }),
);

/** Checks profile facts from outside, keyed by profile. */
export const checkFacts = mapOf(
  record<PlainProfileFacts>({
    name: text,
    llmConfigRef: text,
    segments: list(segment),
    preTurnObservers: declared,
    postTurnObservers: declared,
    flowDecider: declared,
    strategies: mapOf(record<{ readonly priority?: number }>({ priority: optional(number) })),
    origins: mapOf(source),
    contextWindows: optional(mapOf(count)),
  }),
);

/** True when a value is a record of profile facts, keyed by profile. */
export function areFacts(value: unknown): value is Readonly<Record<string, PlainProfileFacts>> {
  return checkFacts(value) === undefined;
}
