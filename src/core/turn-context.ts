import type { Env } from './env.ts';
import type { Transaction } from './events/transaction.ts';
import type { CompiledProfile } from './profile/profile.ts';
import type { RunContext } from './state/run-context.ts';
import type { SubContext } from './state/sub-context.ts';

/** Everything one decision about an agent reads and writes: the transaction, the environment, the agent and its profile. */
export class TurnContext {
  // Declared, not defined: a class of which many objects are made runs its constructor alone.
  declare readonly tx: Transaction;
  declare readonly env: Env;
  /** The run as the events of this transaction leave it. */
  declare readonly run: RunContext;
  declare readonly agent: SubContext;
  /** The agent's profile. Throws when the run has none of its name, as when a process without the run's profiles cancels it. */
  declare readonly profile: CompiledProfile;

  constructor(tx: Transaction, env: Env, agent: SubContext) {
    this.tx = tx;
    this.env = env;
    this.run = tx.run;
    this.agent = agent;
    // Read many times in a turn, and missing almost never.
    const value = env.profiles.get(agent.meta.profile);
    if (value === undefined) Object.defineProperty(this, 'profile', { get: () => profileOf(env, agent) });
    else this.profile = value;
  }
}

/**
 * Returns the profile of an agent. Throws in a process without the run's profiles; elsewhere there always is one, since a run starts no agent
 * without.
 */
export function profileOf(env: Pick<Env, 'profiles'>, agent: SubContext): CompiledProfile {
  const profile = env.profiles.get(agent.meta.profile);
  if (profile === undefined) throw new Error(`agent ${agent.meta.agentId} has no profile '${agent.meta.profile}'`);
  return profile;
}
