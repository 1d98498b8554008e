import type { CadreEvent, EventOf } from '../../core/events/event.ts';
import type { AgentId } from '../../core/ids.ts';
import type { TurnEvents } from '../../core/events/journal.ts';
import { causesOfCommit } from './event-codec.ts';
import { isKnownType } from './event-shapes.ts';

/** A stored commit. `body` is cheap to search; `events` decodes it on demand. */
export interface StoredCommit {
  readonly firstSeq: number;
  readonly body: string;
  readonly events: () => readonly CadreEvent[];
}

type TurnStart = EventOf<'turn.start'>;

/*
 * Patterns to search for in encoded commits (event-codec.ts). Keys and codes appear there exactly as here. Text of people and models is
 * escaped, so its quotation marks follow a backslash. A false match costs time but changes no result.
 */
const turnStarts = '"t<"';
/** Agents that start or restart, and the profiles of the run; types without a code keep their name. */
const structure = /"(?:a<|aa|r<|r\+|pu|\.[a-z]+\.[a-z]+)"/;
const structural: ReadonlySet<string> = new Set([
  'run.start',
  'run.resume',
  'profiles.update',
  'agent.start',
  'agent.restart',
] satisfies CadreEvent['type'][]);
/** Inputs and prompts with untrusted text: their part in view depends on everything read before. */
const taint = /"u":true|taint":|untrusted":true/;
/** Results with untrusted text. They leave the view with their messages, unless an agent's text replaces those. */
const untrustedResult = /"j":\{|:"untrusted"/;
/** Text that can replace messages: a summary, or an agent's quotes of others or of itself. */
const otherWords = /"k>"|compaction\.end"|"v":\[|quotes":/;

/**
 * Finds the events that one turn's record needs, decoding no others. Undefined where the turn cannot be separated from the rest of
 * the run.
 *
 * 1. Folding the result with `foldTurn` shows the turn as folding the whole run does.
 * 2. Refuses whatever it cannot prove: an agent that was restarted, a turn without a prompt, or one whose untrusted text may have
 *    arrived through summaries, other agents or state.
 */
export function turnEvents(commits: readonly StoredCommit[], reference: string): TurnEvents | undefined {
  const found = reference === 'last' ? lastTurn(commits) : namedTurn(commits, reference);
  if (found === undefined) return undefined;
  const { start, place } = found;
  const { turnId, agentId, prompt } = start;
  if (prompt === undefined || !turnId.startsWith(`${agentId}.t`)) return undefined;
  const structureEvents = commits.flatMap(({ body, events }) => (structure.test(body) ? events() : []));
  // Left to a reader of the whole run, which refuses events of a later version.
  if (structureEvents.some(({ type }) => !isKnownType(type))) return undefined;
  const frame = structureEvents.filter(({ type }) => structural.has(type));
  const [first] = frame;
  if (first?.type !== 'run.start' || first.imported !== undefined) return undefined;
  if (frame.some((event) => event.type === 'agent.restart' && event.agentId === agentId)) return undefined;
  if (!isSourceInView(commits.slice(0, place + 1), frame, start.seq)) return undefined;
  const before = eventsUpTo(commits, found, prompt.from);
  const own = [...before.events, ...eventsAfter(commits, found)].filter(({ type }) => !structural.has(type));
  const events = [...frame, ...own].toSorted((one, other) => one.seq - other.seq);
  return {
    turnId,
    events,
    beginsWith: before.beginsWith?.turnId,
    causeOf: causesIn(commits),
    eventAt: (seq) => {
      const commit = commitAt(commits, seq);
      return commit?.events()[seq - commit.firstSeq];
    },
  };
}

/** True when the untrusted sources of a prompt are those of the messages it shows. */
function isSourceInView(commits: readonly StoredCommit[], frame: readonly CadreEvent[], before: number): boolean {
  let hasResults = false;
  let hasOtherWords = false;
  for (const { body } of commits) {
    if (taint.test(body)) return false;
    hasResults ||= untrustedResult.test(body);
    hasOtherWords ||= otherWords.test(body);
  }
  if (!hasResults) return true;
  const agents = frame.filter(({ type, seq }) => type === 'agent.start' && seq < before).length;
  return agents === 1 && !hasOtherWords;
}

interface FoundTurn {
  readonly start: TurnStart;
  /** Index of its commit. */
  readonly place: number;
}

function startsIn(commit: StoredCommit | undefined): readonly TurnStart[] {
  return commit?.body.includes(turnStarts) === true ? commit.events().filter((event) => event.type === 'turn.start') : [];
}

function lastTurn(commits: readonly StoredCommit[]): FoundTurn | undefined {
  for (let place = commits.length - 1; place >= 0; place--) {
    const start = startsIn(commits[place]).at(-1);
    if (start !== undefined) return { start, place };
  }
  return undefined;
}

/** Finds a turn by its id, or by an ending that only one turn has. */
function namedTurn(commits: readonly StoredCommit[], reference: string): FoundTurn | undefined {
  const number = /t\d+$/.exec(reference)?.[0];
  if (number === undefined) return undefined;
  const alike = commits.flatMap((commit, place) =>
    commit.body.includes(`${number}"`)
      ? startsIn(commit)
          .filter(({ turnId }) => turnId === reference || turnId.endsWith(`.${reference}`) || turnId.endsWith(`_${reference}`))
          .map((start) => ({ start, place }))
      : [],
  );
  return alike.find(({ start }) => start.turnId === reference) ?? (alike.length === 1 ? alike[0] : undefined);
}

/**
 * Collects what an agent did up to a turn, starting with the last turn that had read everything before the first message in the
 * prompt: from there on each message in view has its turn and each result its call. Without such a turn, starts with the agent's
 * first event.
 */
function eventsUpTo(
  commits: readonly StoredCommit[],
  { start, place }: FoundTurn,
  from: number,
): { readonly events: readonly CadreEvent[]; readonly beginsWith: TurnStart | undefined } {
  const stretches: (readonly CadreEvent[])[] = [];
  for (let index = place; index >= 0; index--) {
    const events = eventsOf(commits[index], start.agentId).filter(({ seq }) => seq <= start.seq);
    const beginsWith = events.findLast(
      (event) => event.type === 'turn.start' && event.seq < start.seq && event.prompt !== undefined && event.prompt.to <= from,
    );
    stretches.unshift(beginsWith === undefined ? events : events.filter(({ seq }) => seq >= beginsWith.seq));
    if (beginsWith?.type === 'turn.start') return { events: stretches.flat(), beginsWith };
  }
  return { events: stretches.flat(), beginsWith: undefined };
}

/** Collects the later events of a turn and its calls, plus its agent's other events until those calls have ended. */
function eventsAfter(commits: readonly StoredCommit[], { start, place }: FoundTurn): readonly CadreEvent[] {
  const { turnId, agentId, seq } = start;
  const rest: CadreEvent[] = [];
  const open = new Set<string>();
  let isOver = false;
  const label = turnId.slice(agentId.length);
  for (let index = place; index < commits.length; index++) {
    const commit = commits[index];
    const isNamed = commit?.body.includes(`${label}"`) === true;
    if (!isNamed && ((isOver && open.size === 0) || commit?.body.includes(nameOf(agentId)) !== true)) continue;
    for (const event of commit?.events() ?? []) {
      const isOwn = ofTurn(event) === turnId;
      if (!isOwn && !isOf(event, agentId)) continue;
      if (event.seq <= seq || (!isOwn && isOver && open.size === 0)) continue;
      rest.push(event);
      if (!isOwn) continue;
      if (event.type === 'turn.end') isOver = true;
      if (event.type === 'tool.request') open.add(event.callId);
      if (event.type === 'tool.end') open.delete(event.callId);
    }
  }
  return rest;
}

/** Returns the turn that an event belongs to. What its model call used may be on record long after its end. */
function ofTurn(event: CadreEvent): string | undefined {
  if (event.type === 'model.reserve') return event.call;
  return 'turnId' in event ? event.turnId : undefined;
}

/** Returns the events of one agent in a commit; skips commits that do not name it. */
function eventsOf(commit: StoredCommit | undefined, agentId: AgentId): readonly CadreEvent[] {
  if (commit?.body.includes(nameOf(agentId)) !== true) return [];
  return commit.events().filter((event) => isOf(event, agentId));
}

function nameOf(agentId: AgentId): string {
  return `"a":${JSON.stringify(agentId)}`;
}

function isOf(event: CadreEvent, agentId: AgentId): boolean {
  return 'agentId' in event && event.agentId === agentId;
}

/** Returns the commit that holds an event, if any does. */
function commitAt(commits: readonly StoredCommit[], seq: number): StoredCommit | undefined {
  let low = 0;
  let high = commits.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((commits[middle]?.firstSeq ?? 0) <= seq) low = middle + 1;
    else high = middle;
  }
  return commits[low - 1];
}

/**
 * Returns a lookup of causes by sequence number, without decoding events. Keeps the latest commit, since each cause precedes its
 * effect.
 */
function causesIn(commits: readonly StoredCommit[]): (seq: number) => number | undefined {
  let at: StoredCommit | undefined;
  let causes: readonly (number | undefined)[] = [];
  return (seq) => {
    const commit = commitAt(commits, seq);
    if (commit !== at) causes = commit === undefined ? [] : causesOfCommit(commit.body, commit.firstSeq);
    at = commit;
    return causes[seq - (commit?.firstSeq ?? 0)];
  };
}
