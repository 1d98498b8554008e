import type { Env } from '../../core/env.ts';
import { readPath } from '../../core/expression/read-path.ts';
import type { TurnId } from '../../core/ids.ts';
import type { RunContext } from '../../core/state/run-context.ts';
import type { SubContext } from '../../core/state/sub-context.ts';
import { stateQuotes, stateReads } from '../../core/untrusted/quote-state.ts';
import { saidOrigins } from '../../core/untrusted/scope-origins.ts';
import type { Labels } from '../../core/untrusted/taint.ts';
import { type Origins, trusted } from '../../core/untrusted/watch-scope.ts';
import type { PlanView } from './plan.ts';
import type { PlannerMemory } from './planner-memory.ts';

/** Where a planner is asked. */
interface Place {
  readonly env: Env;
  readonly run: RunContext;
  readonly agent: SubContext;
  readonly turnId: TurnId;
}

/** The root of the arguments of steps that come from elsewhere. */
export const givenRoot = 'given';

/**
 * Returns the part of a planner's view that fills in texts and arguments. They keep untrusted text as it is, since they may be data for a tool;
 * its sources are counted. Calls of team tools have a second form of their arguments, in which agents are shown that text framed.
 */
export function quotingView(
  { env, run, agent, turnId }: Place,
  memory: PlannerMemory,
  scope: PlanView['scope'],
): Pick<PlanView, 'fill' | 'args' | 'read' | 'taint'> {
  let given: Labels = trusted;
  const more = { ...memoryOrigins(agent, memory), [givenRoot]: { field: () => given } };
  const noted = new Set<string>();
  const reads = stateReads(env, { run, agent, more });
  // What a parent told its agent to do is no quotation when the agent passes it on as its task.
  const steps = stateReads(env, { run, agent, more, isTask: true });
  return {
    taint: () => [...new Set([...noted, ...reads.labels()])],
    read: (path) => {
      const watch = steps.watch(scope());
      const value = watch.readIn(readPath(watch.scope, path));
      given = [...watch.labels];
      for (const label of given) noted.add(label);
      return value;
    },
    fill: (text, own = scope()) => text.render(own, reads.quote),
    args: ({ tool, args }, own = scope()) => {
      const quoted = stateReads(env, { run, agent, more });
      const built = args.build(own, quoted.quote);
      for (const label of quoted.labels()) noted.add(label);
      if (quoted.labels().length === 0 || env.catalog.get(tool)?.kind !== 'transition') return { args: built };
      return { args: built, shown: args.build(own, stateQuotes(env, { run, agent, more }, `${turnId} ${tool}`).quote) };
    },
  };
}

/** Origins of the roots that only planners have: results are what its tools and agents said. */
function memoryOrigins(agent: SubContext, { isTaskOutside }: PlannerMemory): Readonly<Record<string, Origins>> {
  const words = saidOrigins(agent);
  const result: Origins = { field: (field) => (wordsOfResult.has(field) ? words : trusted) };
  return {
    task: isTaskOutside ? words : trusted,
    last: result,
    results: { field: () => result },
    step: trusted,
    iteration: trusted,
    max_iterations: trusted,
  };
}

const wordsOfResult: ReadonlySet<string> = new Set(['args', 'content', 'data', 'error', 'ended_by']);
