import type * as restate from '@restatedev/restate-sdk';
import type { RunId } from '../core/ids.ts';
import type { Applied, Delivery, DueWork, RuntimeHost } from '../core/runtime.ts';
import type { Sdk } from './load-sdk.ts';

/** Names of the services of one journal in Restate. */
export interface ServiceNames {
  /** Virtual object of each run, by its id. */
  readonly runs: string;
  readonly effects: string;
  /** Virtual object that knows which Restate this is, and for which journal; its only key is `self`. */
  readonly cluster: string;
}

export function serviceNames(name: string): ServiceNames {
  return { runs: `${name}_runs`, effects: `${name}_effects`, cluster: `${name}_cluster` };
}

/** What the cluster object tells. */
export interface ClusterFacts {
  readonly restate: string;
  readonly journal: string;
}

/** Milliseconds: a longer work takes no other message of Restate meanwhile, and must not count as stuck. */
const longestWork = 7 * 24 * 3_600_000;
/** Tried again for ever: an input that was accepted is applied. Another worker gets it next, so there is no need to wait long. */
const retryPolicy = {
  initialInterval: 50,
  exponentiationFactor: 2,
  maxInterval: 1_000,
  maxAttempts: 1_000_000_000,
  onMaxAttempts: 'pause',
} as const;

/** The journal has the history: Restate keeps only what shows that a message was seen before. */
const options = {
  retryPolicy,
  inactivityTimeout: longestWork,
  abortTimeout: longestWork,
  journalRetention: 0,
  idempotencyRetention: 6 * 3_600_000,
} as const;

interface AppliedHere extends Applied {
  /** Wall time at which it was applied. */
  readonly at: number;
}

/**
 * Services of a worker: one virtual object per run, and the effects.
 *
 * 1. Restate runs one handler of a run at a time; what an input made due is remembered there before it is sent (`ctx.run`), so that a handler
 *    that is tried again sends the same.
 * 2. Works have their key as idempotency key, and outcomes their id.
 * 3. At most one alarm is on its way per run, unless a nearer deadline comes up.
 */
export function restateServices(
  sdk: Pick<Sdk, 'rpc' | 'object' | 'service'>,
  names: ServiceNames,
  host: RuntimeHost,
  now = Date.now,
) {
  const { rpc } = sdk;
  const effects = { name: names.effects } as restate.ServiceDefinition<string, EffectHandlers>;
  const runs = { name: names.runs } as restate.VirtualObjectDefinition<string, RunHandlers>;

  const follow = async (ctx: restate.ObjectContext, { works, wakeInMs, at }: AppliedHere): Promise<void> => {
    const runId = ctx.key as RunId;
    for (const work of works) ctx.serviceSendClient(effects).perform({ runId, work }, rpc.sendOpts({ idempotencyKey: work.key }));
    if (wakeInMs === undefined) return;
    const due = at + wakeInMs;
    const set = (await ctx.get<number>('alarm')) ?? 0;
    if (set > at && set <= due + 100) return;
    ctx.set('alarm', due);
    ctx.objectSendClient(runs, ctx.key).wake({}, rpc.sendOpts({ delay: Math.ceil(wakeInMs) }));
  };

  const runObject = sdk.object({
    name: names.runs,
    handlers: {
      apply: async (ctx: restate.ObjectContext, delivery: Delivery): Promise<Pick<Applied, 'refused'>> => {
        const runId = ctx.key as RunId;
        const applied = await ctx.run('apply', async (): Promise<AppliedHere> => ({
          ...(await host.apply(runId, delivery)),
          at: now(),
        }));
        await follow(ctx, applied);
        return applied.refused === undefined ? {} : { refused: applied.refused };
      },
      wake: async (ctx: restate.ObjectContext, _: object): Promise<void> => {
        ctx.clear('alarm');
        const runId = ctx.key as RunId;
        await follow(ctx, await ctx.run('wake', async () => ({ ...(await host.wake(runId)), at: now() })));
      },
    },
    options,
  });

  const effectService = sdk.service({
    name: names.effects,
    handlers: {
      perform: async (ctx: restate.Context, { runId, work }: { readonly runId: RunId; readonly work: DueWork }): Promise<void> => {
        const { attemptCompletedSignal } = ctx.request();
        const deliveries = await ctx.run('perform', async () => await host.perform(runId, work, attemptCompletedSignal));
        for (const delivery of deliveries)
          ctx.objectSendClient(runs, runId).apply(delivery, rpc.sendOpts({ idempotencyKey: delivery.id }));
      },
    },
    options,
  });

  return [runObject, effectService, clusterObject(sdk, names)];
}

/** Virtual object that keeps its facts from the first call on. */
function clusterObject(sdk: Pick<Sdk, 'object'>, names: ServiceNames) {
  return sdk.object({
    name: names.cluster,
    handlers: {
      identify: async (ctx: restate.ObjectContext, { journal }: { readonly journal: string }): Promise<ClusterFacts> => {
        const known = await ctx.get<ClusterFacts>('facts');
        if (known !== null) return known;
        const facts = { restate: ctx.rand.uuidv4(), journal };
        ctx.set('facts', facts);
        return facts;
      },
    },
    options: { retryPolicy },
  });
}

interface RunHandlers {
  apply(ctx: restate.ObjectContext, delivery: Delivery): Promise<Pick<Applied, 'refused'>>;
  wake(ctx: restate.ObjectContext, nothing: object): Promise<void>;
}

interface EffectHandlers {
  perform(ctx: restate.Context, what: { readonly runId: RunId; readonly work: DueWork }): Promise<void>;
}
