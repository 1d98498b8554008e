import type { AgentId, TurnId } from '../../core/ids.ts';
import type { ModelDelta } from '../../core/model/model.ts';
import { SecretStream } from '../../core/secrets/secret-stream.ts';
import type { Secrets } from '../../core/secrets/secrets.ts';
import { type ReplySoFar, type Subscribers, ReplyPieces } from '../subscribers.ts';

/**
 * A reply while it streams: passes its pieces to subscribers, without secrets, and keeps them until the reply ends, for late subscribers.
 * While no one reads them, a piece costs one push: pieces are searched for secrets, and joined, when someone does.
 */
export class LiveReply {
  /** Receives the next piece. */
  readonly onDelta: (delta: ModelDelta) => void;
  readonly #secrets: Secrets;
  readonly #subscribers: Subscribers;
  readonly #agentId: AgentId;
  readonly #turnId: TurnId;
  /** Pieces that no subscriber has read: a secret may begin in them. */
  #unread: ModelDelta[] = [];
  #told: ReplyPieces | undefined;
  #stream: SecretStream | undefined;
  #isCatchingUp = false;
  #isOver = false;

  constructor(secrets: Secrets, subscribers: Subscribers, agentId: AgentId, turnId: TurnId) {
    this.#secrets = secrets;
    this.#subscribers = subscribers;
    this.#agentId = agentId;
    this.#turnId = turnId;
    // Checked for each piece: a subscriber added right after the launch receives the first model call, too.
    this.onDelta = (delta) => {
      if (this.#isOver) return;
      if (subscribers.wantsDeltas) this.#pass(delta);
      else this.#unread.push(delta);
    };
    subscribers.begin(turnId, this);
  }

  /** The reply up to now. */
  get soFar(): ReplySoFar {
    return { agentId: this.#agentId, turnId: this.#turnId, deltas: this.#catchUp().deltas };
  }

  /** Ends the reply; what a model says after its call was given up is not passed on. */
  end(): void {
    this.#stream?.end();
    // Nothing reads the pieces any more, and what refers to an ended reply may be collected much later.
    this.#isOver = true;
    this.#unread = [];
    this.#subscribers.end(this.#turnId, this);
  }

  #pass(delta: ModelDelta): void {
    this.#catchUp();
    this.#push(delta);
  }

  #push(delta: ModelDelta): void {
    if (this.#stream === undefined) this.#emit(delta);
    else this.#stream.push(delta);
  }

  /** Prepares the pieces that no subscriber has read, without sending them: a late subscriber reads them as part of the reply so far. */
  #catchUp(): ReplyPieces {
    if (this.#told === undefined) {
      this.#told = new ReplyPieces();
      if (this.#secrets.size > 0) this.#stream = new SecretStream(this.#secrets, (clean) => this.#emit(clean));
    }
    if (this.#unread.length > 0) {
      const unread = this.#unread;
      this.#unread = [];
      this.#isCatchingUp = true;
      for (const earlier of unread) this.#push(earlier);
      this.#isCatchingUp = false;
    }
    return this.#told;
  }

  #emit(delta: ModelDelta): void {
    this.#told?.add(delta);
    if (!this.#isCatchingUp) this.#subscribers.delta(this.#agentId, this.#turnId, delta);
  }
}
