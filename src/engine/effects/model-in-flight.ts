import type { AgentId, TurnId } from '../../core/ids.ts';
import type { ModelOutcome } from '../../core/model/model.ts';
import type { Input } from '../run/input.ts';
import { couldNotBeMade } from './effect-faults.ts';
import type { InFlight } from './in-flight.ts';
import type { LiveReply } from './live-reply.ts';

/** The model call of a turn, while it is made. */
export class ModelInFlight implements InFlight<ModelOutcome> {
  // Declared, not defined: one is made per turn.
  declare readonly kind: 'model';
  declare readonly key: TurnId;
  declare readonly abort: AbortController;
  /** The reply as it streams. */
  declare readonly reply: LiveReply;
  declare readonly agentId: AgentId;
  declare isClosing: boolean;
  declare settled: Promise<void> | undefined;

  constructor(agentId: AgentId, turnId: TurnId, reply: LiveReply) {
    this.kind = 'model';
    this.key = turnId;
    this.abort = new AbortController();
    this.reply = reply;
    this.agentId = agentId;
    this.isClosing = false;
    this.settled = undefined;
  }

  ended(outcome: ModelOutcome): Input {
    this.reply.end();
    return { kind: 'model', agentId: this.agentId, turnId: this.key, outcome };
  }

  failed(thrown: unknown): Input {
    return this.ended(couldNotBeMade(thrown));
  }
}
