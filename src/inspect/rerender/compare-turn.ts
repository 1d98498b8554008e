import { contentText } from '../../core/prompt/message.ts';
import { isJsonObject, type JsonValue } from '../../core/json.ts';
import { beforeAfter } from '../../core/patches/state-changes.ts';
import type { DecidedAction } from '../../core/events/turn-parts.ts';
import type { SegmentRecord, TurnInput, TurnPrompt } from '../../core/state/turn.ts';
import type { ContentHash } from '../../core/ids.ts';
import { oneLine } from '../../core/events/one-line.ts';
import { readList, type ReadContent } from '../read-content.ts';
import { align } from '../turn/align.ts';
import { diffLines } from '../turn/diff-lines.ts';
import type { ProfileFacts } from '../turn/profile-facts.ts';
import type { BeforeAfter, ChangedText, DecisionView, TurnDifference, TurnPart } from './rerendered-turn.ts';
import { sameData } from './same-data.ts';
import type { CallVerdict, TurnFacts } from './turn-facts.ts';

/** One version of a turn, with its texts. */
export interface TurnVersion {
  readonly facts: TurnFacts;
  readonly content: ReadContent;
}

/** The parts of a `TurnDifference` that a comparison finds. */
export type Differing = Omit<TurnDifference, 'runId' | 'turnId' | 'agentId' | 'profile' | 'seq' | 'parts' | 'prompts'>;

/** Compares two versions of a turn; undefined when nothing differs that a model, a person or the flow could notice. */
export function compareTurn(before: TurnVersion, after: TurnVersion, profile: ProfileFacts | undefined): Differing | undefined {
  const found: Differing = after.facts.begins
    ? {
        ...comparePrompts(before, after, profile),
        ...differing('observers', firedOf(before.facts), firedOf(after.facts)),
        ...(sameData(before.facts.items, after.facts.items) ? {} : differing('items', itemsOf(before.facts), itemsOf(after.facts))),
        ...(sameData(before.facts.changes, after.facts.changes)
          ? {}
          : differing('state', changesOf(before.facts), changesOf(after.facts))),
        ...differing('decision', decisionOf(before.facts.action), decisionOf(after.facts.action)),
        ...compareGates(before.facts.calls, after.facts.calls),
      }
    : { start: after.facts.limit ?? 'it would not have begun' };
  return Object.keys(found).length === 0 ? undefined : found;
}

const partNames: Readonly<Record<keyof Differing, TurnPart>> = {
  start: 'start',
  systemPrompt: 'system prompt',
  messages: 'messages',
  history: 'history',
  tools: 'tools',
  toolChoice: 'tool choice',
  observers: 'observers',
  items: 'items',
  state: 'state',
  decision: 'decision',
  gates: 'gates',
};

/** Names the parts that differ. */
export function partsOf(found: Differing): readonly TurnPart[] {
  return (Object.keys(partNames) as (keyof Differing)[]).flatMap((key) => (found[key] === undefined ? [] : [partNames[key]]));
}

/** True when the prompts of two versions are the same for a model. */
export function hasSamePrompt(found: Differing | undefined): boolean {
  return partsOf(found ?? {}).every((part) => !promptParts.has(part));
}

const promptParts: ReadonlySet<TurnPart> = new Set(['start', 'system prompt', 'messages', 'history', 'tools', 'tool choice']);

/** The pair under a key, when the two are not the same. */
function differing<Key extends string, Value>(key: Key, before: Value, after: Value): { readonly [K in Key]?: BeforeAfter<Value> } {
  const none: { [K in Key]?: BeforeAfter<Value> } = {};
  return sameData(before, after) ? none : { ...none, [key]: { before, after } };
}

function comparePrompts(before: TurnVersion, after: TurnVersion, profile: ProfileFacts | undefined): Differing {
  const [a, b] = [before.facts.prompt, after.facts.prompt];
  if (a === undefined || b === undefined) return {};
  const system = a.system === b.system ? [] : compareSegments(segmentsOf(a.system, before), segmentsOf(b.system, after), profile);
  const messages = compareInputs(before.facts.inputs, after.facts.inputs);
  return {
    ...(system.length === 0 ? {} : { systemPrompt: system }),
    ...(messages.length === 0 ? {} : { messages }),
    ...differing('history', historyText(a, before.content), historyText(b, after.content)),
    ...(a.tools === b.tools ? {} : compareTools(toolsOf(a.tools, before), toolsOf(b.tools, after))),
    ...differing('toolChoice', choiceText(a), choiceText(b)),
  };
}

interface SegmentText {
  readonly id: string;
  readonly type: string;
  readonly text: string;
  readonly error?: string;
}

function segmentsOf(hash: ContentHash, { content }: TurnVersion): readonly SegmentText[] {
  return readList(content, hash).flatMap((value) => {
    const record = value as SegmentRecord;
    const text = record.hash === undefined ? '' : (content(record.hash) ?? '');
    const error = record.error?.message;
    // A segment that shows nothing is not in the prompt.
    return text === '' && error === undefined
      ? []
      : [{ id: record.id, type: record.type, text, ...(error === undefined ? {} : { error }) }];
  });
}

function compareSegments(
  before: readonly SegmentText[],
  after: readonly SegmentText[],
  profile: ProfileFacts | undefined,
): readonly ChangedText[] {
  const sources = new Map(profile?.segments.map(({ id, source }) => [id, source]));
  const earlier = new Map(before.map((segment) => [segment.id, segment]));
  const later = new Map(after.map((segment) => [segment.id, segment]));
  return align(before, after, ({ id }) => id).flatMap((step): readonly ChangedText[] => {
    const a = step.kind === 'added' ? undefined : step.a;
    const b = step.kind === 'removed' ? undefined : step.b;
    const { id, type: kind } = step.kind === 'removed' ? step.a : step.b;
    const source = sources.get(id);
    const error = b?.error;
    const rest = { name: id, kind, ...(source === undefined ? {} : { source }), ...(error === undefined ? {} : { error }) };
    if (step.kind === 'same') {
      if (a?.text === b?.text && a?.error === b?.error) return [];
      return [{ change: 'changed', ...rest, lines: diffLines(a?.text ?? '', b?.text ?? '') }];
    }
    // A segment that is in both and not aligned has moved: it is listed once, at its new place.
    if (step.kind === 'added' && earlier.has(id))
      return [{ change: 'moved', ...rest, lines: diffLines(earlier.get(id)?.text ?? '', step.b.text) }];
    if (step.kind === 'removed' && later.has(id)) return [];
    const lines = diffLines(a?.text ?? '', b?.text ?? '').filter(({ text, kind: line }) => text !== '' || line === 'same');
    return [{ change: step.kind === 'added' ? 'added' : 'removed', ...rest, lines }];
  });
}

/** What of an input reaches the model. */
function shownInput(input: TurnInput): JsonValue {
  const { source, mode, role, persistent, content, isError = false, wireName = '', callId = '' } = input;
  return [source, mode, role, persistent, content as JsonValue, isError, wireName, callId];
}

function compareInputs(before: readonly TurnInput[], after: readonly TurnInput[]): readonly ChangedText[] {
  const key = (input: TurnInput): string => JSON.stringify(shownInput(input));
  if (sameData(before.map(shownInput), after.map(shownInput))) return [];
  const steps = align(before, after, key).filter(({ kind }) => kind !== 'same');
  const removed = steps.flatMap((step) => (step.kind === 'removed' ? [step.a] : []));
  const changed = steps.flatMap((step): readonly ChangedText[] => {
    if (step.kind !== 'added') return [];
    const place = removed.findIndex(({ source, callId }) => source === step.b.source && callId === step.b.callId);
    const [earlier] = place < 0 ? [] : removed.splice(place, 1);
    return [changedInput(earlier, step.b)];
  });
  return [...changed, ...removed.map((input) => changedInput(input, undefined))];
}

function changedInput(before: TurnInput | undefined, after: TurnInput | undefined): ChangedText {
  const { source = '', ingestor = '' } = after ?? before ?? {};
  const [a, b] = [before, after].map((input) => (input === undefined ? '' : contentText(input.content)));
  return {
    change: before === undefined ? 'added' : after === undefined ? 'removed' : a === b ? 'moved' : 'changed',
    name: source,
    kind: before !== undefined && before.ingestor !== ingestor ? `${before.ingestor} → ${ingestor}` : ingestor,
    lines: diffLines(a ?? '', b ?? '').filter(({ text, kind }) => text !== '' || kind === 'same'),
  };
}

function historyText({ from, head, earlier = [], stream }: TurnPrompt, content: ReadContent): string {
  const heads = [...earlier.map((each) => each.head), ...(head === undefined ? [] : [head])];
  const texts = heads.map((hash) => oneLine(content(hash) ?? hash));
  const begins = from === 0 ? 'from its first message' : `from message ${from}`;
  const form = stream === undefined ? '' : `, as a stream of events (in full from event ${stream.full})`;
  return `${begins}${form}${texts.length === 0 ? '' : `, behind: ${texts.join('; ')}`}`;
}

type ToolText = readonly [name: string, text: string];

function toolsOf(hash: ContentHash, { content }: TurnVersion): readonly ToolText[] {
  return readList(content, hash).flatMap((tool) =>
    isJsonObject(tool) ? [[String(tool['name']), JSON.stringify(tool)] as const] : [],
  );
}

function compareTools(before: readonly ToolText[], after: readonly ToolText[]): Pick<Differing, 'tools'> {
  const [a, b] = [new Map(before), new Map(after)];
  const tools = {
    added: [...b.keys()].filter((name) => !a.has(name)),
    removed: [...a.keys()].filter((name) => !b.has(name)),
    changed: [...b].filter(([name, text]) => a.has(name) && a.get(name) !== text).map(([name]) => name),
  };
  return { tools };
}

function choiceText({ toolChoice = 'auto', protocol }: TurnPrompt): string {
  return protocol === undefined ? toolChoice : `${toolChoice}, in the protocol ${protocol}`;
}

function firedOf({ observers }: TurnFacts): readonly string[] {
  return observers.flatMap(({ id, phase, fired, tools, error }) => {
    if (error !== undefined) return [`${id} (${phase}) failed: ${error.message}`];
    return fired ? [`${id} (${phase})${tools === undefined ? '' : ` ${JSON.stringify(tools)}`}`] : [];
  });
}

function itemsOf({ items }: TurnFacts): readonly string[] {
  return items.map(({ to, source, by, payload }) => `${source} to ${to} by ${by}: ${JSON.stringify(payload)}`);
}

function changesOf({ changes }: TurnFacts): readonly string[] {
  return changes.map((change) => `${change.path} ${beforeAfter({ ...change, seq: 0 })} by ${change.by ?? 'the engine'}`);
}

/** Says an action in a form that two versions can be compared in. */
function decisionOf(action: DecidedAction | undefined): DecisionView | undefined {
  if (action === undefined) return undefined;
  const { type, ruleId, outcome, call, ...rest } = action;
  const detail = { ...rest, ...(call === undefined ? {} : { call: { name: call.name, input: call.input } }) };
  return {
    action: type,
    ...(ruleId === undefined ? {} : { ruleId }),
    ...(outcome === undefined ? {} : { outcome }),
    ...(Object.keys(detail).length === 0 ? {} : { detail }),
  };
}

function compareGates(before: readonly CallVerdict[], after: readonly CallVerdict[]): Pick<Differing, 'gates'> {
  const [a, b] = [before, after].map((calls) => new Map(calls.map((call) => [call.callId, call])));
  const ids = new Set([...before, ...after].map(({ callId }) => callId));
  const gates = [...ids].flatMap((callId) => {
    const pair = { before: a?.get(callId), after: b?.get(callId) };
    return sameData(pair.before, pair.after) ? [] : [pair];
  });
  return gates.length === 0 ? {} : { gates };
}
