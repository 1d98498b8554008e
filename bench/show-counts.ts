import { countFloor, countTurn, type TurnCounts } from './counts.ts';

/** One count of a turn: the aim, and what a change must not exceed. */
interface Bound {
  readonly name: string;
  readonly of: (counts: TurnCounts) => number;
  readonly aim: number;
  /** Held on every run of CI, lowered with each improvement. Bytes vary by a few percent with the sampling. */
  readonly most: number;
}

const bounds: readonly Bound[] = [
  { name: 'functions that run in every turn', of: ({ functions }) => functions.length, aim: 200, most: 320 },
  { name: 'calls of them', of: ({ callsPerTurn }) => callsPerTurn, aim: 350, most: 471 },
  { name: 'KB allocated', of: ({ allocatedBytes }) => allocatedBytes / 1024, aim: 12, most: 52 },
  { name: 'objects kept', of: ({ keptObjects }) => keptObjects, aim: 25, most: 72 },
];

/** Prints the counts of one tool turn beside those of the bare loop; returns false when one exceeds its bound. */
export async function showCounts(): Promise<boolean> {
  const floor = await countFloor();
  const turn = await countTurn();
  console.log(
    `${'one tool turn, in memory'.padEnd(36)} ${'bare loop'.padStart(10)} ${'Cadre'.padStart(8)} ${'aim'.padStart(6)} ${'at most'.padStart(8)}`,
  );
  let holds = true;
  for (const { name, of, aim, most } of bounds) {
    const value = of(turn);
    const isOver = value > most;
    if (isOver) holds = false;
    const figures = `${of(floor).toFixed(0).padStart(10)} ${value.toFixed(0).padStart(8)} ${String(aim).padStart(6)} ${String(most).padStart(8)}`;
    console.log(`${name.padEnd(36)} ${figures}${isOver ? '  MISS' : value <= aim ? '' : '  above the aim'}`);
  }
  console.log('\nmost calls, by file:');
  for (const [file, calls, functions] of byFile(turn).slice(0, 15))
    console.log(`${calls.toFixed(0).padStart(6)} calls of ${String(functions).padStart(2)} functions  ${file}`);
  return holds;
}

function byFile({ functions }: TurnCounts): (readonly [file: string, calls: number, functions: number])[] {
  const files = new Map<string, [number, number]>();
  for (const { file, callsPerTurn } of functions) {
    const [calls, count] = files.get(file) ?? [0, 0];
    files.set(file, [calls + callsPerTurn, count + 1]);
  }
  return [...files].map(([file, [calls, count]]) => [file, calls, count] as const).toSorted((a, b) => b[1] - a[1]);
}
