/**
 * Lane of one provider key: all calls of a process that use the key queue here.
 *
 * Owns: the start of requests. Does not own: making or retrying them.
 *
 * 1. Requests start in order of their tickets, that is of when their calls first asked; none overtakes one it competes with.
 * 2. No minute has more requests or tokens than the starting call's config allows, and no instant more parallel requests.
 * 3. After a rate limit error (429) no request starts before the pause is over. Then one starts, and each answer allows one more to
 *    be unanswered: twice as many with each round.
 * 4. A request that cannot start in time is refused as soon as that is known, at its deadline at the latest.
 */
import type { Clock } from '../../core/clock.ts';
import type { RateLimit } from '../../core/model/llm-config.ts';
import type { RateNotice } from './rate-headers.ts';

const minuteMs = 60_000;

// With this many unanswered requests after a rate limit error, the lane is unrestricted again.
const wideWindow = 64;

/** Request waiting to start. */
export interface LaneEntry {
  readonly ticket: number;
  readonly model: string;
  readonly limit: RateLimit | undefined;
  /** Estimated; `ended` reports the actual number. */
  readonly tokens: number;
  /** Monotonic instant after which starting is useless. */
  readonly until: number;
  readonly signal: AbortSignal;
}

/** Permission for one request; returned when the request is over. */
export interface LanePass {
  readonly kind: 'pass';
  readonly model: string;
  readonly startedAt: number;
  tokens: number;
  isAnswered: boolean;
  /** True while it counts in the last minute. */
  isCounted: boolean;
}

/** Refusal to start: `late` gives the milliseconds after which it could have started, if known. */
export type LaneRefusal = { readonly kind: 'late'; readonly dueMs: number | undefined } | { readonly kind: 'aborted' };

interface Waiter {
  readonly entry: LaneEntry;
  readonly leave: (end: LanePass | LaneRefusal) => void;
}

/** State of one model, from the provider's answers. */
interface ModelState {
  pausedUntil: number;
  /** Most unanswered requests at a time. */
  window: number;
  unanswered: number;
  requests: Remaining | undefined;
  tokens: Remaining | undefined;
}

interface Remaining {
  left: number;
  readonly resetAt: number;
}

export class RateLane {
  readonly #clock: Clock;
  readonly #waiters: Waiter[] = [];
  readonly #models = new Map<string, ModelState>();
  /** Requests of the last minute, oldest first; kept once a config has a limit. */
  readonly #log: LanePass[] = [];
  /** Tokens of all of them. */
  #logged = 0;
  #isCounted = false;
  #running = 0;
  #cancelTimer: (() => void) | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Asks to start a request; answers synchronously when it need not wait. */
  enter(entry: LaneEntry): LanePass | LaneRefusal | Promise<LanePass | LaneRefusal> {
    if (entry.limit !== undefined) this.#isCounted = true;
    if (entry.signal.aborted) return { kind: 'aborted' };
    const now = this.#clock.monotonic();
    if (this.#waiters.length === 0) {
      const due = Math.max(this.#laneDue(entry, now), this.#modelDue(entry, now));
      if (due <= now) return this.#admit(entry, now);
      if (isTooLate(due, entry)) return { kind: 'late', dueMs: due - now };
    }
    return new Promise((resolve) => {
      const onAbort = (): void => {
        waiter.leave({ kind: 'aborted' });
        this.#serve();
      };
      const waiter: Waiter = {
        entry,
        leave: (end) => {
          const place = this.#waiters.indexOf(waiter);
          if (place < 0) return;
          this.#waiters.splice(place, 1);
          entry.signal.removeEventListener('abort', onAbort);
          resolve(end);
        },
      };
      entry.signal.addEventListener('abort', onAbort, { once: true });
      const after = this.#waiters.findLastIndex((other) => other.entry.ticket <= entry.ticket);
      this.#waiters.splice(after + 1, 0, waiter);
      this.#serve();
    });
  }

  /** Notes that the provider answered a request, with the limits in its headers. */
  answered(pass: LanePass, notice: RateNotice | undefined): void {
    const state = this.#stateOf(pass.model);
    if (!pass.isAnswered) {
      pass.isAnswered = true;
      state.unanswered -= 1;
      state.window = state.window >= wideWindow ? Number.POSITIVE_INFINITY : state.window + 1;
    }
    if (notice !== undefined) this.observe(pass.model, notice);
    this.#serve();
  }

  /** Notes the remaining limits that a provider's headers report. */
  observe(model: string, { requests, tokens }: RateNotice): void {
    const now = this.#clock.monotonic();
    const state = this.#stateOf(model);
    if (requests !== undefined) state.requests = { left: requests.remaining, resetAt: now + requests.resetMs };
    if (tokens !== undefined) state.tokens = { left: tokens.remaining, resetAt: now + tokens.resetMs };
  }

  /** Pauses a model after a rate limit error; then requests start one by one. */
  paused(model: string, pauseMs: number): void {
    const state = this.#stateOf(model);
    state.pausedUntil = Math.max(state.pausedUntil, this.#clock.monotonic() + pauseMs);
    state.window = 1;
  }

  /** Notes the end of a request; `tokens` is its actual usage, if known. */
  ended(pass: LanePass, tokens: number | undefined): void {
    this.#running -= 1;
    if (!pass.isAnswered) {
      pass.isAnswered = true;
      this.#stateOf(pass.model).unanswered -= 1;
    }
    if (tokens !== undefined) {
      if (pass.isCounted) this.#logged += tokens - pass.tokens;
      pass.tokens = tokens;
    }
    this.#serve();
  }

  /** Starts waiting requests in order and sets the timer for the next one. */
  #serve(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    if (this.#waiters.length === 0) return;
    const now = this.#clock.monotonic();
    const held = new Set<string>();
    let isHeld = false;
    let next = Number.POSITIVE_INFINITY;
    for (const { entry, leave } of [...this.#waiters]) {
      next = Math.min(next, entry.until);
      if (entry.until <= now) {
        leave({ kind: 'late', dueMs: undefined });
        continue;
      }
      if (isHeld || held.has(entry.model)) continue;
      const laneDue = this.#laneDue(entry, now);
      const due = Math.max(laneDue, this.#modelDue(entry, now));
      if (due <= now) leave(this.#admit(entry, now));
      else if (isTooLate(due, entry)) leave({ kind: 'late', dueMs: due - now });
      else {
        next = Math.min(next, due);
        if (laneDue > now) isHeld = true;
        else held.add(entry.model);
      }
    }
    if (this.#waiters.length === 0) return;
    this.#cancelTimer = this.#clock.setTimer(Math.max(0, next - now), () => this.#serve());
  }

  #admit(entry: LaneEntry, now: number): LanePass {
    const { model, tokens } = entry;
    const pass: LanePass = { kind: 'pass', model, startedAt: now, tokens, isAnswered: false, isCounted: this.#isCounted };
    const state = this.#stateOf(model);
    state.unanswered += 1;
    if (state.requests !== undefined) state.requests.left -= 1;
    if (state.tokens !== undefined) state.tokens.left -= tokens;
    this.#running += 1;
    if (pass.isCounted) {
      this.#log.push(pass);
      this.#logged += tokens;
    }
    return pass;
  }

  /** Returns the instant at which the config's own limits allow a request; infinite while it waits for another to end. */
  #laneDue({ limit, tokens }: LaneEntry, now: number): number {
    if (limit === undefined) return now;
    this.#forgetOld(now);
    if (limit.maxParallel !== undefined && this.#running >= limit.maxParallel) return Number.POSITIVE_INFINITY;
    const log = this.#log;
    const perMinute = limit.requestsPerMinute ?? Number.POSITIVE_INFINITY;
    const blocking = log.length >= perMinute ? log[log.length - perMinute] : undefined;
    let due = blocking === undefined ? now : blocking.startedAt + minuteMs;
    // A request larger than a whole minute's limit starts when it is alone in its minute.
    let over = this.#logged + tokens - (limit.tokensPerMinute ?? Number.POSITIVE_INFINITY);
    for (let index = 0; over > 0 && index < log.length; index += 1) {
      const pass = log[index];
      if (pass === undefined) break;
      over -= pass.tokens;
      due = Math.max(due, pass.startedAt + minuteMs);
    }
    return due;
  }

  #forgetOld(now: number): void {
    for (let oldest = this.#log[0]; oldest !== undefined && oldest.startedAt + minuteMs <= now; oldest = this.#log[0]) {
      this.#log.shift();
      this.#logged -= oldest.tokens;
      oldest.isCounted = false;
    }
  }

  /** Returns the instant at which the provider allows a request for a model, as far as is known. */
  #modelDue({ model, tokens }: LaneEntry, now: number): number {
    const state = this.#models.get(model);
    if (state === undefined) return now;
    if (state.unanswered >= state.window && state.pausedUntil <= now) return Number.POSITIVE_INFINITY;
    let due = state.pausedUntil;
    if (state.requests !== undefined) {
      if (state.requests.resetAt <= now) state.requests = undefined;
      else if (state.requests.left < 1) due = Math.max(due, state.requests.resetAt);
    }
    if (state.tokens !== undefined) {
      if (state.tokens.resetAt <= now) state.tokens = undefined;
      else if (state.tokens.left < tokens) due = Math.max(due, state.tokens.resetAt);
    }
    return due;
  }

  #stateOf(model: string): ModelState {
    const known = this.#models.get(model);
    if (known !== undefined) return known;
    const state: ModelState = {
      pausedUntil: Number.NEGATIVE_INFINITY,
      window: Number.POSITIVE_INFINITY,
      unanswered: 0,
      requests: undefined,
      tokens: undefined,
    };
    this.#models.set(model, state);
    return state;
  }
}

function isTooLate(due: number, { until }: LaneEntry): boolean {
  return due > until && due !== Number.POSITIVE_INFINITY;
}
