import type { Clock } from '../../core/clock.ts';
import type { Env } from '../../core/env.ts';
import type { CadreEvent } from '../../core/events/event.ts';
import type { Effect } from '../../core/events/transaction.ts';
import type { DueWork } from '../../core/runtime.ts';
import type { RunContext } from '../../core/state/run-context.ts';
import type { EffectLinks, RunEffects } from '../effects/run-effects.ts';
import { RunTimers } from '../run/run-timers.ts';
import { toWork } from './due-work.ts';

/**
 * Effects of a run that are handed on: collected until a runtime takes them, and the time of the next deadline instead of a timer.
 */
export class CollectedEffects implements RunEffects {
  readonly size = 0;
  readonly #clock: Clock;
  readonly #timers: RunTimers;
  #works: DueWork[] = [];
  #alarm: { readonly at: number; readonly ring: () => void } | undefined;

  constructor({ clock, env }: { readonly clock: Clock; readonly env: () => Env }, { tell }: Pick<EffectLinks, 'tell'>) {
    this.#clock = clock;
    const setTimer: Clock['setTimer'] = (ms, ring) => {
      const alarm = { at: clock.monotonic() + ms, ring };
      this.#alarm = alarm;
      return () => {
        if (this.#alarm === alarm) this.#alarm = undefined;
      };
    };
    const waiting: Clock = { now: () => clock.now(), monotonic: () => clock.monotonic(), setTimer };
    this.#timers = new RunTimers({
      clock: waiting,
      unnoticedMs: () => 0,
      env,
      onDue: (deadlines) => tell({ kind: 'timer', deadlines }),
    });
  }

  /** Sets the deadlines of a run that was read from its journal. */
  begin(run: RunContext): void {
    this.#timers.begin(run);
  }

  /** Hands in the deadlines that have come due. */
  ring(): void {
    const alarm = this.#alarm;
    if (alarm === undefined || alarm.at > this.#clock.monotonic()) return;
    this.#alarm = undefined;
    alarm.ring();
  }

  /** Milliseconds until the next deadline; undefined when there is none. */
  get wakeInMs(): number | undefined {
    return this.#alarm === undefined ? undefined : Math.max(0, this.#alarm.at - this.#clock.monotonic());
  }

  /** Takes the works that became due. */
  take(): readonly DueWork[] {
    const works = this.#works;
    this.#works = [];
    return works;
  }

  start(run: RunContext, effect: Effect): void {
    const work = toWork(run, effect);
    if (work !== undefined) this.#works.push(work);
  }

  noteCommit(run: RunContext, events: readonly CadreEvent[]): void {
    this.#timers.note(run, events);
  }

  /** Engines that work on one run have clocks of their own: a jump of one of them is none of the run. */
  clockJump(): undefined {
    return undefined;
  }

  abortAll(): void {
    this.#timers.stop();
  }

  leave(): Promise<void> {
    this.#timers.stop();
    return Promise.resolve();
  }

  drain(): Promise<void> {
    return Promise.resolve();
  }

  whenDetachedSettled(): Promise<void> {
    return Promise.resolve();
  }
}
