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

/** Hands the pieces of a reply to subscribers, without secrets; without subscribers it only keeps them until the reply is over. */
export function liveDeltas(secrets: Secrets, subscribers: Subscribers, agentId: AgentId, turnId: TurnId): LiveDeltas {
  let isWatched = false;
  const emit = (delta: ModelDelta): void => {
    if (isWatched) subscribers.delta(agentId, turnId, delta);
  };
  const stream = secrets.size === 0 ? undefined : new SecretStream(secrets, emit);
  /** Pieces that came before anything watched: a secret may begin in them. */
  let unseen: ModelDelta[] = [];
  return {
    // Asked per piece: a subscriber that comes right after a launch hears the first model call, too.
    onDelta: (delta) => {
      if (!subscribers.wantsDeltas) {
        if (stream !== undefined) unseen.push(delta);
        return;
      }
      isWatched = false;
      for (const earlier of unseen) stream?.push(earlier);
      unseen = [];
      isWatched = true;
      if (stream === undefined) emit(delta);
      else stream.push(delta);
    },
    end: () => stream?.end(),
  };
}
