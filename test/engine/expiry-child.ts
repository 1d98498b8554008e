import { createEngine, defineTool } from '../../src/index.ts';
import { scriptedModel } from '../../src/testing/index.ts';

// A program that has nothing to do but wait for what the first argument says: that an approval expires, or a person decides.
const [what = 'expiry'] = process.argv.slice(2);

const text = `name: Payer
type: associate
llm_config_ref: m
instructions: You pay.
tool_access_policy: { allowed_individual_tools: [pay] }
tool_gates: [{ id: money, tools: [pay], verdict: ask, expires_after: ${what === 'expiry' ? '300ms' : '10m'} }]
flow_decider:
  - { id: act, condition: state.current_action, action: { type: continue_with_tool } }
  - { id: rest, condition: 'true', action: { type: ${what === 'expiry' ? 'end_agent_turn, outcome: success' : 'await_user_input'} } }
`;

const engine = await createEngine({
  profiles: { files: [{ path: 'profiles/Payer.yaml', text }] },
  models: {
    m: scriptedModel(({ prompt }) =>
      JSON.stringify(prompt).includes('"tool"') ? { text: 'done' } : { toolCalls: [{ name: 'pay', args: {} }] },
    ),
  },
  tools: [defineTool({ name: 'pay', description: 'Pays.', execute: () => 'paid' })],
  team: false,
});
const run = await engine.launch({ profile: 'Payer', input: 'Pay.' });
await run.settled();
if (what === 'decided') {
  await run.approve(run.pending[0]?.id ?? '');
  await run.settled();
  process.stdout.write(`${run.state.status} with ${run.pending.length} pending\n`);
} else {
  const { outcome } = await run.result;
  process.stdout.write(`${outcome}: ${run.turns()[0]?.toolInteractions[0]?.error?.code ?? 'no error'}\n`);
}
