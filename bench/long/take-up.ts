/*
 * `node take-up.ts STORE RUN_ID`: a new process that takes up a run, and prints how long that took as JSON (`TakenUp`).
 */
import { longEngine, longModel, openJournal } from './long-engine.ts';

/** How long a process took, in milliseconds. */
export interface TakenUp {
  /** From loading the engine to a list of one run: files of code, profiles, connection. */
  readonly open: number;
  /** `engine.resume`, its commit included. */
  readonly resume: number;
  /** CPU time of it. */
  readonly cpu: number;
  /** From the call of `resume` until the model has the next call. */
  readonly call: number;
  readonly seq: number;
  readonly snapshotSeq: number;
  readonly messages: number;
}

const [store = '', runId = ''] = process.argv.slice(2);
const called = Promise.withResolvers<number>();
const begun = performance.now();
const journal = await openJournal(store);
const engine = await longEngine(
  journal,
  longModel(0, () => called.resolve(performance.now())),
);
await engine.runs({ limit: 1 });
const opened = performance.now();
const before = process.cpuUsage();
const run = await engine.resume(runId);
const resumed = performance.now();
const { user, system } = process.cpuUsage(before);
const calledAt = await called.promise;
const snapshot = await journal.snapshot?.(run.state.meta.runId);
const taken: TakenUp = {
  open: opened - begun,
  resume: resumed - opened,
  cpu: (user + system) / 1000,
  call: calledAt - opened,
  seq: run.state.seq,
  snapshotSeq: snapshot?.seq ?? 0,
  messages: [...run.state.agents.values()][0]?.history.messages.length ?? 0,
};
process.stdout.write(JSON.stringify(taken));
await engine.close({ graceMs: 0 });
await journal.close();
