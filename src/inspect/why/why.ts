import { CadreError } from '../../core/error.ts';
import type { RunContext } from '../../core/state/run-context.ts';
import type { TurnState } from '../../core/state/turn-state.ts';
import { callIndex } from '../call-index.ts';
import { causeChain, shortCauseChain, type CauseStep, type EventAt } from './cause-chain.ts';
import { findText, type MatchKind, type TextHit } from './find-text.ts';
import { lazy } from '../lazy.ts';
import { profileFiles } from '../turn/profile-line.ts';
import type { PromptSpan } from '../turn/prompt-spans.ts';
import type { ReadContent } from '../read-content.ts';
import { callRef, originOfSpan, readItem, type OriginLookup, type TextOrigin } from './text-origin.ts';
import type { WhyPlace } from './why-place.ts';
import { toTurnRecord, type TurnRecord } from '../turn/turn-record.ts';
import type { ProfileFacts } from '../turn/profile-facts.ts';

/** A stretch of the requested text with one origin. */
export interface WhyPiece {
  readonly text: string;
  readonly origin: TextOrigin;
  /** Role of its message, index of that message in the prompt, and whether only this turn saw it. */
  readonly role?: PromptSpan['role'];
  readonly messageIndex?: number;
  readonly ephemeral?: boolean;
}

/** A place of a text, with its origins. */
export interface WhyAnswer {
  readonly turnId: string;
  readonly agentId: string;
  /** In the prompt, or in a part of the reply. */
  readonly where: 'prompt' | 'reply' | 'reasoning' | 'tool_call';
  readonly match: MatchKind;
  /** Range in that text: start (inclusive), end (exclusive). */
  readonly range: readonly [number, number];
  /** The text at that place. */
  readonly text: string;
  readonly pieces: readonly WhyPiece[];
  /** Events that caused the first piece, newest first; empty when no events are available. */
  readonly causes: readonly CauseStep[];
}

/** An answer with its chain shortened. */
export interface ShortAnswer extends WhyAnswer {
  /** Steps that are not in `causes`, between the newest and the oldest. */
  readonly causesLeftOut?: number;
}

/** Inputs and options of `why`. */
export interface WhyOptions {
  readonly content: ReadContent;
  readonly profiles?: ReadonlyMap<string, ProfileFacts>;
  readonly eventAt?: EventAt;
  /** Returns the cause of an event; when given, long chains are shortened. */
  readonly causeOf?: ((seq: number) => number | undefined) | undefined;
  /** Most answers; 20 when absent. */
  readonly limit?: number;
  /** The turn's record, if already built. */
  readonly record?: TurnRecord;
}

interface Haystack {
  readonly where: WhyAnswer['where'];
  readonly text: string;
  readonly callId?: string;
}

/**
 * Returns the origin of a text in a turn's prompt or reply, for each place it occurs at; inexact places only when there are no
 * exact ones. Fails with OPTION_INVALID when the run has no such turn.
 */
export function why(run: RunContext, turnId: string, text: string, options: WhyOptions): readonly WhyAnswer[] {
  const question = toQuestion(run, turnId, options);
  const haystacks = haystacksOf(question.record);
  const found = findText(
    haystacks.map((haystack) => haystack.text),
    text,
    options.limit ?? 20,
  );
  return found.hits.flatMap((hit) => {
    const haystack = haystacks[hit.haystack];
    return haystack === undefined ? [] : [toAnswer({ ...question, haystack, hit, match: found.match })];
  });
}

/** Returns the origin of the text at a place; undefined when the place is empty. Fails as `why` does. */
export function whyAt(run: RunContext, turnId: string, place: WhyPlace, options: WhyOptions): WhyAnswer | undefined {
  const question = toQuestion(run, turnId, options);
  const haystack = haystacksOf(question.record).filter(({ where }) => where === place.where)[place.call ?? 0];
  if (haystack === undefined) return undefined;
  const start = Math.max(0, place.start);
  const end = Math.min(haystack.text.length, place.end);
  return start < end ? toAnswer({ ...question, haystack, hit: { start, end }, match: 'exact' }) : undefined;
}

type Question = Pick<Found, 'lookup' | 'record' | 'eventAt' | 'causeOf'>;

function toQuestion(run: RunContext, turnId: string, options: WhyOptions): Question {
  const turn = run.turns.get(turnId as TurnState['turnId']);
  if (turn === undefined) throw unknownTurn(run, turnId);
  const record = options.record ?? toTurnRecord(run, turn, options.content, options.profiles);
  const lookup = lazy((): OriginLookup => ({
    run,
    turn,
    agent: run.agents.get(turn.agentId),
    profile: options.profiles?.get(record.profile),
    files: profileFiles(run, options.content),
    calls: callIndex(run),
    eventAt: options.eventAt,
  }));
  return {
    record,
    eventAt: options.eventAt,
    causeOf: options.causeOf,
    // Reads all calls of the run, so it is built only when the text is found.
    get lookup() {
      return lookup();
    },
  };
}

function haystacksOf(record: TurnRecord): readonly Haystack[] {
  return [
    { where: 'prompt', text: record.prompt.text },
    { where: 'reply', text: record.reply.text },
    { where: 'reasoning', text: record.reply.reasoning },
    ...record.reply.toolCalls.map((call) => ({ where: 'tool_call' as const, text: call.input, callId: call.callId })),
  ];
}

interface Found {
  readonly lookup: OriginLookup;
  readonly record: TurnRecord;
  readonly haystack: Haystack;
  readonly hit: Pick<TextHit, 'start' | 'end'>;
  readonly match: MatchKind;
  readonly eventAt: EventAt | undefined;
  readonly causeOf: WhyOptions['causeOf'];
}

function toAnswer(found: Found): ShortAnswer {
  const { lookup, record, haystack, hit } = found;
  const spans = haystack.where === 'prompt' ? spansIn(record.prompt.spans, hit) : [];
  const text = haystack.text.slice(hit.start, hit.end);
  const pieces = haystack.where === 'prompt' ? spans.map((span) => toPiece(lookup, span, hit)) : [saidPiece(found, text)];
  const seq = broughtBy(
    lookup,
    haystack.where === 'prompt' ? (spans.find((span) => span.source !== 'join') ?? spans[0]) : undefined,
  );
  return {
    turnId: record.turnId,
    agentId: record.agentId,
    where: haystack.where,
    match: found.match,
    range: [hit.start, hit.end],
    text,
    pieces,
    ...causesOf(found, seq),
  };
}

function causesOf({ eventAt, causeOf }: Found, seq: number | undefined): Pick<ShortAnswer, 'causes' | 'causesLeftOut'> {
  if (eventAt === undefined || seq === undefined) return { causes: [] };
  if (causeOf === undefined) return { causes: causeChain(eventAt, seq) };
  const { causes, leftOut } = shortCauseChain(eventAt, causeOf, seq);
  return leftOut === 0 ? { causes } : { causes, causesLeftOut: leftOut };
}

function spansIn(spans: readonly PromptSpan[], hit: Found['hit']): readonly PromptSpan[] {
  return spans.filter((span) => span.range[0] < hit.end && span.range[1] > hit.start);
}

function toPiece(lookup: OriginLookup, span: PromptSpan, hit: Found['hit']): WhyPiece {
  const [start, end] = span.range;
  const from = Math.max(0, hit.start - start);
  return {
    text: span.text.slice(from, Math.min(end, hit.end) - start),
    origin: originOfSpan(lookup, span, from),
    role: span.role,
    messageIndex: span.messageIndex,
    ...(span.ephemeral === true ? { ephemeral: true } : {}),
  };
}

/** Returns a piece of the turn's reply, which came from the model in this turn. */
function saidPiece({ lookup, haystack, record }: Found, text: string): WhyPiece {
  const { where } = haystack;
  const origin: TextOrigin =
    where === 'tool_call'
      ? { kind: 'tool_call', call: callRef(lookup, haystack.callId) }
      : { kind: where === 'reasoning' ? 'reasoning' : 'reply', turnId: record.turnId, agentId: record.agentId };
  return { text, origin, role: 'assistant' };
}

/** Returns the event that caused a span; without a span, the end of the turn's model call. */
function broughtBy(lookup: OriginLookup, span: PromptSpan | undefined): number | undefined {
  if (span === undefined) return lookup.turn.modelEnd?.seq;
  const started = lookup.turn.start.seq;
  switch (span.source) {
    case 'segment':
    case 'join':
      return started;
    case 'head':
      return Number(span.ref) || started;
    case 'item':
    case 'tool_result': {
      const seq = readItem(lookup, span)?.seq;
      return seq === undefined || seq === 0 ? started : seq;
    }
    case 'reply':
    case 'reasoning':
    case 'tool_call': {
      const said = span.turnId === undefined ? undefined : lookup.run.turns.get(span.turnId as TurnState['turnId']);
      // A call that a rule made instead of the model comes from the decision, not from the reply.
      if (span.callId !== undefined && said?.decide?.action.call?.callId === span.callId) return said.decide.seq;
      return said?.modelEnd?.seq ?? started;
    }
  }
}

function unknownTurn(run: RunContext, turnId: string): CadreError {
  const known = [...run.turns.keys()];
  const shown = known.slice(-5).join(', ');
  const hint = known.length === 0 ? 'it has no turns yet' : `its ${known.length} turns end with ${shown}`;
  return new CadreError('OPTION_INVALID', `run ${run.meta.runId} has no turn '${turnId}'; ${hint}`, { details: { turnId } });
}

/**
 * True when an answer found among the events of one turn holds for the whole run, because no part comes from before the prompt.
 * Briefings and texts that replace messages do not qualify, since they refer to earlier calls and turns.
 */
export function isKnownWhole({ pieces }: WhyAnswer): boolean {
  return pieces.every(({ origin }) => isHere(origin));
}

function isHere(origin: WhyPiece['origin']): boolean {
  switch (origin.kind) {
    case 'handover':
    case 'summary':
    case 'left_out':
    case 'unknown':
      return false;
    case 'tool_call':
      return origin.call !== undefined;
    case 'tool_result':
      return origin.call !== undefined && origin.item !== undefined;
    case 'segment':
    case 'item':
    case 'reply':
    case 'reasoning':
    case 'tool_protocol':
    case 'join':
      return true;
  }
}
