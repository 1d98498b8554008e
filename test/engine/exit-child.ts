import { createEngine, defineTool } from '../../src/index.ts';
import { scriptedModel } from '../../src/testing/index.ts';

// A program that waits for the end of a run which waits for a person, or with `idle` for a message; with `close`, it closes its engine instead.
const text = `name: Payer
type: associate
llm_config_ref: m
instructions: You pay.
tool_access_policy: { allowed_individual_tools: [pay] }
tool_gates: [{ id: money, tools: [pay], verdict: ask }]
flow_decider:
  - { id: act, condition: state.current_action, action: { type: continue_with_tool } }
  - { id: rest, condition: 'true', action: { type: await_user_input } }
`;
const engine = await createEngine({
  profiles: { files: [{ path: 'profiles/Payer.yaml', text }] },
  models: {
    m: scriptedModel([process.argv[2] === 'idle' ? 'What shall I pay?' : { toolCalls: [{ id: 'c1', name: 'pay', args: {} }] }]),
  },
  tools: [defineTool({ name: 'pay', description: 'Pays.', execute: () => 'paid' })],
  team: false,
  store: 'memory',
});
const run = await engine.launch({ profile: 'Payer', input: 'Pay.', runId: 'invoice' });
await run.settled();
if (process.argv[2] === 'close') await engine.close();
else await run.result;
