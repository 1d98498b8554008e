import type { Env } from './env.ts';
import type { Transaction } from './events/transaction.ts';
import type { CompiledProfile } from './profile/profile.ts';
import type { RunContext } from './state/run-context.ts';
import type { SubContext } from './state/sub-context.ts';

/** Everything one decision about an agent reads and writes: the transaction, the environment, the agent and its profile. */
export class TurnContext {
  readonly tx: Transaction;
  readonly env: Env;
  /** The run as the events of this transaction leave it. */
  readonly run: RunContext;
  readonly agent: SubContext;
  readonly profile: CompiledProfile;

  /** Throws when the run has no profile of the agent's name, which launch and resume rule out. */
  constructor(tx: Transaction, env: Env, agent: SubContext) {
    this.tx = tx;
    this.env = env;
    this.run = tx.run;
    this.agent = agent;
    this.profile = profileOf(env, agent);
  }
}

/** Returns the profile of an agent; a run never starts an agent whose profile is missing. */
export function profileOf(env: Pick<Env, 'profiles'>, agent: SubContext): CompiledProfile {
  const profile = env.profiles.get(agent.meta.profile);
  if (profile === undefined) throw new Error(`agent ${agent.meta.agentId} has no profile '${agent.meta.profile}'`);
  return profile;
}
