import { estimateTokens } from '../../core/prompt/token-estimate.ts';
import type { ContentHash } from '../../core/ids.ts';
import { isJsonObject } from '../../core/json.ts';
import type { SourceRef } from '../../core/profile/source-ref.ts';
import type { SegmentRecord } from '../../core/state/turn.ts';
import { readList, type ReadContent } from '../read-content.ts';
import type { ProfileFacts, SegmentFacts } from './profile-facts.ts';

/** One segment of a turn's system prompt, with its text and where its profile declares it. */
export interface SegmentView extends SegmentRecord {
  /** Rendered text; empty when the condition was false. */
  readonly text: string;
  readonly tokens: number;
  /** Share of the system prompt, 0 to 1. */
  readonly share: number;
  readonly condition?: string;
  readonly source?: SourceRef;
  /** True when the content store lacks the text. */
  readonly missing?: boolean;
}

/** The construction log of a turn's system prompt, in order. */
export interface SystemPromptView {
  readonly segments: readonly SegmentView[];
}

/** Reads the construction log behind `turn.start.prompt.system`. */
export function toSystemPrompt(hash: ContentHash, content: ReadContent, profile: ProfileFacts | undefined): SystemPromptView {
  const declared = new Map<string, SegmentFacts>(profile?.segments.map((segment) => [segment.id, segment]));
  const records = readList(content, hash).filter(isSegmentRecord);
  const texts = records.map((record) => (record.hash === undefined ? '' : content(record.hash)));
  const total = Math.max(
    1,
    texts.reduce((sum, text) => sum + (text?.length ?? 0), 0),
  );
  const segments = records.map((record, index): SegmentView => {
    const text = texts[index] ?? '';
    const segment = declared.get(record.id);
    return {
      ...record,
      text,
      tokens: estimateTokens(text),
      share: text.length / total,
      ...(segment?.condition === undefined ? {} : { condition: segment.condition.source }),
      ...(segment === undefined ? {} : { source: segment.source }),
      ...(texts[index] === undefined ? { missing: true } : {}),
    };
  });
  return { segments };
}

function isSegmentRecord(value: unknown): value is SegmentRecord {
  return isJsonObject(value) && typeof value['id'] === 'string' && typeof value['type'] === 'string';
}
