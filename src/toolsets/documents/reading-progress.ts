import type { ReadingProgress } from './search/index-documents.ts';

/** Milliseconds of reading after which it is reported, and between two reports. */
const reportMs = 1_000;

/** Describes how far the reading of documents is, such as `reading documents: 1,200 of 3,288 files`. */
export function describeReading({ done, total }: ReadingProgress): string {
  return `reading documents: ${done.toLocaleString('en-US')} of ${total.toLocaleString('en-US')} files`;
}

/** Reports every second how far the reading is, while work waits for it. */
export function reportReading(
  current: () => ReadingProgress | undefined,
  report: (fraction: number, note: string) => void,
): Disposable {
  const timer = setInterval(() => {
    const progress = current();
    if (progress !== undefined) report(progress.done / Math.max(1, progress.total), describeReading(progress));
  }, reportMs);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
