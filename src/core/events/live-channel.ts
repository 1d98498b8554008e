import type { RunId } from '../ids.ts';

/**
 * Port to what carries live data of runs (pieces of replies, progress of tools) between processes, beside their journal.
 *
 * 1. It may lose messages and never repeats one; messages of one source arrive in order.
 * 2. Nothing here waits or throws: no run is slower for its readers.
 * 3. A source without readers is asked for nothing.
 */
export interface LiveChannel {
  /** Offers the live data of a run to readers in other processes. */
  offer(runId: RunId, source: LiveSource): LiveOffer;
  /** Receives the messages of a run's sources from now on. */
  read(runId: RunId, receive: (message: string) => void): LiveReading;
}

/** Live data of a run that this process has. */
export interface LiveSource {
  /** Called when the run gets its first reader, and when it has none any more. */
  wanted(isWanted: boolean): void;
  /** A reader asks for replies from their beginning. */
  asked(reader: string): void;
  /** Returns what is to be sent, oldest first, in messages of at most `longest` bytes each, and forgets it. */
  take(longest: number): readonly string[];
}

/** A source on offer. */
export interface LiveOffer {
  /** Tells that there is something to take. */
  ready(): void;
  close(): void;
}

/** A reader of a run's live data. */
export interface LiveReading {
  /** Its name among all readers. */
  readonly reader: string;
  /** Asks the sources for replies from their beginning; happens by itself when messages may have been missed. */
  ask(): void;
  close(): void;
}
