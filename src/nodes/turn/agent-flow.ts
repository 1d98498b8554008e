import { Flow } from './node.ts';

/** Next step of an agent's flow: its tools, itself again, waiting, or its end. */
export type AgentStep = 'agent' | 'tool' | 'wait' | 'end';

/**
 * The flow every agent runs on: which step follows which decided action. Tools have no edges: their results wake the agent through its
 * inbox.
 */
export const agentFlow = new Flow<AgentStep>()
  .on('agent', 'continue_with_tool', 'tool')
  .on('agent', 'call_tool', 'tool')
  .on('agent', 'loop_with_inbox_item', 'agent')
  .on('agent', 'retry_turn', 'agent')
  .on('agent', 'set_tool_choice', 'agent')
  .on('agent', 'await_user_input', 'wait')
  .on('agent', 'await', 'wait')
  .on('agent', 'end_agent_turn', 'end')
  .on('agent', 'limit', 'end')
  .on('agent', 'error', 'end')
  .on('agent', 'interrupted', 'agent');
