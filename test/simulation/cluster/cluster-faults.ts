import type { Random } from '../world/random.ts';

/** Kinds of inputs that the simulated cluster delivers. */
const deliveredKinds = ['answer', 'cancel', 'look', 'lost', 'model', 'post', 'recover', 'tool', 'verify'] as const;

/** An attempt at an input of a kind, which was given up and goes on. */
type GoesOn = `attempt at '${(typeof deliveredKinds)[number]}' goes on`;

const inputsThatGoOn = Object.fromEntries(
  deliveredKinds.map((kind) => [
    `attempt at '${kind}' goes on`,
    `an attempt at an input '${kind}' is given up at a call of the journal, and goes on while or after another one is made`,
  ]),
) as Readonly<Record<GoesOn, string>>;

/** Every kind of fault that the simulation of workers injects, with its meaning. */
export const clusterFaultKinds = {
  'worker dies': 'a worker dies at any moment',
  'worker dies at a step':
    'a worker dies before or after a step of the protocol: a write, an entry of the message service, an answer',
  'worker pauses': 'a worker stands still, is given up, and goes on after another one took over',
  'worker cut off': 'the message service loses a worker that goes on with what it does',
  ...inputsThatGoOn,
  'worker drains': 'a worker leaves in order, in the middle of everything',
  'answer lost': 'a step was taken, and the message service does not learn of it: another worker takes it again',
  'service restarts': 'the message service forgets who does what, and starts all of it again',
  'message doubled': 'an input is delivered twice',
  'request lost': 'a request to the message service is lost on the way, and made again',
  'reply lost': 'a request to the message service was taken, its answer is lost, and it is made again',
  'news lost': 'a process is not told that a run has changed',
  'journal refuses': 'a write fails, and nothing was written',
  'journal forgets to say': 'a write fails although it was made',
  'journal does not read': 'reading fails for a moment',
  'launcher dies': 'the process that launches and steers dies, and another one takes its place',
  'launcher dies at a step': 'it dies between the start of a run in the journal and the message that has it advanced',
  'first process dies': 'an ordinary process that advanced a run is gone, and the workers take the run over',
  'first process goes on': 'it was only taken for dead, and goes on',
} as const;

/** The name of a kind of fault. */
export type ClusterFaultKind = keyof typeof clusterFaultKinds;

/** Number of times each kind of fault was reached. */
export type ClusterFaultCounts = Partial<Record<ClusterFaultKind, number>>;

/** Faults of one seed, which enables only some kinds, so that combinations differ. */
export class ClusterFaults {
  readonly counts: ClusterFaultCounts = {};
  readonly #enabled: ReadonlySet<ClusterFaultKind>;
  readonly #random: Random;
  /** True when no more faults happen: everything still running must finish. */
  stopped = false;

  constructor(random: Random, isCalm: boolean) {
    this.#random = random;
    // Together, since some of these inputs are rare.
    const goOn = random.chance(0.7);
    const kinds = Object.keys(clusterFaultKinds) as ClusterFaultKind[];
    const drawn = kinds.filter((kind) => (kind in inputsThatGoOn ? goOn : random.chance(0.4)));
    this.#enabled = new Set(isCalm ? [] : drawn);
  }

  /** Number of faults that happened. */
  get total(): number {
    return Object.values(this.counts).reduce((sum, count) => sum + count, 0);
  }

  /** Decides whether a fault happens now, and counts it. */
  strikes(kind: ClusterFaultKind, probability: number): boolean {
    if (this.stopped || !this.#enabled.has(kind) || !this.#random.chance(probability)) return false;
    this.count(kind);
    return true;
  }

  /** Counts a fault that happened by another decision. */
  count(kind: ClusterFaultKind): void {
    this.counts[kind] = (this.counts[kind] ?? 0) + 1;
  }
}
