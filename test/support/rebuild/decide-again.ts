import { CadreError, type ErrorCode } from '../../../src/core/error.ts';
import type { CadreEvent } from '../../../src/core/events/event.ts';
import { foldEvents } from '../../../src/core/fold/apply-event.ts';
import type { ContentHash } from '../../../src/core/ids.ts';
import type { ProfileFile } from '../../../src/core/profile/profile.ts';
import type { RunContext } from '../../../src/core/state/run-context.ts';
import { toolReturn, type ToolReturnFields } from '../../../src/core/tool/tool-return.ts';
import { Transaction } from '../../../src/core/events/transaction.ts';
import { prepareEngine } from '../../../src/engine/create-engine.ts';
import { decideBatch } from '../../../src/engine/run/decide-batch.ts';
import type { Input } from '../../../src/engine/run/input.ts';
import type { ProfileRuntime } from '../../../src/engine/engine-parts.ts';
import type { DecisionContext } from '../../../src/engine/run/decision-context.ts';
import type { OfferedTools } from '../../../src/engine/toolsets/toolset-hold.ts';
import { decodeCommit } from '../../../src/journal/codec/event-codec.ts';
import { type LoggedDecision, type Made, markedReturn, madeBy, type WrittenEvent } from './decision-log.ts';

/** Options of an engine without its profiles, which come from the run. */
export type ProgramOptions = Omit<Parameters<typeof prepareEngine>[0], 'profiles'>;

/** Texts that a run uses: its profile files, and the hash of its tool definitions from code. */
interface RecordedTexts {
  readonly files: string;
  readonly given: ContentHash | undefined;
}

/** The profiles of runs and their tools, made ready from what was recorded: once for each text, or for each decision. */
export class DecisionContexts {
  readonly #options: ProgramOptions;
  readonly #text: (hash: ContentHash) => string | undefined;
  readonly #made = new Map<string, Promise<ProfileRuntime>>();

  constructor(options: ProgramOptions, text: (hash: ContentHash) => string | undefined) {
    this.#options = options;
    this.#text = text;
  }

  /** Returns the text of a hash that a run uses. */
  required(hash: ContentHash): string {
    const text = this.#text(hash);
    if (text === undefined) throw new Error(`the text ${hash} that a run goes by is neither in its journal nor in the log`);
    return text;
  }

  /** `taken`: what the toolsets that connect offered. */
  async of({ files, given }: RecordedTexts, taken: readonly OfferedTools[] = []): Promise<DecisionContext> {
    const key = JSON.stringify([files, given]);
    const made = this.#made.get(key) ?? this.#compile({ files, given });
    this.#made.set(key, made);
    return (await made).decisions.with(new Map(taken.map(({ toolset, tools }) => [toolset, tools]))).decision;
  }

  async #compile({ files: text, given }: RecordedTexts): Promise<ProfileRuntime> {
    const files = JSON.parse(text) as readonly ProfileFile[];
    const { rebuild } = await prepareEngine({ ...this.#options, profiles: { files: [] } });
    const own = await rebuild({ files, given: undefined });
    if (given === undefined || own.code.record().hash === given) return own;
    return await rebuild({ files, given: this.required(given) });
  }
}

/** Reads written events back, frozen: no fold and no decision may change the journal. */
export function readBack(events: readonly WrittenEvent[]): readonly CadreEvent[] {
  return events.flatMap(({ runId, seq, at, body }) => decodeCommit(body, { runId, firstSeq: seq, at }).map(frozen));
}

/** Makes a decision again, as a process would that knows nothing but the journal: `events` up to its `seq`, and what was not written yet. */
export async function decideAgain(
  events: readonly CadreEvent[],
  { unwritten, at, mayStart, inputs: given, seq }: LoggedDecision,
  decisions: DecisionContexts,
): Promise<Made> {
  const run = foldEvents([...events, ...readBack(unwritten)]);
  if (run === undefined) throw new Error('a decision was made before its run began');
  const inputs = given.map(ownInput);
  let decision = await contextOf(run, inputs, decisions);
  // An edit of profiles is decided with what was edited.
  const edited = new Map<Input, DecisionContext>();
  for (const input of inputs)
    if (input.kind === 'profiles')
      edited.set(input, await decisions.of({ files: input.files, given: run.meta.given }, input.tools));
  const tx = new Transaction(run, at, { hash: decision.env.hash, known: new Set() });
  const gate = {
    get decision() {
      return decision;
    },
    contextFor: (input: Input) => edited.get(input) ?? decision,
    adopt: (input: Input) => {
      decision = edited.get(input) ?? decision;
    },
  };
  const refused: (CadreError | undefined)[] = inputs.map(() => undefined);
  decideBatch(tx, gate, { seq, unwritten: { events: [], contents: [] }, inputs, mayStart }, (place, error) => {
    refused[inputs.length + place] = error;
  });
  return madeBy(tx, refused);
}

function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const part of Object.values(value)) frozen(part);
  }
  return value;
}

/** Returns the context of a run: a run resumed with other profiles or tools uses those immediately, any other uses its journal's. */
async function contextOf({ meta }: RunContext, inputs: readonly Input[], decisions: DecisionContexts): Promise<DecisionContext> {
  const first = inputs.find((input) => input.kind === 'recover' || input.kind === 'start');
  const resumed = first?.kind === 'recover' ? first : undefined;
  const files = resumed?.profiles?.text ?? decisions.required(meta.profiles);
  return await decisions.of({ files, given: resumed?.given?.hash ?? meta.given }, first?.tools);
}

/** The input with errors and marks of this copy's classes. */
function ownInput(input: Input): Input {
  if (input.kind !== 'tool' && input.kind !== 'verify') return input;
  const { error, returned } = input.outcome;
  return { ...input, outcome: { ...input.outcome, error: ownError(error), returned: ownReturn(returned) } };
}

function ownReturn(returned: unknown): unknown {
  const isMarked = typeof returned === 'object' && returned !== null && markedReturn in returned;
  return isMarked ? toolReturn(returned[markedReturn] as ToolReturnFields) : returned;
}

function ownError(thrown: unknown): unknown {
  if (!(thrown instanceof Error) || thrown.name !== 'CadreError') return thrown;
  const { code, details, message, cause } = thrown as Error & { readonly code: ErrorCode; readonly details: CadreError['details'] };
  return new CadreError(code, message, { details, cause });
}
