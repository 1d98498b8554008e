import type { SourceRef } from '../../core/profile/source-ref.ts';
import type { Declared, DeclaredGate, PlainProfileFacts, SegmentFacts } from '../turn/profile-facts.ts';
import type { Schema } from '../../core/schema/schema.ts';
import { list, mapOf, optional, record } from '../../core/schema/records.ts';
import { as, count, number, text } from '../../core/schema/values.ts';

const source = record<SourceRef>({ file: text, line: count, column: count });
const written = record<{ readonly source: string }>({ source: text });

const segment = record<SegmentFacts>({
  id: text,
  type: as<SegmentFacts['type']>(text),
  wrapperTags: optional(as<readonly [string, string]>(list(text))),
  contentKey: optional(text),
  path: optional(text),
  ingestorId: optional(text),
  source,
  condition: optional(written),
  content: optional(written),
});

function declared<Type extends string>(): Schema<readonly Declared<Type>[]> {
  return list(
    record<Declared<Type>>({
      id: text,
      condition: optional(written),
      action: record<{ readonly type: Type }>({ type: as<Type>(text) }),
      source,
    }),
  );
}

const facts = mapOf(
  record<PlainProfileFacts>({
    name: text,
    llmConfigRef: text,
    segments: list(segment),
    preTurnObservers: declared(),
    postTurnObservers: declared(),
    flowDecider: declared(),
    toolGates: list(record<DeclaredGate>({ id: text, condition: optional(written), source })),
    strategies: mapOf(record<{ readonly priority?: number }>({ priority: optional(number) })),
    origins: mapOf(source),
    contextWindows: optional(mapOf(count)),
  }),
);

/** Checks profile facts from outside, keyed by profile. */
export const checkFacts = facts.check;

/** True when a value is a record of profile facts, keyed by profile. */
export function areFacts(value: unknown): value is Readonly<Record<string, PlainProfileFacts>> {
  return checkFacts(value) === undefined;
}
