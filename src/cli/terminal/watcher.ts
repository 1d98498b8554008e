import type { Run } from '../../engine/run.ts';
import type { ToolProgress } from '../progress/agent-rows.ts';
import { liveFrame } from '../progress/live-frame.ts';
import { LiveView } from '../progress/live-view.ts';
import { createProgressLines, fitProgress, timedLine } from '../progress/progress-lines.ts';
import { createReadingLine, type Reading, tellReading } from '../progress/reading-line.ts';
import type { Terminal } from './terminal.ts';
import { jsonText } from './json-text.ts';
import type { CadreEvent } from '../../core/events/event.ts';

/** Form of progress output: redrawn in place, plain lines, JSON lines, or none. */
export type WatchMode = 'live' | 'lines' | 'json' | 'quiet';

/** Mode of the output, and the sequence number after which it starts; 0 when absent. */
export interface WatchOptions {
  readonly mode: WatchMode;
  readonly after?: number | undefined;
  /** How far documents have been read. */
  readonly reading?: Reading | undefined;
}

/** Progress output of a run; paused while a person is asked. */
export interface Watcher {
  /** Resolves when everything up to now is shown; shows nothing more until `go`. */
  pause(): Promise<void>;
  go(): void;
}

/** Chooses the mode that fits the terminal and the options. */
export function watchMode(
  terminal: Terminal,
  options: { readonly json?: boolean | undefined; readonly quiet?: boolean | undefined },
): WatchMode {
  if (options.json === true) return 'json';
  if (options.quiet === true) return 'quiet';
  return terminal.isLive ? 'live' : 'lines';
}

/** Starts progress output of a run, with the events after a sequence number. */
export function watchRun(run: Run, terminal: Terminal, { mode, after = 0, reading = () => undefined }: WatchOptions): Watcher {
  switch (mode) {
    case 'live':
      return watchLive(run, terminal, reading);
    case 'lines': {
      const toLine = createProgressLines(terminal.errorStyle, after === 0 ? undefined : run.state);
      const tell = (line: string): void => terminal.tell(`${fitProgress(line, terminal.errorWidth)}\n`);
      const startedAt = Date.now();
      tellReading(reading, (text) => tell(timedLine(Date.now() - startedAt, text, terminal.errorStyle)));
      return pumped(run, after, (event) => {
        const line = toLine(event);
        if (line !== undefined) tell(line);
      });
    }
    case 'json':
      return pumped(run, after, (event) => terminal.print(`${jsonText(event)}\n`));
    case 'quiet':
      return { pause: () => Promise.resolve(), go: () => undefined };
  }
}

function watchLive(run: Run, terminal: Terminal, reading: Reading): Watcher {
  const readingLine = createReadingLine(reading);
  const progress = new Map<string, { readonly fraction: number; readonly note: string }>();
  const toolProgress: ToolProgress = progress;
  const toLine = createProgressLines(terminal.errorStyle, run.state);
  run.subscribe({
    onProgress: ({ callId, fraction, note }) => void progress.set(callId, { fraction, note }),
    onEvents: (events) => {
      for (const event of events) {
        if (event.type === 'tool.end') progress.delete(event.callId);
        // Notices of agents and outages of providers stay on the screen.
        if (event.type === 'note.add' && (event.code === 'NOTICE' || event.code === 'MODEL_OUTAGE'))
          view.say(`${toLine(event) ?? ''}\n`);
      }
    },
  });
  const view = new LiveView(terminal, () =>
    liveFrame({
      run: run.state,
      now: Date.now(),
      columns: terminal.columns,
      rows: terminal.rows,
      style: terminal.errorStyle,
      progress: toolProgress,
      note: readingLine(),
    }),
  );
  view.start();
  return {
    pause: () => {
      view.stop();
      return Promise.resolve();
    },
    go: () => view.start(),
  };
}

function pumped(run: Run, after: number, onEvent: ConstructorParameters<typeof EventPump>[2]): Watcher {
  const pump = new EventPump(run, after, onEvent);
  return { pause: () => pump.caughtUp(), go: () => undefined };
}

/** Passes a run's events after a sequence number to `onEvent`; `caughtUp` waits until all were delivered. */
class EventPump {
  readonly #run: Run;
  readonly #stop = new AbortController();
  readonly #waiting = new Set<{ readonly seq: number; readonly resolve: () => void }>();
  readonly #done: Promise<void>;
  #seen: number;

  constructor(run: Run, after: number, onEvent: (event: CadreEvent) => void) {
    this.#run = run;
    this.#seen = after;
    this.#done = this.#pump(onEvent);
    // `caughtUp` reports failures; closing the run is not one.
    this.#done.catch(() => undefined);
  }

  /** Resolves when every event committed so far was delivered. */
  async caughtUp(): Promise<void> {
    const { seq } = this.#run.state;
    if (this.#seen >= seq) return;
    await Promise.race([this.#done, new Promise<void>((resolve) => this.#waiting.add({ seq, resolve }))]);
  }

  stop(): void {
    this.#stop.abort();
  }

  async #pump(onEvent: (event: CadreEvent) => void): Promise<void> {
    for await (const event of this.#run.events({ after: this.#seen, signal: this.#stop.signal })) {
      onEvent(event);
      this.#seen = event.seq;
      for (const waiter of this.#waiting) {
        if (this.#seen < waiter.seq) continue;
        this.#waiting.delete(waiter);
        waiter.resolve();
      }
    }
  }
}
