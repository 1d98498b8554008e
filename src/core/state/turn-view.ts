import type { Env } from '../env.ts';
import type { SubContext } from './sub-context.ts';
import type { RunContext } from './run-context.ts';

/** The part of `Env` that `turn.*` needs besides state: the tools of an agent. */
export type TurnViewEnv = Pick<Env, 'profiles' | 'toolsOf'>;

/**
 * Returns the root `turn` of an agent from state: the result of the current turn's model call. Only `tools` is present without
 * a current turn and until the call has ended.
 */
export function turnView(env: TurnViewEnv, run: RunContext, agent: SubContext): Readonly<Record<string, unknown>> {
  const turn = agent.turn.currentId === undefined ? undefined : run.turns.get(agent.turn.currentId);
  const { reply, error } = turn?.modelEnd ?? {};
  return {
    ...(error === undefined ? {} : { error: error.code }),
    ...(reply === undefined
      ? {}
      : { reply: reply.text, finish_reason: reply.finishReason, tool_calls: reply.toolCalls.map(({ name }) => name) }),
    // A getter: seldom read, and not free.
    get tools() {
      return toolNames(env, agent);
    },
  };
}

function toolNames(env: TurnViewEnv, agent: SubContext): readonly string[] {
  const profile = env.profiles.get(agent.meta.profile);
  return profile === undefined ? [] : [...env.toolsOf(profile, agent).tools.keys()];
}
