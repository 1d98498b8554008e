import type { CallId } from '../../core/ids.ts';
import type { InboxItem } from '../../core/inbox/inbox.ts';
import type { JsonObject, JsonValue } from '../../core/json.ts';
import type { ProfileFile } from '../../core/profile/profile.ts';
import type { SourceRef } from '../../core/profile/source-ref.ts';
import type { SubContext } from '../../core/state/sub-context.ts';
import type { RunContext } from '../../core/state/run-context.ts';
import type { TurnState } from '../../core/state/turn-state.ts';
import { outputSectionId } from '../../core/prompt/output-format.ts';
import { toolSectionId } from '../../core/prompt/tool-section.ts';
import type { TurnInput } from '../../core/state/turn.ts';
import type { PlacedCall } from '../call-index.ts';
import type { EventAt } from './cause-chain.ts';
import { posterOf } from '../../core/inbox/poster.ts';
import { segmentLine } from '../turn/profile-line.ts';
import type { PromptSpan } from '../turn/prompt-spans.ts';
import { historyOfTurn } from '../turn/turn-history.ts';
import { inputIndex } from '../turn/turn-inputs.ts';
import type { ProfileFacts } from '../turn/profile-facts.ts';

/** A tool call, as answers name it. */
export interface CallRef {
  readonly callId: CallId;
  readonly name: string;
  readonly args: JsonObject | null;
  /** The turn that asked for it, and its agent. */
  readonly turnId: string;
  readonly agentId: string;
}

/** An inbox item as the source of a text. */
export interface ItemRefView {
  readonly itemId: string;
  readonly itemSource: string;
  /** An observer, a rule, an agent, `outside`, or `the engine`. */
  readonly postedBy: string;
  readonly observerId?: string;
  /** The item that it takes the place of: a person edited it in this fork. */
  readonly edits?: string;
  /** Place where the observer that made it is declared. */
  readonly declaredAt?: SourceRef;
  readonly ingestor: string;
  readonly strategy: TurnInput['strategy'];
  readonly persistent: boolean;
  readonly payload: JsonValue;
  /** The turn that read it. */
  readonly turnId: string;
}

/** Origin of a piece of text. */
export type TextOrigin =
  | {
      readonly kind: 'segment';
      readonly profile: string;
      readonly segmentId: string;
      readonly segmentType: string;
      readonly condition?: string;
      /** State path that a `state_value` segment reads. */
      readonly path?: string;
      readonly ingestor?: string;
      readonly contentKey?: string;
      /** The exact line, for text from a profile. */
      readonly source?: SourceRef;
    }
  | ({ readonly kind: 'item' } & ItemRefView)
  /** The briefing an agent was started with. */
  | ({ readonly kind: 'handover'; readonly fromAgentId: string | undefined; readonly call: CallRef | undefined } & ItemRefView)
  | { readonly kind: 'tool_result'; readonly call: CallRef | undefined; readonly item: ItemRefView | undefined }
  | { readonly kind: 'tool_call'; readonly call: CallRef | undefined }
  | { readonly kind: 'reply' | 'reasoning'; readonly turnId: string; readonly agentId: string }
  /** A summary or a note that replaces the messages `from` to `to`. */
  | {
      readonly kind: 'summary' | 'left_out';
      readonly agentId: string;
      readonly from: number;
      readonly to: number;
      /** First and last of the turns those messages came from. */
      readonly turnIds: readonly string[];
      readonly compactionId?: string;
      /** Also covers the earlier summary. */
      readonly coversEarlier?: true;
      readonly llmConfig?: string;
    }
  /** Description of the tools and of how to call them, written as text by an LLM config's protocol. */
  | { readonly kind: 'tool_protocol'; readonly protocol: string; readonly config: string }
  /** A separator the engine put between two texts. */
  | { readonly kind: 'join' }
  /** The run does not know its item. */
  | { readonly kind: 'unknown'; readonly ref: string };

/** Context for looking up origins. */
export interface OriginLookup {
  readonly run: RunContext;
  readonly turn: TurnState;
  readonly agent: SubContext | undefined;
  readonly profile: ProfileFacts | undefined;
  readonly files: readonly ProfileFile[];
  readonly calls: ReadonlyMap<string, PlacedCall>;
  readonly eventAt: EventAt | undefined;
}

/** Returns the origin of a span of a prompt; `offset` is the position of interest in its text. */
export function originOfSpan(lookup: OriginLookup, span: PromptSpan, offset: number): TextOrigin {
  switch (span.source) {
    case 'segment':
      return segmentOrigin(lookup, span, offset);
    case 'head':
      return headOrigin(lookup, span);
    case 'item':
      return itemOrigin(lookup, span);
    case 'tool_result':
      return { kind: 'tool_result', call: callRef(lookup, span.callId), item: itemRef(lookup, span) };
    case 'tool_call':
      return { kind: 'tool_call', call: callRef(lookup, span.callId) };
    case 'reply':
    case 'reasoning':
      return { kind: span.source, turnId: span.turnId ?? span.ref, agentId: lookup.turn.agentId };
    case 'join':
      return { kind: 'join' };
  }
}

/** A call by its id; undefined when the run does not know it. */
export function callRef(lookup: Pick<OriginLookup, 'calls'>, callId: string | undefined): CallRef | undefined {
  const placed = callId === undefined ? undefined : lookup.calls.get(callId);
  if (placed === undefined) return undefined;
  const { call, turn } = placed;
  return { callId: call.callId, name: call.request.name, args: call.request.args, turnId: turn.turnId, agentId: turn.agentId };
}

function segmentOrigin(lookup: OriginLookup, span: PromptSpan, offset: number): TextOrigin {
  const { profile } = lookup;
  const segment = profile?.segments.find((candidate) => candidate.id === span.ref);
  const named = { kind: 'segment' as const, profile: lookup.agent?.meta.profile ?? '', segmentId: span.ref };
  if (span.ref === toolSectionId)
    return { kind: 'tool_protocol', protocol: lookup.turn.start.prompt?.protocol ?? '', config: configOf(lookup) };
  if (profile === undefined || segment === undefined) {
    if (span.ref !== outputSectionId) return { ...named, segmentType: 'unknown' };
    const source = profile === undefined ? undefined : outputPlace(profile);
    return { ...named, segmentType: outputSectionId, ...(source === undefined ? {} : { source }) };
  }
  return {
    ...named,
    segmentType: segment.type,
    source: segmentLine(profile, segment, { rendered: span.text, offset, files: lookup.files }),
    ...(segment.condition === undefined ? {} : { condition: segment.condition.source }),
    ...(segment.path === undefined ? {} : { path: segment.path }),
    ...(segment.ingestorId === undefined ? {} : { ingestor: segment.ingestorId }),
    ...(segment.contentKey === undefined ? {} : { contentKey: segment.contentKey }),
  };
}

/** Returns the first line of the output schema in the profile. */
function outputPlace({ origins }: ProfileFacts): SourceRef | undefined {
  for (const [path, place] of origins) if (path === outputSectionId || path.startsWith(`${outputSectionId}.`)) return place;
  return undefined;
}

/** Returns the name of the LLM config with the `tool_protocol`. */
function configOf({ turn, profile, run }: OriginLookup): string {
  return turn.modelEnd?.attempts[0]?.config ?? run.meta.llmConfig ?? profile?.llmConfigRef ?? '';
}

/** Returns the origin of a text that replaces messages, from the event that recorded it. */
function headOrigin(lookup: OriginLookup, span: PromptSpan): TextOrigin {
  const event = lookup.eventAt?.(Number(span.ref));
  if (event?.type === 'compaction.end') {
    const start = event.cause === undefined ? undefined : lookup.eventAt?.(event.cause);
    return {
      kind: 'summary',
      agentId: event.agentId,
      from: event.from,
      to: event.to,
      turnIds: turnsOfMessages(lookup, event.from, event.to),
      compactionId: event.compactionId,
      ...(start?.type === 'compaction.start' ? { llmConfig: start.llmConfig } : {}),
      ...(start?.type === 'compaction.start' && start.previous !== undefined ? { coversEarlier: true } : {}),
    };
  }
  if (event?.type !== 'context.trim') return { kind: 'unknown', ref: span.ref };
  return { kind: 'left_out', agentId: event.agentId, from: 0, to: event.to, turnIds: turnsOfMessages(lookup, 0, event.to) };
}

/** Returns the first and the last turn that a range of messages came from. */
function turnsOfMessages({ run, turn }: OriginLookup, from: number, to: number): readonly string[] {
  const { origins, released } = historyOfTurn(run, turn);
  const first = origins[from - released]?.turnId;
  const last = origins[to - 1 - released]?.turnId;
  return [first, last].filter((turnId) => turnId !== undefined);
}

function itemOrigin(lookup: OriginLookup, span: PromptSpan): TextOrigin {
  const ref = itemRef(lookup, span);
  if (ref === undefined) return { kind: 'unknown', ref: span.ref };
  const { item, input } = readItem(lookup, span) ?? {};
  const meta = lookup.agent?.meta;
  const briefing =
    ref.itemSource === 'AGENT_STARTUP_BRIEFING' ||
    (input?.noHandover === true && item?.from !== undefined && item.from === meta?.parentAgentId);
  if (!briefing) return { kind: 'item', ...ref };
  // A restarted agent has several briefings, by several calls.
  const callId = lookup.run.turns.get(ref.turnId as TurnState['turnId'])?.start.sourceToolCallId ?? meta?.callId;
  return { kind: 'handover', ...ref, fromAgentId: item?.from ?? meta?.parentAgentId, call: callRef(lookup, callId) };
}

interface ReadItem {
  readonly input: TurnInput;
  readonly item: InboxItem | undefined;
  readonly seq: number | undefined;
}

/** The item behind a span, and how its turn read it. */
export function readItem(lookup: Pick<OriginLookup, 'run'>, span: PromptSpan): ReadItem | undefined {
  const turn = span.turnId === undefined ? undefined : lookup.run.turns.get(span.turnId as TurnState['turnId']);
  const index = turn === undefined ? -1 : inputIndex(turn, span.ref);
  const input = turn?.start.inputs[index];
  return turn === undefined || input === undefined ? undefined : { input, item: turn.items[index], seq: turn.itemSeqs[index] };
}

function itemRef(lookup: OriginLookup, span: PromptSpan): ItemRefView | undefined {
  const read = readItem(lookup, span);
  if (read === undefined) return undefined;
  const { input, item } = read;
  const added = read.seq === undefined ? undefined : lookup.eventAt?.(read.seq);
  const declaredAt = declaredPlace(lookup.profile, item);
  return {
    itemId: input.itemId,
    itemSource: input.source,
    postedBy: item === undefined ? 'unknown' : posterOf(item, added),
    ingestor: input.ingestor,
    strategy: input.strategy,
    persistent: input.persistent,
    payload: item?.payload ?? null,
    turnId: span.turnId ?? lookup.turn.turnId,
    ...(item?.observerId === undefined ? {} : { observerId: item.observerId }),
    ...(item?.edits === undefined ? {} : { edits: item.edits }),
    ...(declaredAt === undefined ? {} : { declaredAt }),
  };
}

/** Returns the place where the observer or rule that made an item is declared. */
function declaredPlace(profile: ProfileFacts | undefined, item: InboxItem | undefined): SourceRef | undefined {
  if (profile === undefined || item === undefined) return undefined;
  const observer = [...profile.preTurnObservers, ...profile.postTurnObservers].find(
    (candidate) => candidate.id === item.observerId,
  );
  return observer?.source ?? profile.flowDecider.find((rule) => rule.id === item.ruleId)?.source;
}
