import type { Env } from '../env.ts';
import type { SubContext } from './sub-context.ts';
import type { RunContext } from './run-context.ts';

/** What `turn.*` needs besides state: which tools an agent has. */
export type TurnViewEnv = Pick<Env, 'profiles' | 'toolsOf'>;

/**
 * The root `turn` of an agent, read from state: what the model call of its current turn ended in. Without a current turn (before one
 * begins) and until the call has ended, only `tools` is there.
 */
export function turnView(env: TurnViewEnv, run: RunContext, agent: SubContext): Readonly<Record<string, unknown>> {
  const turn = agent.turn.currentId === undefined ? undefined : run.turns.get(agent.turn.currentId);
  const { reply, error } = turn?.modelEnd ?? {};
  return {
    ...(error === undefined ? {} : { error: error.code }),
    ...(reply === undefined
      ? {}
      : { reply: reply.text, finish_reason: reply.finishReason, tool_calls: reply.toolCalls.map(({ name }) => name) }),
    // Seldom read, and not free.
    get tools() {
      return toolNames(env, agent);
    },
  };
}

function toolNames(env: TurnViewEnv, agent: SubContext): readonly string[] {
  const profile = env.profiles.get(agent.meta.profile);
  return profile === undefined ? [] : [...env.toolsOf(profile, agent).tools.keys()];
}
