import { type EscalationStep, type Streak, streaks } from './escalation.ts';
import { usesModel, type CompiledProfile } from './profile.ts';

/** What a turn of some profiles has to do, beside what every turn does: a named step, and whether a profile needs it. */
const needs = {
  /** Summarises old messages before the turn. */
  compaction: (profile) => profile.contextPolicy.compaction !== undefined && usesModel(profile),
  observersBefore: ({ preTurnObservers }) => preTurnObservers.length > 0,
  observersAfter: ({ postTurnObservers }) => postTurnObservers.length > 0,
  checkpoints: ({ checkpoints }) => checkpoints.length > 0,
  /** Shows the history of other agents, and may begin prompts at the current task. */
  peerHistory: ({ contextPolicy }) => contextPolicy.visibility !== undefined,
  /** Cuts long inputs and replies. */
  cuts: ({ contextPolicy }) => Object.keys(contextPolicy.truncate).length > 0,
  /** Adds texts to the system prompt that no segment declares, besides those of a text protocol. */
  sections: ({ output, planner }) => output !== undefined || (planner?.type === 'script' && planner.guidedWhen !== undefined),
  /** Renders the system prompt again: some segment may read state. */
  livePrompt: ({ segments }) => !segments.every(isFixed),
  /** Moves the start of the view to keep a window or a number of tokens. */
  bounds: ({ contextPolicy }) => contextPolicy.window > 0 || contextPolicy.maxTokens !== undefined,
  /** Shows the history as a stream of events. */
  stream: ({ contextPolicy }) => contextPolicy.rendering !== undefined,
  /** Is answered by a function or a planner, at least at times. */
  withoutModel: ({ functionNode, planner }) => functionNode !== undefined || planner !== undefined,
  /** Checks the final answer against a schema. */
  output: ({ output }) => output !== undefined,
} as const satisfies Readonly<Record<string, (profile: CompiledProfile) => boolean>>;

/** Name of a step that only some profiles need. */
export type TurnStep = keyof typeof needs;

/** The steps that the turns of a profile need: what it does not use is not on their path. */
export interface TurnPlan extends Readonly<Record<TurnStep, boolean>> {
  /** Shortest streaks that its escalation reacts to: until an agent reaches one of them, there is nothing to escalate. */
  readonly escalation: readonly Pick<EscalationStep, 'on' | 'at'>[];
}

// Pure cache: keyed by a compiled profile, which never changes.
let plans = new WeakMap<CompiledProfile, TurnPlan>();
// Not state of a run: how plans are made, which only a test changes.
let make: (profile: CompiledProfile) => TurnPlan = planTurn;

/** Returns the plan of a profile, made once. */
export function planOf(profile: CompiledProfile): TurnPlan {
  let plan = plans.get(profile);
  if (plan === undefined) {
    plan = make(profile);
    plans.set(profile, plan);
  }
  return plan;
}

/** Makes plans in another way from here on: for the test that compares them with those of every step. */
export function makePlansBy(maker: (profile: CompiledProfile) => TurnPlan): void {
  make = maker;
  plans = new WeakMap();
}

/**
 * Makes the plan of a profile. With `isWhole` it has every step, needed or not: each of them does nothing for a profile that does not need
 * it, so that both plans decide alike.
 */
export function planTurn(profile: CompiledProfile, isWhole = false): TurnPlan {
  const steps = Object.entries(needs).map(([step, isNeeded]) => [step, isWhole || isNeeded(profile)] as const);
  const escalation = isWhole ? streaks.map((on) => ({ on, at: 0 })) : firstRungs(profile.stagnation);
  return { ...(Object.fromEntries(steps) as Record<TurnStep, boolean>), escalation };
}

/** Returns the lowest step of each streak. */
function firstRungs(ladder: readonly EscalationStep[]): TurnPlan['escalation'] {
  const first = new Map<Streak, number>();
  for (const { on, at } of ladder) first.set(on, Math.min(at, first.get(on) ?? at));
  return [...first].map(([on, at]) => ({ on, at }));
}

/** True for a segment whose text depends on nothing but the agent's tools. */
function isFixed({ type, condition, content }: CompiledProfile['segments'][number]): boolean {
  if (condition !== undefined) return false;
  return type === 'tool_description' || (type === 'static_text' && content?.constant !== false);
}
