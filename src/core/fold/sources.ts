import type { EventOf } from '../events/event.ts';
import type { InboxItem } from '../inbox/inbox.ts';
import { isJsonObject, type JsonObject } from '../json.ts';
import { type PromptSources, type SourceMarks, untrustedSources } from '../prompt/prompt-sources.ts';
import type { SubContext } from '../state/sub-context.ts';
import type { RunContext } from '../state/run-context.ts';
import type { TurnInput } from '../state/turn.ts';
import type { TurnState } from '../state/turn-state.ts';

/*
 * Provenance of prompts, for tool gates.
 *
 * Owns: `AgentHistory.sources` and `RunContext.isTainted`; `RunContext.outside` with `state-taint.ts`. Does not own: trust in a source, which
 * inputs carry.
 * 1. A source is in view exactly when one of its messages is, or when only this turn read it.
 * 2. Text that an agent derives from untrusted text is untrusted, too: a summary, a briefing to another agent, its result.
 * 3. In doubt, a text counts as untrusted.
 */

/**
 * True when a turn's input holds text from an untrusted source. The trust in the result of a call is `untrusted` when its tool is, and
 * `passed_on` when its tool passes on untrusted text of state or of other agents, whose sources its item names.
 */
export function isUntrusted(input: Pick<TurnInput, 'untrusted'>, item: InboxItem | undefined): boolean {
  if (input.untrusted === true) return true;
  const trust = resultIn(item)?.['trust'];
  return trust === 'untrusted' || trust === 'passed_on';
}

/** Returns the payload of an item with the result of a call; undefined for other items. */
function resultIn(item: InboxItem | undefined): JsonObject | undefined {
  return item?.source === 'TOOL_RESULT' && isJsonObject(item.payload) ? item.payload : undefined;
}

/** Returns the name of an item's source: the tool's, for the result of a call. */
export function nameOfSource(item: InboxItem): string {
  const name = resultIn(item)?.['tool_name'];
  return typeof name === 'string' ? name : item.source;
}

/** Notes the untrusted sources of an item that arrives. A strategy may distrust its source: that is noted when a turn reads it. */
export function noteArrival({ outside }: Pick<RunContext, 'outside'>, item: InboxItem): void {
  const result = resultIn(item);
  if (item.trust === 'untrusted' || result?.['trust'] === 'untrusted') outside.add(String(result?.['tool_name'] ?? item.source));
  if (item.taint !== undefined) for (const label of item.taint) outside.add(label);
}

/** Inputs of a turn that begins, with the items behind them. */
interface ReadItems {
  readonly start: Pick<EventOf<'turn.start'>, 'inputs' | 'prompt'>;
  readonly items: readonly (InboxItem | undefined)[];
}

/** Marks the sources of a turn's inputs. Call it before their messages are added to the history. */
export function markInputs(run: RunContext, agent: SubContext, { start, items }: ReadItems): PromptSources | undefined {
  const { inputs, prompt } = start;
  const {
    history: { sources },
  } = agent;
  let passing: { readonly label: string; readonly untrusted: boolean }[] | undefined;
  let position = agent.history.released + agent.history.messages.length - 1;
  let inResults = false;
  let index = 0;
  for (const input of inputs) {
    const item = items[index];
    index += 1;
    const result = resultIn(item);
    // The tool of a result that only passes text on is not its source.
    const untrusted = input.untrusted === true || result?.['trust'] === 'untrusted';
    const isResult = input.role === 'tool';
    if (input.persistent && !(isResult && inResults)) position += 1;
    inResults = input.persistent && isResult;
    // Every result is a TOOL_RESULT; its tool determines whether it is untrusted.
    for (const label of labelsOf(run, agent, { input, result })) {
      const isMarked = untrusted && label !== 'TOOL_RESULT';
      if (input.persistent) mark(sources, label, { at: position, untrusted: isMarked, isQuotable: isMarked && !isResult });
      else (passing ??= []).push({ label, untrusted: isMarked });
    }
    if (input.taint !== undefined)
      for (const label of input.taint)
        if (input.persistent) mark(sources, label, { at: position, untrusted: true, isQuotable: !isResult });
        else (passing ??= []).push({ label, untrusted: true });
    if (untrusted || input.taint !== undefined) run.isTainted = true;
    if (input.untrusted === true) run.outside.add(input.source);
    if (input.taint !== undefined) for (const label of input.taint) run.outside.add(label);
  }
  if (prompt?.taint !== undefined) for (const label of prompt.taint) (passing ??= []).push({ label, untrusted: true });
  if (passing === undefined) return undefined;
  const untrusted = passing.filter((source) => source.untrusted).map(({ label }) => label);
  if (untrusted.length > 0) {
    for (const label of untrusted) run.outside.add(label);
    run.isTainted = true;
    const fresh = untrusted.filter((label) => !sources.passed.includes(label));
    if (fresh.length > 0) sources.passed = [...sources.passed, ...new Set(fresh)];
  }
  return { sources: passing.map(({ label }) => label), untrusted };
}

function labelsOf(
  run: RunContext,
  agent: SubContext,
  { input, result }: { readonly input: TurnInput; readonly result: JsonObject | undefined },
): readonly string[] {
  const name = result?.['tool_name'];
  if (typeof name !== 'string') return [input.source];
  const calls = agent.turn.lastId === undefined ? undefined : run.turns.get(agent.turn.lastId)?.calls;
  // Most turns make one call.
  const call = calls?.[0]?.callId === input.callId ? calls?.[0] : calls?.find(({ callId }) => callId === input.callId);
  const toolset = call?.request.toolset;
  return toolset === undefined ? [input.source, name] : [input.source, name, toolset];
}

function mark(
  sources: SourceMarks,
  label: string,
  { at, untrusted, isQuotable }: { readonly at: number; readonly untrusted: boolean; readonly isQuotable: boolean },
): void {
  const known = sources.marks.get(label);
  sources.isStale ||= known === undefined || known.at < sources.shownFrom || (untrusted && known.untrustedAt < sources.shownFrom);
  sources.marks.set(label, {
    at,
    untrustedAt: untrusted ? at : (known?.untrustedAt ?? -1),
    isQuotable: isQuotable || known?.isQuotable === true,
  });
}

/** Returns the sources of the prompt of the turn that begins; the previous turn's list if it is equal. */
export function sourcesInView(agent: SubContext, passing: PromptSources | undefined): PromptSources {
  const {
    history: { sources },
    context: { view },
  } = agent;
  if (!sources.isStale && passing === undefined && view.from === sources.shownFrom) return sources.shown;
  const all = new Set(passing?.sources);
  const untrusted = new Set([...sources.carried, ...(passing?.untrusted ?? [])]);
  for (const [label, { at, untrustedAt }] of sources.marks) {
    if (at >= view.from) all.add(label);
    if (untrustedAt >= view.from) untrusted.add(label);
  }
  const shown = { sources: [...all.union(untrusted)].sort(), untrusted: [...untrusted].sort() };
  if (!isSame(sources.shown, shown)) sources.shown = shown;
  sources.shownFrom = view.from;
  sources.isStale = passing !== undefined;
  return sources.shown;
}

function isSame(a: PromptSources, b: PromptSources): boolean {
  const same = (one: readonly string[], other: readonly string[]): boolean =>
    one.length === other.length && one.every((label, index) => label === other[index]);
  return same(a.sources, b.sources) && same(a.untrusted, b.untrusted);
}

/** Keeps counting untrusted sources in view when a text replaces their messages: all of them, or those that the text may quote. */
export function carryReplacedSources(agent: SubContext, which: 'all' | 'quotable'): void {
  const { marks } = agent.history.sources;
  const kept: string[] = [];
  for (const [label, { untrustedAt, isQuotable }] of marks)
    if (untrustedAt >= agent.context.view.from && (which === 'all' || isQuotable)) kept.push(label);
  carry(agent, kept);
}

/** Passes one agent's sources to another, with a briefing, a message or a result. */
export function passSources(from: SubContext | undefined, to: SubContext | undefined): void {
  if (from !== to) carrySources(from, to);
}

/** Like `passSources`, also from an agent to itself, for its own text that may have left its view. */
export function carrySources(from: SubContext | undefined, to: SubContext | undefined): void {
  if (from !== undefined && to !== undefined) carry(to, untrustedSources(from.history.sources));
}

/** Counts the sources of what an agent will hand in as those of its words: its report shows it to other agents. */
export function carryHandedIn(agent: SubContext): void {
  const handedIn = [...agent.stateTaint].filter(([place]) => /^(?:names of )?deliverables\./.test(place));
  carry(agent, [...new Set(handedIn.flatMap(([, { labels }]) => labels))]);
}

function carry({ history: { sources } }: SubContext, labels: readonly string[]): void {
  const fresh = labels.filter((label) => !sources.carried.includes(label));
  if (fresh.length === 0) return;
  sources.carried = [...sources.carried, ...fresh];
  sources.isStale = true;
}

/** Counts the sources of text that a planner or a rule filled in from state in a turn: gates see them, and what the agent says carries them. */
export function quoteInTurn(run: RunContext, agent: SubContext, turn: TurnState, labels: readonly string[]): void {
  const { sources, untrusted } = turn.sources;
  turn.sources = { sources: sorted([...sources, ...labels]), untrusted: sorted([...untrusted, ...labels]) };
  run.isTainted = true;
  for (const label of labels) run.outside.add(label);
  carry(agent, labels);
}

function sorted(labels: readonly string[]): readonly string[] {
  return [...new Set(labels)].toSorted();
}
