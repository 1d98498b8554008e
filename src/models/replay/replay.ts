import type { ErrorRecord } from '../../core/error.ts';
import type { RunId } from '../../core/ids.ts';
import type { ModelCaller, ModelOutcome, ModelRequest } from '../../core/model/model.ts';
import { runMark } from '../../core/recording/plain-text.ts';
import type { RecordedCall, RecordedOutcome, RecordedPlace, RecordedTool, Recording } from '../../core/recording/recording.ts';
import { DeliveryOrder } from '../attempts/delivery-order.ts';
import { askedPrompt, promptDifference } from './prompt-difference.ts';
import { readJson } from '../../core/read-json.ts';

/** Position of a tool call; the replay itself knows `call`. */
export type ReplayedPlace = Omit<RecordedPlace, 'call' | 'agent'>;

/** The recorded value, or the error that it is missing. */
export type Found<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: ErrorRecord };

/** One run's position in a recording: the answers so far of each agent. */
interface Progress {
  readonly calls: Map<string, number>;
  readonly summaries: Map<string, number>;
  /** Tool results that were given. */
  readonly used: Set<number>;
  readonly order: DeliveryOrder;
  /** First request that is not in the recording; later ones fail as its consequence. */
  mismatch: ErrorRecord | undefined;
}

/**
 * Answers model calls and tool calls from a recording.
 *
 * 1. A call is found by its agent's path and its number among that agent's calls, independent of other agents.
 * 2. A model call that differs from the recorded one is an error that describes the difference; nothing is guessed. After that,
 *    anything else missing fails with the same message, as a consequence.
 *    A recording that is searched by prompt (`find`) has no places: any call of the agent that asks the same answers.
 * 3. Answers are released in their recorded order while they are requested, so that ids come out the same.
 */
export class Replay {
  readonly #recording: Recording;
  readonly #models = new Map<string, number>();
  readonly #tools = new Map<string, number>();
  readonly #runs = new Map<string, Progress>();

  constructor(recording: Recording) {
    this.#recording = recording;
    recording.entries.forEach((entry, index) => {
      if (entry.kind === 'model' || entry.kind === 'summary')
        this.#models.set(modelKey(entry.kind, entry.agent, entry.call), index);
      else if (entry.kind === 'tool') this.#tools.set(toolKey(entry), index);
    });
  }

  /** LLM configs whose models answered. */
  get configs(): ReadonlySet<string> {
    const configs = this.#recording.entries.flatMap((entry) =>
      entry.kind === 'model' || entry.kind === 'summary' ? entry.attempts.map(({ config }) => config) : [],
    );
    return new Set(configs);
  }

  /** Returns the recorded answer to a model call; never rejects. */
  async model(request: ModelRequest, now: () => number): Promise<ModelOutcome> {
    const caller = request.caller ?? noCaller;
    const found = this.#findModel(caller, request);
    if (!found.ok) return { kind: 'error', error: found.error, usage: {}, attempts: [] };
    await this.#progress(caller).order.wait(found.value);
    const entry = this.#recording.entries[found.value];
    return toOutcome(withRunId(entry as RecordedCall, caller), request, now());
  }

  /** Returns the recorded result of a tool call. */
  async tool(caller: ModelCaller, place: ReplayedPlace, args: unknown): Promise<Found<RecordedTool>> {
    const call = this.#progress(caller).calls.get(caller.path) ?? 0;
    const index = this.#findTool(caller, place, args);
    const where = `the call of ${place.tool} after model call ${call} of ${caller.path}`;
    if (index === undefined) return this.#mismatch(caller, `${where} is not in it`);
    const entry = withRunId(this.#recording.entries[index] as RecordedTool, caller);
    const [asked, recorded] = [JSON.stringify(args), JSON.stringify(entry.args)];
    if (asked !== recorded)
      return this.#mismatch(
        caller,
        `${where} (line ${this.#line(index)}) has other arguments: recorded ${clip(recorded)}, now ${clip(asked)}`,
      );
    this.#progress(caller).used.add(index);
    await this.#progress(caller).order.wait(index);
    return { ok: true, value: entry };
  }

  #findModel(caller: ModelCaller, request: ModelRequest): Found<number> {
    const kind = request.purpose ?? 'model';
    const counts = kind === 'summary' ? this.#progress(caller).summaries : this.#progress(caller).calls;
    const byPrompt = this.#recording.find === 'prompt';
    if (kind === 'model' && byPrompt) return this.#findByPrompt(caller, request);
    const call = kind === 'summary' && byPrompt ? this.#nextSummary(caller) : (counts.get(caller.path) ?? 0) + 1;
    const index = this.#models.get(modelKey(kind, caller.path, call));
    if (index === undefined) return this.#mismatch(caller, this.#missing(kind, caller.path, call));
    const entry = this.#recording.entries[index];
    const differs =
      entry?.kind === 'model' ? promptDifference(this.#recording, entry, askedPrompt(request, caller.runId)) : undefined;
    if (differs !== undefined)
      return this.#mismatch(
        caller,
        `model call ${call} of ${caller.path} (line ${this.#line(index)}) asks something else: ${differs}`,
      );
    counts.set(caller.path, call);
    return { ok: true, value: index };
  }

  /** Finds the call of the agent that asks the same: the next one after the last answer, else an earlier one. */
  #findByPrompt(caller: ModelCaller, request: ModelRequest): Found<number> {
    const { calls } = this.#progress(caller);
    const last = calls.get(caller.path) ?? 0;
    const own = this.#recording.entries.flatMap((entry, index) =>
      entry.kind === 'model' && entry.agent === caller.path ? [{ entry, index }] : [],
    );
    if (own.length === 0) return this.#mismatch(caller, this.#missing('model', caller.path, 1));
    const asked = askedPrompt(request, caller.runId);
    const length = asked.now.messages.length;
    const inOrder = [...own.filter(({ entry }) => entry.call > last), ...own.filter(({ entry }) => entry.call <= last)];
    const found = inOrder.find(
      ({ entry }) => entry.prompt.messages.length === length && promptDifference(this.#recording, entry, asked) === undefined,
    );
    if (found !== undefined) {
      calls.set(caller.path, found.entry.call);
      return { ok: true, value: found.index };
    }
    const farOf = ({ entry }: { readonly entry: RecordedCall }): number => Math.abs(entry.prompt.messages.length - length);
    const [nearest] = inOrder.toSorted((a, b) => farOf(a) - farOf(b));
    const differs = nearest === undefined ? undefined : promptDifference(this.#recording, nearest.entry, asked);
    return this.#mismatch(
      caller,
      `no model call of ${caller.path} asks this; compared with call ${nearest?.entry.call ?? 0} (line ${this.#line(nearest?.index ?? 0)}), ${differs ?? ''}`,
    );
  }

  /** Returns the number of the agent's first summary after its last answer. */
  #nextSummary({ path, runId }: ModelCaller): number {
    const { calls, summaries } = this.#progress({ path, runId });
    const last = this.#models.get(modelKey('model', path, calls.get(path) ?? 0)) ?? -1;
    const next = this.#recording.entries.find(
      (entry, index) => entry.kind === 'summary' && entry.agent === path && index > last && entry.call > (summaries.get(path) ?? 0),
    );
    return next?.kind === 'summary' ? next.call : (summaries.get(path) ?? 0) + 1;
  }

  /** Finds the result of a call: at its place after the last answer, else of any call of the agent with the same arguments. */
  #findTool(caller: ModelCaller, place: ReplayedPlace, args: unknown): number | undefined {
    const { calls, used } = this.#progress(caller);
    const index = this.#tools.get(toolKey({ ...place, agent: caller.path, call: calls.get(caller.path) ?? 0 }));
    if (index !== undefined || this.#recording.find !== 'prompt') return index;
    // A turn that is decided again on the answer of its original asks no model, so that its place is unknown.
    const asked = JSON.stringify(args);
    const same = this.#recording.entries.findIndex(
      (entry, at) =>
        entry.kind === 'tool' &&
        entry.agent === caller.path &&
        entry.tool === place.tool &&
        !used.has(at) &&
        JSON.stringify(withRunId(entry, caller).args) === asked,
    );
    return same < 0 ? undefined : same;
  }

  #missing(kind: string, path: string, call: number): string {
    const what = kind === 'summary' ? 'summary' : 'model call';
    const agents = new Set(this.#recording.entries.flatMap((entry) => (entry.kind === 'model' ? [entry.agent] : [])));
    if (!agents.has(path))
      return `it holds no ${what} of ${path || 'this agent'}; its agents are ${[...agents].join(', ') || 'none'}`;
    return `it holds ${call - 1} ${what}(s) of ${path}, and this is number ${call}`;
  }

  #mismatch(caller: ModelCaller, what: string): { readonly ok: false; readonly error: ErrorRecord } {
    const { source, find } = this.#recording;
    const begin = find === 'prompt' ? `The answer is not in ${source}` : `The run is not the one in ${source}`;
    const message = `${begin}: ${what}. If that is meant, record it again.`;
    const progress = this.#progress(caller);
    progress.mismatch ??= { code: 'REPLAY_MISMATCH', message };
    return { ok: false, error: progress.mismatch };
  }

  #line(index: number): number {
    return this.#recording.lines[index] ?? 0;
  }

  #progress(caller: ModelCaller): Progress {
    let progress = this.#runs.get(caller.runId);
    if (progress === undefined) {
      const answers = this.#recording.entries.flatMap(({ kind }, index) =>
        kind === 'model' || kind === 'summary' || kind === 'tool' ? [index] : [],
      );
      progress = {
        calls: new Map(),
        summaries: new Map(),
        used: new Set(),
        order: new DeliveryOrder(answers),
        mismatch: undefined,
      };
      this.#runs.set(caller.runId, progress);
    }
    return progress;
  }
}

const noCaller: ModelCaller = { runId: '' as RunId, path: '' };

function modelKey(kind: string, agent: string, call: number): string {
  return `${kind} ${call} ${agent}`;
}

function toolKey({ agent, call, index, tool }: RecordedPlace): string {
  return `${call} ${index} ${tool} ${agent}`;
}

/** Replaces the recorded run's id by the current run's. */
function withRunId<T>(entry: T, { runId }: ModelCaller): T {
  const text = JSON.stringify(entry);
  return text.includes(runMark) ? (readJson(text.replaceAll(runMark, runId)) as T) : entry;
}

function toOutcome(recorded: RecordedOutcome, request: ModelRequest, startedAt: number): ModelOutcome {
  const { reply, error, usage, cost } = recorded;
  const attempts = recorded.attempts.map((attempt) => ({ ...attempt, startedAt, ms: 0 }));
  const rest = { usage, ...(cost === undefined ? {} : { cost }), attempts };
  if (reply === undefined)
    return { kind: 'error', error: error ?? { code: 'MODEL_BAD_RESPONSE', message: 'no reply was recorded' }, ...rest };
  if (reply.text !== '') request.onDelta?.({ attempt: 1, n: 1, kind: 'text', text: reply.text });
  return { kind: 'reply', reply, ...rest };
}

function clip(text: string): string {
  return text.length <= 200 ? text : `${text.slice(0, 200)}…`;
}
