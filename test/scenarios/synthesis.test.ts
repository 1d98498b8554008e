import { expect, it } from 'vitest';
import { agentsOf, call, dataOf, play, promptOf, say, speaks, turnsOf } from './scenario.ts';

const manager = `
name: Manager
type: principal
llm_config_ref: manager
instructions: Ask the workers, then have one answer made of what they bring.
callable_profiles: [Worker, Synthesiser]
tool_access_policy: { allowed_toolsets: [agents] }
`;

const worker = `
name: Worker
type: associate
llm_config_ref: worker
instructions: You answer.
`;

const synthesiser = `
name: Synthesiser
type: associate
llm_config_ref: synthesiser
instructions: Make one answer of the results.
output_schema:
  type: object
  required: [operation, payload, human_readable_summary]
  properties: { operation: { type: string }, payload: { type: object }, human_readable_summary: { type: string } }
`;

it('[A4.1.synthesis] [B.68] one structured answer is made of what workers brought: held to its shape, and asked for again until it fits', async () => {
  const results = ['Sales rose.', 'Costs fell.'];
  const answer = { operation: 'report', payload: { sales: 'up', costs: 'down' }, human_readable_summary: 'Profit rose.' };
  const managerModel = speaks(
    call('call_agents', { calls: results.map((_, index) => ({ profile: 'Worker', input: `Question ${index + 1}` })) }),
    call('call_agent', { profile: 'Synthesiser', input: 'How did it go?', data: { results } }),
    'Profit rose.',
  );
  const synthesiserModel = speaks('Profit rose, I think.', JSON.stringify(answer));
  const run = await play({
    yaml: [manager, worker, synthesiser],
    models: { manager: managerModel, worker: speaks(...results.map(say)), synthesiser: synthesiserModel },
    input: 'How did it go?',
  });
  expect(run.state.outcome).toBe('success');
  expect(agentsOf(run, 'Worker')).toHaveLength(2);
  for (const result of results) expect(promptOf(synthesiserModel.requests[0])).toContain(result);
  expect(turnsOf(run, 'Synthesiser')).toHaveLength(2);
  const report = dataOf(run, 'call_agent');
  expect(report).toMatchObject({ status: 'success', profile: 'Synthesiser' });
  expect(JSON.parse(String(report['output']))).toEqual(answer);
});
