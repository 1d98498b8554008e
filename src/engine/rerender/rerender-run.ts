import type { CadreEvent, EventOf } from '../../core/events/event.ts';
import { applyEvent, startRun } from '../../core/fold/apply-event.ts';
import type { TurnId } from '../../core/ids.ts';
import type { RunContext } from '../../core/state/run-context.ts';
import type { ReadContent } from '../../inspect/read-content.ts';
import { compareTurn, type Differing, hasSamePrompt } from '../../inspect/rerender/compare-turn.ts';
import { sameData } from '../../inspect/rerender/same-data.ts';
import { decidedEvents, turnFacts, type TurnFacts } from '../../inspect/rerender/turn-facts.ts';
import type { BeforeAfter, WholePrompt } from '../../inspect/rerender/rerendered-turn.ts';
import type { CompiledProfile } from '../../core/profile/profile.ts';
import type { DecisionContext } from '../run/decision-context.ts';
import { prepStart } from '../../inspect/rerender/prep-start.ts';
import { follow, type Tried, tryPost, tryPrep, type TriedPrep } from './try-turn.ts';
import type { OfferedTool } from '../../core/model/model.ts';
import { assemblePrompt, headsOf } from '../../core/prompt/prompt.ts';
import { systemTextOf, requiredText } from '../../nodes/prompt/build-system-prompt.ts';
import { readJson } from '../../core/read-json.ts';

/** One recorded turn, decided again. */
export interface RerenderedTurn {
  readonly start: EventOf<'turn.start'>;
  readonly profile: string;
  /** Facts as recorded, and as decided again; `after` is undefined when the agent's profile is gone. */
  readonly before: TurnFacts;
  readonly after: TurnFacts | undefined;
  /** Undefined when nothing differs. */
  readonly difference: Differing | undefined;
  readonly prompts?: BeforeAfter<WholePrompt | undefined>;
  /** True when recorded events did not fit the state that the edited preparation left: its decision is judged on the recorded state. */
  readonly lostState: boolean;
}

/** What rerendering reads besides the events of a run. */
export interface RerenderPorts {
  readonly content: ReadContent;
  /** Returns the context to decide with, for the tools that the run has recorded so far. */
  readonly decisionOf: (run: RunContext) => DecisionContext;
  /** True to keep the whole prompts of turns whose prompt differs. */
  readonly prompts: boolean;
  /** Only these turns, when it is given. */
  readonly includes?: ((turnId: TurnId) => boolean) | undefined;
}

/** A turn that has begun and is not decided yet. */
interface OpenTurn {
  readonly place: number;
  readonly start: EventOf<'turn.start'>;
  readonly prep: readonly CadreEvent[];
  readonly tried: TriedPrep;
  readonly profile: CompiledProfile | undefined;
  readonly prompts: BeforeAfter<WholePrompt | undefined> | undefined;
  /** State that the other preparation left, with the events since; undefined while the recorded state serves. */
  diverged: RunContext | undefined;
  lostState: boolean;
}

/**
 * Decides each recorded turn of a run again with other profiles, and compares. Every turn starts from the recorded history before it and takes
 * the recorded reply, so that each is judged on its own.
 *
 * 1. One fold over the events, in order; a decision is tried on a copy of the state, which is thrown away.
 * 2. When the other preparation left another state (an observer that set a flag), the decision after the reply starts from that state,
 *    with the recorded events in between; otherwise from the recorded one.
 */
export function rerenderRun(events: readonly CadreEvent[], ports: RerenderPorts): readonly RerenderedTurn[] {
  const [first] = events;
  if (first?.type !== 'run.start') return [];
  const run = startRun(first);
  const starts = new Map<number, number>();
  events.forEach((event, index) => {
    if (event.type === 'turn.start' && event.prompt !== undefined && ports.includes?.(event.turnId) !== false)
      starts.set(prepStart(events, index), index);
  });
  const open = new Map<TurnId, OpenTurn>();
  const turns: RerenderedTurn[] = [];
  const close = (turn: OpenTurn, from: number | undefined): void => {
    open.delete(turn.start.turnId);
    turns[turn.place] = finish(ports, run, turn, from === undefined ? undefined : { events, from });
  };
  let place = 0;
  for (let index = 1; index < events.length; index++) {
    const startIndex = starts.get(index);
    if (startIndex !== undefined) {
      // The preparation's events are skipped for its own copy; they are neighbours, so no other turn begins among them.
      const prep = events.slice(index, startIndex);
      const begun = tryTurn(ports, run, prep, events[startIndex] as EventOf<'turn.start'>, place++);
      for (; index <= startIndex; index++) applyTo(run, open, events[index]);
      index = startIndex;
      const turn = ports.prompts ? withPrompts(ports, run, begun) : begun;
      open.set(turn.start.turnId, turn);
      continue;
    }
    const event = events[index];
    applyTo(run, open, event);
    if (event?.type === 'model.end' || event?.type === 'turn.end') {
      const turn = open.get(event.turnId);
      if (turn !== undefined) close(turn, event.type === 'model.end' ? index + 1 : undefined);
    }
  }
  for (const turn of [...open.values()]) close(turn, undefined);
  return turns;
}

function applyTo(run: RunContext, open: ReadonlyMap<TurnId, OpenTurn>, event: CadreEvent | undefined): void {
  if (event === undefined) return;
  applyEvent(run, event);
  for (const turn of open.values()) {
    if (turn.diverged === undefined || follow(turn.diverged, event)) continue;
    turn.diverged = undefined;
    turn.lostState = true;
  }
}

function tryTurn(
  ports: RerenderPorts,
  run: RunContext,
  prep: readonly CadreEvent[],
  start: EventOf<'turn.start'>,
  place: number,
): OpenTurn {
  const decision = ports.decisionOf(run);
  const name = run.agents.get(start.agentId)?.meta.profile ?? '';
  const profile = decision.env.profiles.get(name);
  const nothing = { run, events: [], texts: new Map(), prep: [], start: undefined, notBegun: goneText(name) };
  let isOther = false;
  const keeps = (made: TriedPrep): boolean => {
    isOther = made.start !== undefined && !isSameState(prep, start, made);
    return isOther || ports.prompts;
  };
  const tried: TriedPrep = profile === undefined ? nothing : tryPrep(run, decision, start, keeps);
  const diverged = isOther ? tried.run : undefined;
  return { place, start, prep, tried, profile, prompts: undefined, diverged, lostState: false };
}

function goneText(name: string): string {
  return `there is no profile '${name}' any more`;
}

/** True when two preparations leave the same state, apart from texts that only the model reads. */
function isSameState(prep: readonly CadreEvent[], start: EventOf<'turn.start'>, tried: TriedPrep): boolean {
  if (tried.start === undefined) return false;
  const state = ({ inputs, observers, limit, prompt }: EventOf<'turn.start'>): unknown => {
    const { from, to, head, taint, toolChoice } = prompt ?? {};
    return [inputs, observers, limit, from, to, head, taint, toolChoice];
  };
  return sameData(state(start), state(tried.start)) && sameData(prep, tried.prep, causes);
}

/** Edited observers may change what an event is said to follow from, and nothing else about it. */
const causes: ReadonlySet<string> = new Set(['cause']);

/** Adds the whole prompts, when they are not the same. `run` has the recorded `turn.start`. */
function withPrompts({ content }: RerenderPorts, run: RunContext, turn: OpenTurn): OpenTurn {
  const { start, tried, prep, profile } = turn;
  const [before, after] = [turnFacts({ prep, start, post: [] }), turnFacts({ ...tried, post: [] })];
  const difference = compareTurn({ facts: before, content }, { facts: after, content: contentOf(content, tried) }, profile);
  if (hasSamePrompt(difference)) return turn;
  return {
    ...turn,
    prompts: {
      before: wholePrompt(run, start, content),
      after: tried.start === undefined ? undefined : wholePrompt(tried.run, tried.start, contentOf(content, tried)),
    },
  };
}

function contentOf(content: ReadContent, ...tried: readonly Tried[]): ReadContent {
  return (hash) => tried.find(({ texts }) => texts.has(hash))?.texts.get(hash) ?? content(hash);
}

function finish(
  ports: RerenderPorts,
  run: RunContext,
  { start, prep, tried, profile, prompts, diverged, lostState }: OpenTurn,
  after: { readonly events: readonly CadreEvent[]; readonly from: number } | undefined,
): RerenderedTurn {
  const { content } = ports;
  const end = after?.events[after.from - 1];
  const post = after === undefined ? undefined : decidedEvents(after.events, after.from, start.turnId);
  const before = turnFacts({ prep, start, post });
  const rest = {
    start,
    profile: run.agents.get(start.agentId)?.meta.profile ?? '',
    before,
    lostState,
    ...(prompts === undefined ? {} : { prompts }),
  };
  if (profile === undefined || tried.start === undefined)
    return { ...rest, after: undefined, difference: { start: tried.notBegun ?? '' } };
  const again =
    end?.type === 'model.end' && end.error?.code !== 'MODEL_INTERRUPTED'
      ? tryPost(run, ports.decisionOf(run), end, diverged)
      : undefined;
  const facts = turnFacts({
    ...tried,
    post: again === undefined ? undefined : decidedEvents(again.events, 0, start.turnId),
  });
  const version = { facts, content: contentOf(content, tried, ...(again === undefined ? [] : [again])) };
  return { ...rest, after: facts, difference: compareTurn({ facts: before, content }, version, profile) };
}

/** Returns the prompt of a turn as a model gets it, from a state that has its `turn.start`. */
function wholePrompt(
  run: RunContext,
  { agentId, inputs, prompt }: EventOf<'turn.start'>,
  content: ReadContent,
): WholePrompt | undefined {
  const agent = run.agents.get(agentId);
  if (agent === undefined || prompt === undefined) return undefined;
  const systemText = systemTextOf(requiredText(content, prompt.system, 'how a system prompt was made'), content);
  const heads = headsOf(prompt).map(({ head }) => requiredText(content, head, 'what stands for messages that are left out'));
  return {
    messages: assemblePrompt({ systemText, history: agent.history, range: prompt, inputs, heads }),
    tools: readJson(requiredText(content, prompt.tools, 'the tools')) as readonly OfferedTool[],
    toolChoice: prompt.toolChoice ?? 'auto',
  };
}
