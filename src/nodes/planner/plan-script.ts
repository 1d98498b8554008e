import { readPath } from '../../core/expression/read-path.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json.ts';
import type { PlannerStep, ScriptPlanner } from '../../core/profile/planner.ts';
import { failure, failureText, lastResults, type PlannerDecision, type PlanView } from './plan.ts';
import type { PlannedResult } from './planner-memory.ts';
import { agentScope } from '../../core/state/agent-scope.ts';
import type { Quote } from '../../core/expression/quote.ts';
import type { TurnContext } from '../../core/turn-context.ts';
import { stateQuotes } from '../../core/untrusted/quote-state.ts';
import type { Labels } from '../../core/untrusted/taint.ts';
import { trusted } from '../../core/untrusted/watch-scope.ts';
import { givenRoot } from './quoting-view.ts';

/** Maximum number of steps in a script from outside the profile. */
const mostSteps = 100;

/** Follows a script: one step per turn, in order, up to the first that fails. */
export function planByScript(planner: ScriptPlanner, view: PlanView): PlannerDecision {
  const steps = stepsOf(planner, view);
  if (typeof steps === 'string') return failure(steps, 'the script cannot be followed');
  if (steps.length === 0) return withoutSteps(planner, view);
  if (planner.guidedWhen?.test(view.scope()) === true) return { kind: 'model', why: 'the script is advice' };
  const missing = steps.find(({ tool }) => !view.hasTool(tool));
  if (missing !== undefined && view.memory.turns.length === 0)
    return failure(
      `step '${missing.id}' calls '${missing.tool}', which is no tool of this agent; nothing was run`,
      'the script is checked',
    );
  const [last] = lastResults(view.memory);
  const at = steps.findIndex(({ id }) => id === last?.id);
  const made = steps[at];
  if (last !== undefined && made !== undefined && planner.stopsOnError && isFailed(made, last, view))
    return failure(
      `step '${made.id}' (${at + 1} of ${steps.length}) failed: ${last.ok ? 'its result is not what was expected' : failureText(last)}`,
      `step '${made.id}' failed`,
    );
  return nextStep(planner, steps, at + 1, view);
}

/** The steps of a planner: those it declares, or those it was handed; words when they are none that could be followed. */
function stepsOf(planner: ScriptPlanner, view: Pick<PlanView, 'read'>): readonly PlannerStep[] | string {
  if (planner.stepsFrom === undefined) return planner.steps;
  const given = view.read(planner.stepsFrom) as JsonValue;
  if (given === null) return [];
  if (!Array.isArray(given)) return `${planner.stepsFrom} is no list of steps`;
  if (given.length > mostSteps) return `${planner.stepsFrom} has ${given.length} steps; ${mostSteps} are the most`;
  const grouped = groupByWorker(given as readonly JsonValue[]);
  const wrong = grouped.findIndex((step) => !isJsonObject(step) || typeof step['tool'] !== 'string');
  if (wrong >= 0) return `step ${wrong + 1} of ${planner.stepsFrom} names no tool`;
  return grouped.filter(isJsonObject).map(toStep);
}

/** A step as it was handed over: its arguments are data, and no expression in them is read. */
function toStep(step: JsonObject, index: number): PlannerStep {
  const args = isJsonObject(step['args']) ? step['args'] : {};
  const { notes } = step;
  return {
    id: `step_${index + 1}`,
    tool: String(step['tool']),
    args: { constant: false, build: (_, quote) => (quote === undefined ? args : givenArgs(step, args, quote)) },
    keepsAgent: false,
    ...(typeof notes === 'string' ? { notes } : {}),
  };
}

/** Quotes arguments that come from elsewhere, one by one; of a call of a worker, only the script that it is handed. */
function givenArgs(step: JsonObject, args: JsonObject, quote: Quote): JsonObject {
  const watch = quote({ [givenRoot]: args }, '');
  const given = watch.scope[givenRoot] as JsonObject;
  const quoted = (key: string): JsonValue => watch.data(given[key]) as JsonValue;
  if (callsOfWorkers.has(step)) return { ...args, data: quoted('data') };
  return Object.fromEntries(Object.keys(args).map((key) => [key, quoted(key)]));
}

function isFailed(step: PlannerStep, result: PlannedResult, view: PlanView): boolean {
  return !result.ok || step.expect?.test(view.scope()) === false;
}

function nextStep(planner: ScriptPlanner, steps: readonly PlannerStep[], from: number, view: PlanView): PlannerDecision {
  const next = steps.findIndex((step, index) => index >= from && step.condition?.test(view.scope()) !== false);
  const step = steps[next];
  if (step === undefined) return finished(planner, view);
  const call = { id: step.id, iteration: 1, tool: step.tool, ...view.args(step) };
  return { kind: 'call', calls: [call], why: `step '${step.id}', ${next + 1} of ${steps.length}` };
}

function finished({ answer }: ScriptPlanner, view: PlanView): PlannerDecision {
  const why = 'the script is at its end';
  if (answer !== undefined) return { kind: 'say', text: view.fill(answer), why };
  const results = view.memory.turns.flat();
  const steps = results.map(({ id, tool, ok, content }) => ({ id, tool, ok, result: content }));
  const status = results.every(({ ok }) => ok) ? 'success' : 'partial';
  return { kind: 'say', text: JSON.stringify({ status, script_steps: steps }), why };
}

function withoutSteps({ otherwise, stepsFrom = 'steps' }: ScriptPlanner, view: PlanView): PlannerDecision {
  const why = 'there is no script';
  if (otherwise?.kind === 'model') return { kind: 'model', why };
  if (otherwise?.kind === 'say') return { kind: 'say', text: view.fill(otherwise.text), why };
  if (otherwise?.kind === 'fail') return failure(view.fill(otherwise.message), why);
  return failure(`there is no script at ${stepsFrom}`, why);
}

/**
 * Puts the steps of a script that are for workers together: neighbours of the same worker and mode become one call of that
 * worker, which is handed them as its own script, to be followed exactly (`direct`) or as advice (`guided`).
 */
function groupByWorker(steps: readonly JsonValue[]): readonly JsonValue[] {
  const grouped: JsonValue[] = [];
  let open: { readonly worker: string; readonly mode: string; readonly script: JsonObject[] } | undefined;
  for (const step of steps) {
    const worker = isJsonObject(step) ? step['worker'] : undefined;
    if (!isJsonObject(step) || typeof worker !== 'string') {
      open = undefined;
      grouped.push(step);
      continue;
    }
    const mode = step['mode'] === 'guided' ? 'guided' : 'direct';
    const { worker: _worker, mode: _mode, ...own } = step;
    if (open?.worker === worker && open.mode === mode) {
      open.script.push(own);
      continue;
    }
    open = { worker, mode, script: [own] };
    const call = callOf(open);
    callsOfWorkers.add(call);
    grouped.push(call);
  }
  return grouped;
}

// Pure cache: the calls that were put together here, whose words are the engine's.
const callsOfWorkers = new WeakSet<JsonObject>();

/** The call of a worker; its script grows while neighbours join it. */
function callOf({
  worker,
  mode,
  script,
}: {
  readonly worker: string;
  readonly mode: string;
  readonly script: JsonObject[];
}): JsonObject {
  const input =
    mode === 'direct' ? 'Follow the script you are handed.' : 'Reach what the steps you are handed are for, in your own way.';
  return { tool: 'call_agent', args: { profile: worker, input, data: { script, mode } } };
}

/** The id of the segment with a script that is advice, in the log of a system prompt. */
export const guideSectionId = 'script';

/** A script that is advice, as text of a prompt. */
export interface ScriptGuide {
  readonly text: string;
  /** Untrusted sources of what it quotes. */
  readonly taint: Labels;
}

/** Returns the prompt section for a script that the model follows at its discretion; undefined without one, or when it runs as written. */
export function guideSection({ env, run, agent, profile: { planner } }: TurnContext): ScriptGuide | undefined {
  if (planner?.type !== 'script' || planner.guidedWhen === undefined) return undefined;
  const base = agentScope(env, run, agent);
  const task = agent.initialParams['input'] ?? run.meta.input;
  const scope: PlanView['scope'] = () => ({ ...base, task, last: null, results: {}, step: 0, iteration: 1, max_iterations: 1 });
  try {
    if (!planner.guidedWhen.test(scope())) return undefined;
    // What a parent told its agent to do is its task. Anything else is framed.
    const quotes = stateQuotes(
      env,
      { run, agent, more: { task: trusted, last: trusted, results: trusted }, isTask: true },
      guideSectionId,
    );
    const watch = quotes.watch(scope());
    const steps = stepsOf(planner, { read: (path) => watch.readIn(readPath(watch.scope, path)) });
    if (typeof steps === 'string' || steps.length === 0) return undefined;
    const quote = planner.stepsFrom === undefined ? quotes.quote : undefined;
    const lines = steps.map(({ tool, args, notes }, index) => {
      const words = notes === undefined ? '' : `: ${notes}`;
      return `${index + 1}. \`${tool}\` ${JSON.stringify(args.build(scope(), quote))}${words}`;
    });
    const list = quotes.written(watch, lines.join('\n'));
    return { text: `## Suggested steps\n\nGo by them as far as they help; you decide.\n\n${list}`, taint: quotes.labels() };
  } catch {
    // The planner meets the same failure when it is asked, and puts it on the record.
    return undefined;
  }
}
