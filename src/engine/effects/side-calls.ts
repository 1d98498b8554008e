import { titleCall } from '../../core/fold/charge.ts';
import type { ContentHash } from '../../core/ids.ts';
import type { ModelGateway, ModelOutcome, OutageNews } from '../../core/model/model.ts';
import type { RunContext } from '../../core/state/run-context.ts';
import type { Effect } from '../../core/events/transaction.ts';
import { generateTitle } from '../../nodes/turn/run-titles.ts';
import { summarise } from '../../nodes/prompt/summary-request.ts';
import type { Input } from '../run/input.ts';
import type { DecisionContext } from '../run/decision-context.ts';
import type { AttemptQuestions } from './attempt-questions.ts';
import { couldNotBeMade, outageNote } from './effect-faults.ts';
import type { InFlight } from './in-flight.ts';

/** Services that model calls outside the turns use. */
interface SidePorts {
  readonly decision: DecisionContext;
  readonly gateway: ModelGateway;
  readonly content: (hash: ContentHash) => string | undefined;
  readonly tell: (input: Input) => void;
  readonly questions: AttemptQuestions;
}

/** A started model call outside the turns. A title is awaited when the engine closes, like a tool; a summary is made again on resume. */
export interface SideCall extends InFlight<ModelOutcome> {
  readonly work: Promise<ModelOutcome>;
}

/** Starts a model call for a summary or for the run's title; undefined when its result is no longer needed. */
export function beginSideCall(
  { decision, gateway, content, tell, questions }: SidePorts,
  run: RunContext,
  effect: Extract<Effect, { kind: 'compaction' | 'title' }>,
): SideCall | undefined {
  const abort = new AbortController();
  const { signal } = abort;
  if (effect.kind === 'title') {
    const rootId = run.rootAgentId;
    if (rootId === undefined) return undefined;
    const mayTry = questions.of(rootId, titleCall, signal);
    const work = Promise.try(generateTitle, decision.env, { run, signal, gateway, mayTry });
    const toInput = (outcome: ModelOutcome): Input => ({ kind: 'title', outcome });
    return { kind: 'tool', key: titleCall, abort, work, ...handedIn(toInput) };
  }
  const { agentId, compactionId } = effect;
  const agent = run.agents.get(agentId);
  if (agent === undefined) return undefined;
  const toInput = (outcome: ModelOutcome): Input => ({ kind: 'compaction', agentId, compactionId, outcome });
  const onOutage = (news: OutageNews): void => tell(outageNote({ agentId }, news));
  const mayTry = questions.of(agentId, compactionId, signal);
  const work = Promise.try(summarise, decision.env, { run, agent, signal, gateway, content, onOutage, mayTry });
  return { kind: 'model', key: compactionId, abort, work, ...handedIn(toInput) };
}

function handedIn(toInput: (outcome: ModelOutcome) => Input): Omit<InFlight<ModelOutcome>, 'kind' | 'key' | 'abort'> {
  return { isClosing: false, settled: undefined, ended: toInput, failed: (thrown) => toInput(couldNotBeMade(thrown)) };
}
