import { CadreError, describeThrown } from '../../core/error.ts';
import { type CadreEvent, describeEvent, checkEvent } from '../../core/events/event.ts';
import { foldEvents } from '../../core/fold/apply-event.ts';
import type { ContentHash, TurnId } from '../../core/ids.ts';
import { isJsonObject, type JsonObject, type JsonValue, isDeeperThan } from '../../core/json.ts';
import { bundleFormat, bundleVersion, contentOf, type RunBundle } from '../bundle.ts';
import { contentRefs } from '../content-refs.ts';
import { type PlainProfileFacts, fromPlainFacts } from '../turn/profile-facts.ts';
import { runOverview } from '../run-overview.ts';
import { areFacts, checkFacts } from './facts-check.ts';
import type { RunContext } from '../../core/state/run-context.ts';
import { board } from '../board.ts';
import { conversation } from '../conversation.ts';
import { formatTurn } from '../format/turn/format-turn.ts';
import type { ReadContent } from '../read-content.ts';
import { timeline } from '../timeline/timeline.ts';
import { tree } from '../tree.ts';
import { turnList } from '../turn-list.ts';
import { toTurnRecord } from '../turn/turn-record.ts';
import { readJson } from '../../core/read-json.ts';

/** Limits for reading: characters, events, and nesting depth. */
export const bundleLimits = { chars: 256 * 1024 * 1024, events: 500_000, depth: 256 } as const;

/** Options for reading a bundle. */
export interface ReadBundleOptions {
  /** Hashes a text as the engine does; each text must match its recorded hash. */
  readonly hash: (text: string) => ContentHash;
  /** Name of the input, for error messages. */
  readonly source: string;
}

type Complain = (what: string, place?: string) => CadreError;

/**
 * Reads a bundle and trusts nothing in it: each event must have the shape of its type, sequence numbers must be without gaps, each
 * text must match its hash, and all views must build. Drops data the run does not refer to, and recomputes derived data. Fails with
 * BUNDLE_INVALID, naming the place.
 */
export function readBundle(text: string, { hash, source }: ReadBundleOptions): RunBundle {
  const say: Complain = (what, place = '') =>
    new CadreError('BUNDLE_INVALID', `${source}: ${what}`, { details: { source, ...(place === '' ? {} : { place }) } });
  const value = parse(text, say);
  checkHead(value, say);
  const { engineVersion, exportedAt, redacted } = value;
  if (typeof engineVersion !== 'string') throw say('engineVersion must be a text', 'engineVersion');
  if (typeof exportedAt !== 'number' || Math.abs(exportedAt) > 8.64e15)
    throw say('exportedAt must be a time in milliseconds since 1970', 'exportedAt');
  if (typeof redacted !== 'boolean') throw say('redacted must be true or false', 'redacted');
  const events = readEvents(value['events'], say);
  const records = { events, contents: readContents(value['contents'], hash, say), profiles: readFacts(value['profiles'], say) };
  const content = contentOf(records);
  const wanted = contentRefs(events, content);
  const contents = Object.fromEntries(Object.entries(records.contents).filter(([key]) => wanted.has(key as ContentHash)));
  const run = rehearse(events, () => {
    const state = foldEvents(events, 'everything');
    if (state === undefined) throw new CadreError('BUNDLE_INVALID', 'there is no run.start');
    rehearseViews(state, events, content, records.profiles);
    return runOverview(state);
  });
  return { format: bundleFormat, version: bundleVersion, engineVersion, exportedAt, redacted, run, ...records, contents };

  /** Catches events that are valid one by one but contradict each other. */
  function rehearse<Result>(of: readonly CadreEvent[], work: () => Result): Result {
    try {
      return work();
    } catch (thrown) {
      throw say(`the ${of.length} events contradict each other, so that no view can be made of them: ${describeThrown(thrown)}`);
    }
  }
}

function parse(text: string, say: Complain): JsonObject {
  if (text.length > bundleLimits.chars) throw say(`this is ${text.length} characters long; up to ${bundleLimits.chars} are read`);
  let value: JsonValue;
  try {
    value = readJson(text) as JsonValue;
  } catch (thrown) {
    throw say(`this is no JSON (${describeThrown(thrown)}); was the file cut? Export the run again`);
  }
  if (isDeeperThan(value, bundleLimits.depth)) throw say(`something in it is nested deeper than ${bundleLimits.depth} levels`);
  if (!isJsonObject(value)) throw say('this is no JSON object; a bundle is made with: cadre export RUN -o run.json');
  return value;
}

function checkHead({ format, version }: JsonObject, say: Complain): void {
  if (format !== bundleFormat)
    throw say(
      `this is no run: its "format" is not "${bundleFormat}"; a bundle is made with: cadre export RUN -o run.json`,
      'format',
    );
  if (version === bundleVersion) return;
  const advice = typeof version === 'number' && version > bundleVersion ? 'update Cadre to read it' : 'export the run again';
  throw say(`the bundle is of version ${short(version)}, and this program reads version ${bundleVersion}; ${advice}`, 'version');
}

function readEvents(value: JsonValue | undefined, say: Complain): readonly CadreEvent[] {
  if (!Array.isArray(value) || value.length === 0) throw say('events must be a list with at least one event', 'events');
  if (value.length > bundleLimits.events)
    throw say(`there are ${value.length} events; up to ${bundleLimits.events} are read`, 'events');
  const events = value as readonly CadreEvent[];
  const [first] = events;
  const begun = { agents: new Set<string>(), turns: new Set<string>() };
  for (const [index, event] of events.entries()) {
    const place = `events[${index}]`;
    const problem = checkEvent(event);
    if (problem !== undefined) throw say(`${place}${problem.path} must be ${problem.wanted}`, `${place}${problem.path}`);
    if (event.seq !== index + 1) throw say(`${place}.seq is ${event.seq} where ${index + 1} follows; is an event missing?`, place);
    if (event.runId !== first?.runId) throw say(`${place} is of another run than the first event`, place);
    if ((event.type === 'run.start') !== (index === 0)) throw say(`${place}: run.start, and it alone, is the first event`, place);
    if (event.cause !== undefined && (event.cause < 1 || event.cause >= event.seq))
      throw say(`${place}.cause is ${event.cause}, which is no event before it`, `${place}.cause`);
    if (event.type === 'agent.start' && !addNew(begun.agents, event.agentId))
      throw say(`${place} starts ${event.agentId} a second time`, place);
    if (event.type === 'turn.start' && !addNew(begun.turns, event.turnId))
      throw say(`${place} starts the turn ${event.turnId} a second time`, place);
  }
  return events;
}

function addNew(known: Set<string>, id: string): boolean {
  if (known.has(id)) return false;
  known.add(id);
  return true;
}

function readContents(value: JsonValue | undefined, hash: (text: string) => ContentHash, say: Complain): Record<string, string> {
  if (!isJsonObject(value)) throw say('contents must be an object of texts by their hash', 'contents');
  const contents: Record<string, string> = {};
  for (const [key, text] of Object.entries(value)) {
    const place = `contents.${key.slice(0, 60)}`;
    if (typeof text !== 'string') throw say(`${place} must be a text`, place);
    if (hash(text) !== key) throw say(`${place} is not the text of this hash: it was changed after it was exported`, place);
    contents[key] = text;
  }
  return contents;
}

function readFacts(value: JsonValue | undefined, say: Complain): Readonly<Record<string, PlainProfileFacts>> {
  if (areFacts(value)) return value;
  const problem = checkFacts(value);
  throw say(`profiles${problem?.path ?? ''} must be ${problem?.wanted ?? 'facts'}`, `profiles${problem?.path ?? ''}`);
}

function short(value: unknown): string {
  return (JSON.stringify(value) ?? 'nothing').slice(0, 60);
}

/**
 * Builds every view of a run once and discards it, to find faults before anything is stored: events from outside may each be valid,
 * yet contradict each other. For each agent, the prompt of the last turn includes the earlier ones.
 */
function rehearseViews(
  run: RunContext,
  events: readonly CadreEvent[],
  content: ReadContent,
  plain: Readonly<Record<string, PlainProfileFacts>>,
): void {
  for (const view of [board, conversation, timeline, tree, turnList]) view(run);
  for (const event of events) describeEvent(event);
  const profiles = new Map(Object.entries(plain).map(([name, facts]) => [name, fromPlainFacts(facts)]));
  const last = new Map<string, TurnId>();
  for (const turn of run.turns.values()) last.set(turn.agentId, turn.turnId);
  for (const turn of run.turns.values()) {
    const record = toTurnRecord(run, turn, content, profiles);
    if (last.get(turn.agentId) === turn.turnId) formatTurn(record);
    else void [record.systemPrompt, record.tools];
  }
}
