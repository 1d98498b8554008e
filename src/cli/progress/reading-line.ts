import { describeReading } from '../../toolsets/documents/reading-progress.ts';
import type { ReadingProgress } from '../../toolsets/documents/search/index-documents.ts';

/** Milliseconds of reading before it is shown: mostly, it is over sooner. */
const quietMs = 1_000;
/** Milliseconds between two plain lines. */
const lineMs = 5_000;

/** How far documents have been read; undefined when none are being read. */
export type Reading = () => ReadingProgress | undefined;

/** Creates the line about documents that are being read; it returns undefined when none are, or have been only for a moment. */
export function createReadingLine(reading: Reading, now: () => number = Date.now): () => string | undefined {
  let since: number | undefined;
  return () => {
    const progress = reading();
    if (progress === undefined) {
      since = undefined;
      return undefined;
    }
    since ??= now();
    return now() - since < quietMs ? undefined : describeReading(progress);
  };
}

/** Tells a plain line every few seconds while documents are being read; ends with the process, or when it is disposed of. */
export function tellReading(reading: Reading, tell: (line: string) => void): Disposable {
  const line = createReadingLine(reading);
  let toldAt = -lineMs;
  const timer = setInterval(() => {
    const text = line();
    if (text === undefined || performance.now() - toldAt < lineMs) return;
    toldAt = performance.now();
    tell(text);
  }, 250);
  timer.unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}
