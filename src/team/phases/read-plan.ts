import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json.ts';
import { textOf } from '../reports/text-of.ts';
import { executorOf, noWorker } from './workers.ts';

/** One step of a plan: the part of one worker in one phase. */
export interface PlanStep {
  readonly phase: string;
  /** Name: the phase, and the worker when there are several. */
  readonly name: string;
  readonly worker: string;
  readonly goals: string;
  readonly notes: string;
  /** Indexes of the steps it waits for, whose results it receives. */
  readonly after: readonly number[];
}

interface Choice {
  readonly workers: readonly string[];
  readonly defaultExecutor: string | undefined;
}

interface Phase {
  readonly name: string;
  readonly input: JsonObject;
  /** Empty when no worker is named. */
  readonly workers: readonly string[];
  readonly goals: string;
}

/** Name of the phase in which all workers get the whole goal in parallel. */
const parallelPhase = 'parallel_workers';

/**
 * Parses the steps from the arguments of a call; returns a text that describes the fault if they are invalid. Phases run in order,
 * unless `depends_on` names the earlier ones they need.
 */
export function readPlan(args: JsonObject, choice: Choice): readonly PlanStep[] | string {
  const phases = phasesOf(args);
  if (phases.length === 0) return 'a plan needs phases, or parallel_workers with a goal';
  const steps: PlanStep[] = [];
  const placesOf = new Map<string, readonly number[]>();
  let before: readonly number[] = [];
  for (const phase of phases) {
    if (placesOf.has(phase.name)) return `two phases are called ${JSON.stringify(phase.name)}; give each a name of its own`;
    const after = dependencies(phase, placesOf, before);
    if (typeof after === 'string') return after;
    const workers = chooseWorkers(phase, choice);
    if (typeof workers === 'string') return workers;
    const places: number[] = [];
    for (const worker of workers) {
      places.push(steps.length);
      const name = workers.length === 1 ? phase.name : `${phase.name} (${worker})`;
      steps.push({ phase: phase.name, name, worker, goals: phase.goals, notes: textOf(phase.input['notes']), after });
    }
    placesOf.set(phase.name, places);
    before = places;
  }
  return steps;
}

function phasesOf(args: JsonObject): readonly Phase[] {
  const atOnce = texts(args['parallel_workers']);
  const first: readonly Phase[] =
    atOnce.length === 0
      ? []
      : [{ name: parallelPhase, input: {}, workers: atOnce, goals: textOf(args['goal']) || 'Do your part.' }];
  const listed = objects(args['phases']).map((input): Phase => {
    const name = textOf(input['name']).trim();
    const workers = texts(input['parallel_workers']);
    const worker = textOf(input['worker']);
    return {
      name,
      input,
      workers: workers.length > 0 ? workers : worker === '' ? [] : [worker],
      goals: textOf(input['goals']) || name,
    };
  });
  return [...first, ...listed];
}

function dependencies(
  { name, input }: Phase,
  places: ReadonlyMap<string, readonly number[]>,
  before: readonly number[],
): readonly number[] | string {
  if (!Array.isArray(input['depends_on'])) return before;
  const wanted = texts(input['depends_on']);
  const unknown = wanted.filter((other) => !places.has(other));
  if (unknown.length > 0)
    return `phase ${JSON.stringify(name)} depends on ${unknown.map((other) => JSON.stringify(other)).join(', ')}, which is no earlier phase; earlier ones: ${[...places.keys()].join(', ') || 'none'}`;
  return [...new Set(wanted.flatMap((other) => places.get(other) ?? []))];
}

function chooseWorkers({ name, input, workers, goals }: Phase, choice: Choice): readonly string[] | string {
  const wrong = workers.filter((worker) => !choice.workers.includes(worker));
  if (wrong.length > 0) return [...new Set(wrong)].map((worker) => noWorker(worker, choice.workers)).join(' ');
  if (workers.length > 0) return [...new Set(workers)];
  const lines = [name, goals, textOf(input['notes'])];
  const executor = executorOf({ worker: '', texts: lines }, choice.workers, choice.defaultExecutor);
  return executor === undefined ? noWorker(choice.defaultExecutor ?? '', choice.workers) : [executor];
}

function objects(value: JsonValue | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? (value as readonly JsonValue[]).filter(isJsonObject) : [];
}

function texts(value: JsonValue | undefined): readonly string[] {
  return Array.isArray(value) ? (value as readonly JsonValue[]).filter((entry) => typeof entry === 'string') : [];
}
