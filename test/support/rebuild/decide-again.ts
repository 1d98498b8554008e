import { CadreError } from '../../../src/core/error.ts';
import type { ErrorCode } from '../../../src/core/error.ts';
import type { CadreEvent } from '../../../src/core/event.ts';
import { foldEvents } from '../../../src/core/fold/apply-event.ts';
import type { ContentHash } from '../../../src/core/ids.ts';
import type { ProfileFile } from '../../../src/core/profile.ts';
import type { RunState } from '../../../src/core/state.ts';
import { toolReturn, type ToolReturnFields } from '../../../src/core/tool-return.ts';
import { Transaction } from '../../../src/core/transaction.ts';
import { prepareEngine } from '../../../src/engine/create-engine.ts';
import { decideBatch } from '../../../src/engine/decide-batch.ts';
import type { Input, Kernel } from '../../../src/engine/decide.ts';
import { decodeCommit } from '../../../src/stores/event-codec.ts';
import { type LoggedDecision, type Made, markedReturn, madeBy, type WrittenEvent } from './decision-log.ts';

/** What an engine is prepared from, its profiles aside: those are the run's. */
export type ProgramOptions = Omit<Parameters<typeof prepareEngine>[0], 'profiles'>;

/** The profiles of runs, compiled from their files: once for each text, or for each decision. */
export class Kernels {
  readonly #options: ProgramOptions;
  readonly #text: (hash: ContentHash) => string | undefined;
  readonly #made = new Map<string, Promise<Kernel>>();

  constructor(options: ProgramOptions, text: (hash: ContentHash) => string | undefined) {
    this.#options = options;
    this.#text = text;
  }

  async ofHash(hash: ContentHash): Promise<Kernel> {
    const text = this.#text(hash);
    if (text === undefined) throw new Error(`the profiles ${hash} of a run are neither in its journal nor in the log`);
    return await this.ofText(text);
  }

  async ofText(text: string): Promise<Kernel> {
    const made = this.#made.get(text) ?? this.#compile(text);
    this.#made.set(text, made);
    return await made;
  }

  async #compile(text: string): Promise<Kernel> {
    const files = JSON.parse(text) as readonly ProfileFile[];
    const { rebuild } = await prepareEngine({ ...this.#options, profiles: { files: [] } });
    return (await rebuild(files)).kernel;
  }
}

/** Reads written events back, frozen: no fold and no decision may change what is in the journal. */
export function readBack(events: readonly WrittenEvent[]): readonly CadreEvent[] {
  return events.flatMap(({ runId, seq, at, body }) => decodeCommit(body, { runId, firstSeq: seq, at }).map(frozen));
}

/** Makes a decision again, as a process would that knows nothing but the journal: `events` up to its `seq`, and what was not written yet. */
export async function decideAgain(
  events: readonly CadreEvent[],
  { unwritten, at, mayStart, inputs: given, seq }: LoggedDecision,
  kernels: Kernels,
): Promise<Made> {
  const run = foldEvents([...events, ...readBack(unwritten)]);
  if (run === undefined) throw new Error('a decision was made before its run began');
  const inputs = await Promise.all(given.map((input) => ownInput(input, kernels)));
  let kernel = await kernelOf(run, inputs, kernels);
  const tx = new Transaction(run, at, { hash: kernel.env.hash, known: new Set() });
  const judge = {
    get kernel() {
      return kernel;
    },
    adopt: (edited: Kernel) => {
      kernel = edited;
    },
  };
  const refused: (CadreError | undefined)[] = inputs.map(() => undefined);
  decideBatch(tx, judge, { seq, unwritten: { events: [], contents: [] }, inputs, mayStart }, (place, error) => {
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

/** A run that is taken up with other profiles goes by those at once; every other one by what its journal says. */
async function kernelOf(run: RunState, inputs: readonly Input[], kernels: Kernels): Promise<Kernel> {
  for (const input of inputs)
    if (input.kind === 'recover' && input.profiles !== undefined) return await kernels.ofText(input.profiles.text);
  return await kernels.ofHash(run.meta.profiles);
}

/** The input with what belongs to a program of its own: profiles compiled here, and errors of this copy's classes. */
async function ownInput(input: Input, kernels: Kernels): Promise<Input> {
  if (input.kind === 'profiles') return { ...input, kernel: await kernels.ofText(input.files) };
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
