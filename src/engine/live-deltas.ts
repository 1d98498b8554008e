import type { AgentId, TurnId } from '../core/ids.ts';
import type { ModelDelta } from '../core/model.ts';
import { SecretStream } from '../core/secret-stream.ts';
import type { Secrets } from '../core/secrets.ts';
import type { Subscribers } from './subscribers.ts';

/** Where the pieces of one reply go while it streams. */
export interface LiveDeltas {
  readonly onDelta: (delta: ModelDelta) => void;
  /** The reply is over. */
  readonly end: () => void;
}

/** Hands the pieces of a reply to whoever watches, rid of secrets; nobody watches, nothing is done. */
export function liveDeltas(secrets: Secrets, subscribers: Subscribers, agentId: AgentId, turnId: TurnId): LiveDeltas {
  const emit = (delta: ModelDelta): void => subscribers.delta(agentId, turnId, delta);
  let stream: SecretStream | undefined;
  return {
    // Asked per piece: who subscribes right after a launch hears the first model call, too.
    onDelta: (delta) => {
      if (!subscribers.wantsDeltas) return;
      if (secrets.size === 0) emit(delta);
      else (stream ??= new SecretStream(secrets, emit)).push(delta);
    },
    end: () => stream?.end(),
  };
}
