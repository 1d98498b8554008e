import type { TurnContext } from '../../core/turn-context.ts';
import { agentScope } from '../../core/state/agent-scope.ts';
import type { AgentTools, Env } from '../../core/env.ts';
import { toErrorRecord, type ErrorRecord, CadreError } from '../../core/error.ts';
import { agentRoots } from '../../core/expression/agent-roots.ts';
import { compileExpression, type Expression, type Scope } from '../../core/expression/expression.ts';
import { readPath } from '../../core/expression/read-path.ts';
import { frameAtPlace, type FrameText } from '../../core/untrusted/frame-untrusted.ts';
import type { ContentHash } from '../../core/ids.ts';
import type { JsonValue } from '../../core/json.ts';
import { contentText } from '../../core/prompt/message.ts';
import type { CompiledProfile, CompiledSegment } from '../../core/profile/profile.ts';
import { planOf, type TurnPlan } from '../../core/profile/turn-plan.ts';
import { ingestorView } from '../../core/untrusted/ingestor-view.ts';
import { type StateQuotes, stateQuotes } from '../../core/untrusted/quote-state.ts';
import { segmentSeparator } from '../../core/prompt/prompt.ts';
import type { SubContext } from '../../core/state/sub-context.ts';
import { estimateTokens } from '../../core/prompt/token-estimate.ts';
import type { Transaction } from '../../core/events/transaction.ts';
import type { SegmentRecord } from '../../core/state/turn.ts';
import { readJson } from '../../core/read-json.ts';

/** A system prompt, and where its construction log is stored. */
export interface SystemPrompt {
  readonly text: string;
  /** Its estimated tokens. */
  readonly tokens: number;
  readonly log: ContentHash;
  /** The untrusted sources whose words it shows by way of state. */
  readonly taint: readonly string[];
}

/** A part of a system prompt that no segment of a profile declares. */
export interface TextSection {
  readonly id: string;
  readonly text: string;
  /** Untrusted sources of what it quotes, framed. */
  readonly taint?: readonly string[];
}

interface Rendered {
  readonly text: string;
  readonly met: boolean;
  readonly error?: ErrorRecord;
}

/** Values that segments are rendered from. */
interface Shown {
  readonly scope: Scope;
  readonly tools: AgentTools;
  readonly quotes: StateQuotes;
  readonly frame: FrameText;
}

interface Cached extends SystemPrompt {
  readonly profile: CompiledProfile;
  readonly tools: AgentTools;
  readonly rendered: readonly Rendered[];
  readonly sections: readonly TextSection[];
}

// Undeclared sections follow those that profiles declare.
const lastOrder = 1_000_000;

// Pure cache: keyed by an agent, and compared with the profile and every text that goes into it.
const latest = new WeakMap<SubContext, Cached>();

/**
 * Builds an agent's system prompt from its profile's segments, in order (A1.5). When nothing changed since the agent's
 * last turn, the text and its log are reused, so that a turn pays only for changes (I13); a prompt that reads no state is recognised by its
 * profile and its tools. `sections` are texts that no profile declares as a segment: the form of the answer, how to call tools in a text
 * protocol. They come last.
 */
export function buildSystemPrompt(
  context: TurnContext,
  tools: AgentTools,
  sections: readonly TextSection[] = [],
  plan: TurnPlan = planOf(context.profile),
): SystemPrompt {
  const { tx, env, agent, profile } = context;
  const known = latest.get(agent);
  const isFixed = !plan.livePrompt && known?.profile === profile && known.tools === tools;
  if (isFixed && (known.sections === sections || sameSections(known.sections, sections))) return known;
  const scope = agentScope(env, tx.run, agent);
  const shown = new Set<string>();
  const rendered = profile.segments.map((segment) => {
    const quotes = stateQuotes(env, { run: tx.run, agent }, segment.id);
    const made = renderSegment(env, profile, segment, {
      scope,
      tools,
      quotes,
      frame: frameAtPlace(tx.run, agent, env.hash, segment.id),
    });
    for (const label of quotes.labels()) shown.add(label);
    return made;
  });
  for (const section of sections) for (const label of section.taint ?? []) shown.add(label);
  const taint = [...shown].toSorted();
  if (known?.profile === profile && sameSections(known.sections, sections) && sameTexts(known.rendered, rendered)) {
    const again = { ...known, tools, taint };
    latest.set(agent, again);
    return again;
  }
  const records = profile.segments.map((segment, index) => toRecord(tx, segment, rendered[index]));
  const texts = rendered.flatMap((entry) => (entry.met && entry.text !== '' ? [entry.text] : []));
  sections.forEach(({ id, text }, index) => {
    const order = lastOrder + index;
    records.push({ id, type: id, order, conditionMet: true, hash: tx.content(text), chars: text.length });
    texts.push(text);
  });
  const text = texts.join(segmentSeparator);
  const log = tx.content(JSON.stringify(records));
  const built = { text, tokens: estimateTokens(text), log, taint, profile, tools, rendered, sections };
  latest.set(agent, built);
  return built;
}

/** Reads a stored construction log back into the text it describes. */
export function systemTextOf(log: string, content: (hash: ContentHash) => string | undefined): string {
  const records = readJson(log) as readonly SegmentRecord[];
  return records
    .flatMap((record) => (record.hash === undefined ? [] : [requiredText(content, record.hash, 'a part of a system prompt')]))
    .join(segmentSeparator);
}

function sameSections(a: readonly TextSection[], b: readonly TextSection[]): boolean {
  return a.length === b.length && a.every(({ text }, index) => text === b[index]?.text);
}

function sameTexts(a: readonly Rendered[], b: readonly Rendered[]): boolean {
  return (
    a.length === b.length &&
    a.every(
      (entry, index) =>
        entry.met === b[index]?.met && entry.text === b[index]?.text && entry.error?.message === b[index]?.error?.message,
    )
  );
}

function toRecord(tx: Transaction, segment: CompiledSegment, rendered: Rendered | undefined): SegmentRecord {
  const base = { id: segment.id, type: segment.type, order: segment.order, conditionMet: rendered?.met ?? false };
  const failed = rendered?.error === undefined ? base : { ...base, error: rendered.error };
  if (rendered === undefined || !rendered.met || rendered.text === '') return failed;
  return { ...failed, hash: tx.content(rendered.text), chars: rendered.text.length };
}

function renderSegment(env: Env, profile: CompiledProfile, segment: CompiledSegment, shown: Shown): Rendered {
  try {
    if (segment.condition !== undefined && !segment.condition.test(shown.scope)) return { text: '', met: false };
    const text = segmentText(env, profile, segment, shown);
    if (text === '' || segment.wrapperTags === undefined) return { text, met: true };
    return { text: `${segment.wrapperTags[0]}\n${text}\n${segment.wrapperTags[1]}`, met: true };
  } catch (thrown) {
    return { text: '', met: false, error: toErrorRecord(thrown, 'SEGMENT_FAILED') };
  }
}

function segmentText(env: Env, profile: CompiledProfile, segment: CompiledSegment, { scope, tools, quotes, frame }: Shown): string {
  switch (segment.type) {
    case 'static_text':
      return segment.content?.render(scope, quotes.quote) ?? '';
    case 'tool_description':
      return describedTools(tools, frame);
    case 'tool_contributed_context':
      return contributions(tools, scope);
    case 'state_value':
      return stateValue(env, profile, segment, { scope, quotes });
  }
}

/** Returns the description of tools; texts from outside are framed. */
function describedTools({ description, outside }: AgentTools, frame: FrameText): string {
  const framed = outside.map((some) => frame(some.toolset, some.description));
  return [description, ...framed].filter((text) => text !== '').join(segmentSeparator);
}

/** Returns the prompt contributions of the agent's tools whose conditions hold, in tool order. */
function contributions(tools: AgentTools, scope: Scope): string {
  return [...tools.tools.values()]
    .flatMap((tool) => tool.contextContributions)
    .filter(({ condition }) => condition === undefined || conditionOf(condition)?.test(scope) === true)
    .toSorted((a, b) => a.order - b.order)
    .map((contribution) => contribution.text)
    .join(segmentSeparator);
}

// Pure cache: keyed by the text of a condition.
const conditions = new Map<string, Expression | undefined>();

/** A tool's condition, compiled once; tools whose conditions do not compile were refused when they were defined. */
function conditionOf(source: string): Expression | undefined {
  if (!conditions.has(source)) {
    const compiled = compileExpression(source, agentRoots);
    conditions.set(source, compiled.ok ? compiled.value : undefined);
  }
  return conditions.get(source);
}

function stateValue(
  env: Env,
  profile: CompiledProfile,
  segment: CompiledSegment,
  { scope, quotes }: Pick<Shown, 'scope' | 'quotes'>,
): string {
  const name = segment.ingestorId ?? 'markdown_formatter';
  const ingestor = env.ingestor(name);
  if (ingestor === undefined) throw new Error(`there is no ingestor '${name}'`);
  // The text is framed as a whole when any of the value is untrusted, or anything that the ingestor reads besides.
  const watch = quotes.watch(scope);
  const value = readPath(watch.scope, segment.path ?? '');
  // What it reads of the scope counts with the value.
  const view = ingestorView({
    profile,
    profiles: env.profiles,
    source: 'STATE_VALUE',
    readScope: () => scope,
    quote: () => ({ ...quotes, watch: () => watch }),
  });
  return quotes.written(watch, contentText(ingestor.ingest(value as JsonValue, segment.ingestorParams ?? {}, view)));
}

/** A stored text that a model call cannot be made without: another prompt than the recorded one is never sent. */
export function requiredText(content: (hash: ContentHash) => string | undefined, hash: ContentHash, what: string): string {
  const text = content(hash);
  if (text === undefined) throw new CadreError('STORE_CORRUPT', `the journal lacks a text: ${what} (${hash})`);
  return text;
}
