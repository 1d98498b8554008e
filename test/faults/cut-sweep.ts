import { pathToFileURL } from 'node:url';
import { judgeTrial } from './judge-trial.ts';
import { mutateWire, mutationKinds } from './mutate-wire.ts';
import { recordings, type Recording } from './recordings.ts';
import { seededRandom, type SeededRandom } from './seeded-random.ts';
import { createSweepTeam, type SweepTeam, type Trial, type Witness } from './sweep-team.ts';

/** What a sweep counted. */
export interface SweepCounts {
  /** Streams that were played. */
  trials: number;
  /** Trials whose reply was taken, and whose calls ran. */
  taken: number;
  ranCalls: number;
  /** Calls of pure tools that ran on repaired text. */
  repaired: number;
  failedAttempts: number;
  /** Trials by the code their first attempt failed with; `none` for those that were taken. */
  readonly codes: Record<string, number>;
  /** One line for each thing that must not be, with what is needed to see it again. */
  readonly wrong: string[];
}

/** How much is cut: at every byte with both endings, or with the one and the other by turns; `some`: the longer half at every 11th byte. */
export type Cuts = 'both' | 'by turns' | 'some';

/** Plays every recording, cut at its bytes. */
export async function sweepCuts(cuts: Cuts = 'both'): Promise<SweepCounts> {
  return await sweep(cutsOf(cuts));
}

/** Plays spoilt recordings: `count` of them, each from its own seed. */
export async function sweepMutations(count: number, firstSeed = 1): Promise<SweepCounts> {
  return await sweep(mutationsOf(count, firstSeed));
}

interface Case {
  readonly label: string;
  readonly original: Recording;
  readonly trial: Trial;
  /** What more must hold than what holds for every stream. */
  readonly judge?: (witness: Witness) => readonly string[];
}

function* cutsOf(cuts: Cuts): Generator<Case> {
  const shorter = new Set(recordings.toSorted((a, b) => a.body.length - b.body.length).slice(0, recordings.length / 2));
  for (const recording of recordings) {
    const bytes = toBytes(recording);
    const step = cuts === 'some' && !shorter.has(recording) ? 11 : 1;
    for (const ending of ['end', 'reset'] as const) {
      for (let at = 0; at <= bytes.length; at += 1) {
        // Counted from the end, so that the whole recording ends politely.
        const fromEnd = bytes.length - at;
        if (fromEnd % step !== 0 || (cuts !== 'both' && (fromEnd % 2 === 0) !== (ending === 'end'))) continue;
        const trial = { protocol: recording.protocol, bytes: bytes.slice(0, at), ending, splitAt: (at * 7) % (at + 1) };
        yield {
          label: `${recording.name}, cut at byte ${at} (${ending})`,
          original: recording,
          trial,
          judge: (seen) => judgeCut(recording, seen, ending === 'end' && at === bytes.length),
        };
      }
    }
  }
}

/** A cut reply is taken whole or not at all; one that came in whole and ended politely is taken. */
function judgeCut(recording: Recording, { ran, events }: Witness, uncut: boolean): readonly string[] {
  const expected = recording.finish === 'length' ? [] : recording.calls.map(({ args }) => JSON.stringify(JSON.parse(args)));
  const first = events.find((event) => event.type === 'model.end');
  const taken = first?.attempts.length === 1;
  if (uncut && !taken) return ['the whole reply was not taken'];
  if (taken && first.reply?.text !== recording.text) return [`the text is ${JSON.stringify(first.reply?.text)}`];
  const args = ran.map((call) => call.args);
  return JSON.stringify(args) === JSON.stringify(taken ? expected : [])
    ? []
    : [`ran ${args.join(' ')}, expected ${expected.join(' ')}`];
}

function* mutationsOf(count: number, firstSeed: number): Generator<Case> {
  for (let seed = firstSeed; seed < firstSeed + count; seed += 1) {
    const random = seededRandom(seed);
    const original = pick(recordings, random);
    const { name, protocol } = original;
    const kind = mutationKinds[seed % mutationKinds.length] ?? 'flip a bit';
    const other = toBytes(
      pick(
        recordings.filter((recording) => recording.protocol === protocol),
        random,
      ),
    );
    let bytes = mutateWire(kind, toBytes(original), other, random);
    if (random.below(2) === 0) bytes = mutateWire(kind, bytes, other, random);
    const ending = random.below(5) === 0 ? 'reset' : 'end';
    const trial = { protocol, bytes, ending, splitAt: random.below(bytes.length + 1) } as const;
    yield { label: `${name}, ${kind}, seed ${seed}`, original, trial };
  }
}

function pick(list: readonly Recording[], random: SeededRandom): Recording {
  const picked = list[random.below(list.length)];
  if (picked === undefined) throw new Error('nothing to pick from');
  return picked;
}

function toBytes(recording: Recording): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(recording.body);
}

// A memory journal keeps all its runs: every so often a new one is taken.
const trialsPerTeam = 1_000;

async function sweep(cases: Iterable<Case>): Promise<SweepCounts> {
  const counts: SweepCounts = { trials: 0, taken: 0, ranCalls: 0, repaired: 0, failedAttempts: 0, codes: {}, wrong: [] };
  let team: SweepTeam | undefined;
  for (const { label, original, trial, judge } of cases) {
    if (counts.trials % trialsPerTeam === 0) {
      await team?.close();
      team = await createSweepTeam();
    }
    const witness = await (team ??= await createSweepTeam()).play(trial);
    count(counts, witness);
    for (const problem of [...judgeTrial(trial, original, witness), ...(judge?.(witness) ?? [])])
      counts.wrong.push(`${label}: ${problem}`);
  }
  await team?.close();
  return counts;
}

function count(counts: SweepCounts, { ran, events }: Witness): void {
  const attempts = events.flatMap((event) => (event.type === 'model.end' ? event.attempts : []));
  const code = attempts[0]?.error?.code ?? 'none';
  counts.trials += 1;
  counts.taken += ran.length > 0 ? 1 : 0;
  counts.ranCalls += ran.length;
  counts.repaired += ran.filter(({ repaired }) => repaired).length;
  counts.failedAttempts += attempts.filter(({ error }) => error !== undefined).length;
  counts.codes[code] = (counts.codes[code] ?? 0) + 1;
}

/** What a sweep came to, in lines to be read. */
function report(what: string, counts: SweepCounts): readonly string[] {
  const codes = Object.entries(counts.codes).map(([code, times]) => `${code} ${times}`);
  return [
    `${what}: ${counts.trials} streams of ${recordings.length} recordings, wrong: ${counts.wrong.length}`,
    `  ${counts.taken} replies taken, ${counts.ranCalls} calls ran, ${counts.repaired} of them of pure tools on repaired text`,
    `  ${counts.failedAttempts} failed attempts on record; first attempts: ${codes.join(', ')}`,
    ...counts.wrong.slice(0, 20).map((line) => `  WRONG ${line}`),
  ];
}

/** Runs the whole sweep and prints what it counted; answers whether nothing was wrong. */
export async function main(options: { readonly mutations?: number } = {}): Promise<boolean> {
  const { mutations = 10_000 } = options;
  const started = performance.now();
  const cut = await sweepCuts();
  const spoilt = await sweepMutations(mutations);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  for (const line of [...report('cuts', cut), ...report('mutations', spoilt)]) console.log(line);
  console.log(`${seconds} s`);
  return cut.wrong.length + spoilt.wrong.length === 0;
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href)
  process.exitCode = (await main()) ? 0 : 1;
