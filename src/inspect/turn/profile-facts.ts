import type { LlmConfig } from '../../core/model/llm-config.ts';
import { outputSectionId } from '../../core/prompt/output-format.ts';
import type { CompiledProfile, CompiledSegment, DeciderAction, ObserverAction } from '../../core/profile/profile.ts';
import type { SourceRef } from '../../core/profile/source-ref.ts';

/** An observer or decider rule as views see it. */
export interface Declared<ActionType extends string> {
  readonly id: string;
  readonly condition?: { readonly source: string };
  readonly action: { readonly type: ActionType };
  readonly source: SourceRef;
}

/** A gate as views see it. */
export type DeclaredGate = Omit<Declared<string>, 'action'>;

/** Fields of a segment that views need. */
export interface SegmentFacts extends Pick<
  CompiledSegment,
  'id' | 'type' | 'wrapperTags' | 'contentKey' | 'path' | 'ingestorId' | 'source'
> {
  readonly condition?: { readonly source: string };
  readonly content?: { readonly source: string };
}

/**
 * Profile data that views need. Every compiled profile qualifies; `fromPlainFacts` builds one where no profile can be compiled,
 * such as in a browser.
 */
export interface ProfileFacts {
  readonly name: string;
  readonly llmConfigRef: string;
  readonly segments: readonly SegmentFacts[];
  readonly preTurnObservers: readonly Declared<ObserverAction['type']>[];
  readonly postTurnObservers: readonly Declared<ObserverAction['type']>[];
  readonly flowDecider: readonly Declared<DeciderAction['type']>[];
  readonly toolGates: readonly DeclaredGate[];
  readonly strategies: ReadonlyMap<string, { readonly priority?: number }>;
  /** Sources of the profile's values, by path. */
  readonly origins: ReadonlyMap<string, SourceRef>;
  /** Context windows in tokens, by LLM config name, where the config gives one. */
  readonly contextWindows?: Readonly<Record<string, number>>;
}

/** Profile facts as plain data, for the wire and for files. */
export interface PlainProfileFacts extends Omit<ProfileFacts, 'strategies' | 'origins'> {
  readonly strategies: Readonly<Record<string, { readonly priority?: number }>>;
  readonly origins: Readonly<Record<string, SourceRef>>;
}

/** Converts profile facts to plain data; `llmConfigs` are those its agents may use. */
export function toPlainFacts(profile: CompiledProfile, llmConfigs: ReadonlyMap<string, LlmConfig> = new Map()): PlainProfileFacts {
  const windows = [...llmConfigs].flatMap(([name, { contextWindow }]) =>
    contextWindow === undefined ? [] : [[name, contextWindow]],
  );
  return {
    ...(windows.length === 0 ? {} : { contextWindows: Object.fromEntries(windows) as Record<string, number> }),
    name: profile.name,
    llmConfigRef: profile.llmConfigRef,
    segments: profile.segments.map(toSegmentFacts),
    preTurnObservers: profile.preTurnObservers.map(toDeclared),
    postTurnObservers: profile.postTurnObservers.map(toDeclared),
    flowDecider: profile.flowDecider.map(toDeclared),
    toolGates: profile.toolGates.map(({ id, condition, source }) => ({
      id,
      source,
      ...(condition === undefined ? {} : { condition: { source: condition.source } }),
    })),
    strategies: Object.fromEntries(
      [...profile.strategies].map(([source, { priority }]) => [source, priority === undefined ? {} : { priority }]),
    ),
    origins: Object.fromEntries([...profile.origins].filter(([path]) => isTextPlace(path))),
  };
}

/** Builds profile facts from plain data. */
export function fromPlainFacts(plain: PlainProfileFacts): ProfileFacts {
  return {
    ...plain,
    strategies: new Map(Object.entries(plain.strategies)),
    origins: new Map(Object.entries(plain.origins)),
  };
}

/** Views only ask for the places of texts. */
function isTextPlace(path: string): boolean {
  return path.startsWith('system_prompt_construction.') || path.startsWith('text_definitions.') || path.startsWith(outputSectionId);
}

function toSegmentFacts(segment: CompiledSegment): SegmentFacts {
  const { id, type, wrapperTags, contentKey, path, ingestorId, source } = segment;
  return {
    id,
    type,
    source,
    ...(wrapperTags === undefined ? {} : { wrapperTags }),
    ...(contentKey === undefined ? {} : { contentKey }),
    ...(path === undefined ? {} : { path }),
    ...(ingestorId === undefined ? {} : { ingestorId }),
    ...(segment.condition === undefined ? {} : { condition: { source: segment.condition.source } }),
    ...(segment.content === undefined ? {} : { content: { source: segment.content.source } }),
  };
}

function toDeclared<ActionType extends string>({ id, condition, action, source }: Declared<ActionType>): Declared<ActionType> {
  return {
    id,
    action: { type: action.type },
    source,
    ...(condition === undefined ? {} : { condition: { source: condition.source } }),
  };
}
