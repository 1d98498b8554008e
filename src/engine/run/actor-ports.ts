import type { Journal } from '../../core/events/journal.ts';
import type { EffectPorts } from '../effects/effect-ports.ts';
import type { EffectLinks, RunEffects } from '../effects/run-effects.ts';
import type { WatchedGate } from './decide-batch.ts';
import type { LoopThrottle } from './loop-throttle.ts';

/** Services that a run uses of its engine. */
export interface ActorPorts extends EffectPorts, WatchedGate {
  readonly journal: Journal;
  readonly loopThrottle: LoopThrottle;
  /** Fewest events between two snapshots of its state; set by tests only. */
  readonly snapshotEvery?: number | undefined;
  /** Calls back at the end of this tick of the event loop. */
  readonly defer: (callback: () => void) => void;
  /** Carries out the effects of the run; in this process when absent. */
  readonly effects?: ((links: EffectLinks) => RunEffects) | undefined;
}
