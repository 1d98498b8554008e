import type { Env } from '../../core/env.ts';
import type { ModelOutcome } from '../../core/model/model.ts';
import { TurnContext } from '../../core/turn-context.ts';
import { callModel, type AgentPorts, type TurnTicket } from './call-model.ts';
import { finishTurn } from './finish-turn.ts';
import type { Node } from './node.ts';
import { prepareTurn } from './prepare-turn.ts';

/**
 * Makes the generic agent node (A1.1): every agent of every profile runs on it, one turn per pass.
 *
 * prep (`prepare-turn.ts`) reads the inbox and writes `turn.start`; exec (`call-model.ts`) makes one model call through the
 * gateway; post (`finish-turn.ts`) records the reply, and its action names what follows.
 */
export function createAgentNode(env: Env): Node<TurnTicket, ModelOutcome, AgentPorts> {
  return {
    name: 'agent',
    prep: (tx, agent) => {
      const prepared = prepareTurn(new TurnContext(tx, env, agent));
      return typeof prepared === 'string' ? undefined : prepared;
    },
    exec: (ticket, ports) => {
      try {
        return callModel(env, ticket, ports);
      } catch (thrown) {
        // A call that cannot even be made (a config that lost its key) rejects, as a failed call does.
        return Promise.reject(thrown);
      }
    },
    post: (tx, agent, ticket, outcome) => finishTurn(new TurnContext(tx, env, agent), ticket, outcome),
  };
}
