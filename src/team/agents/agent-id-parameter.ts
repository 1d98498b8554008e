import type { JsonObject } from '../../core/json.ts';

/** The argument by which a caller continues an agent it called before. */
export const agentIdParameter: JsonObject = {
  type: 'string',
  description:
    'An agent you called before, by the agent_id of its report: it goes on with everything it has seen and said. Leave it out for a new one.',
};
