import type { AgentId, TurnId } from '../../core/ids.ts';
import type { ModelDelta } from '../../core/model/model.ts';
import { SecretStream } from '../../core/secrets/secret-stream.ts';
import type { Secrets } from '../../core/secrets/secrets.ts';
import { type Subscribers, ReplyPieces } from '../subscribers.ts';

/** Receives the pieces of one reply while it streams. */
export interface LiveDeltas {
  readonly onDelta: (delta: ModelDelta) => void;
  /** Ends the reply. */
  readonly end: () => void;
}

/** Passes the pieces of a reply to subscribers, without secrets, and keeps them until the reply ends, for late subscribers. */
export function liveDeltas(secrets: Secrets, subscribers: Subscribers, agentId: AgentId, turnId: TurnId): LiveDeltas {
  const told = new ReplyPieces();
  let isCatchingUp = false;
  const emit = (delta: ModelDelta): void => {
    told.add(delta);
    if (!isCatchingUp) subscribers.delta(agentId, turnId, delta);
  };
  const stream = secrets.size === 0 ? undefined : new SecretStream(secrets, emit);
  /** Pieces not yet searched for secrets, since no subscriber read them: a secret may begin in them. */
  let unseen: ModelDelta[] = [];
  const catchUp = (): void => {
    isCatchingUp = true;
    for (const earlier of unseen) stream?.push(earlier);
    unseen = [];
    isCatchingUp = false;
  };
  const leave = subscribers.begin(turnId, () => {
    catchUp();
    return { agentId, turnId, deltas: told.deltas };
  });
  return {
    // Checked for each piece: a subscriber added right after the launch receives the first model call, too.
    onDelta: (delta) => {
      if (stream === undefined) return emit(delta);
      if (!subscribers.wantsDeltas) {
        unseen.push(delta);
        return;
      }
      catchUp();
      stream.push(delta);
    },
    end: () => {
      stream?.end();
      leave();
    },
  };
}
