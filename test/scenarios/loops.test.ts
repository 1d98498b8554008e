import { describe, expect, it } from 'vitest';
import type { ScriptedReply } from '../../src/testing/index.ts';
import { verifyRun } from '../support/verify-run.ts';
import { engineOver, journalOf, keepingCommits } from './agents.ts';
import { agentsOf, call, promptOf, speaks, toolsOf, turnsOf, type Model } from './scenario.ts';

const ends = `
name: flow
type: toolset
kind: flow
settings: { statuses: [success, ask, failure] }
`;

/** Two agents in turn: one drafts, the other ends with an answer, or asks for more. */
const loop = (more = ''): string => `
name: Loop
type: principal
instructions: You refine.
tool_access_policy: { allowed_toolsets: [agents] }
planner:
  type: loop
  max_iterations: 3
  steps:
    - id: draft
      tool: draft
      keep_agent: true
      args: { question: "{{ task }}", feedback: "{{ results.judge.ended_by.args.message }}", iteration: "{{ iteration }}" }
    - id: judge
      tool: judge
      args: { text: "{{ results.draft.data.output }}", iteration: "{{ iteration }}", last: "{{ iteration == max_iterations }}" }
  until: "results.judge.ended_by.tool == 'submit_answer'"
  answer: "{{ results.judge.data.output }}"
${more}
`;

const drafter = `
name: Drafter
type: associate
llm_config_ref: drafter
instructions: You draft.
exposable_as_tool: { name: draft, description: Drafts., parameters: { type: object, properties: { question: { type: string }, feedback: { type: [string, "null"] }, iteration: { type: integer } } } }
`;

const judge = `
name: InputGate
type: associate
llm_config_ref: judge
instructions: You judge.
tool_access_policy: { allowed_toolsets: [flow] }
text_definitions: { step: "Iteration {{ initial_params.iteration }}." }
pre_turn_observers:
  - { id: step, action: { type: add_to_inbox, inbox_item: { source: STEP_PROMPT, payload: { content_key: step } } } }
  - { id: force, condition: initial_params.last, action: { type: set_tool_choice, tool_choice: submit_answer } }
  - { id: only, condition: initial_params.last, action: { type: filter_tools, only: [submit_answer] } }
inbox_handling_strategies:
  - { source: STEP_PROMPT, ingestor: templated_content, params: { is_persistent_in_memory: false } }
exposable_as_tool: { name: judge, description: Judges., resumable: false, parameters: { type: object, properties: { text: { type: string }, iteration: { type: integer }, last: { type: boolean } } } }
`;

const asks = (message: string) => call('terminate', { status: 'ask', message });
const submits = call('submit_answer', { answer: 'A kite.' });

async function looped(models: Readonly<Record<string, Model>>, more = '', others: readonly string[] = [drafter, judge, ends]) {
  const { engine, journal } = await engineOver([loop(more), ...others], models);
  const run = await engine.launch({ profile: 'Loop', input: 'What is it?' });
  await run.settled();
  await verifyRun(run, journal, { requests: Object.values(models).flatMap((model) => model.requests) });
  return { run, result: await run.result };
}

const steps = (run: Awaited<ReturnType<typeof looped>>['run']) =>
  turnsOf(run, 'Loop').flatMap(({ toolInteractions }) => toolInteractions.map(({ providerCallId }) => providerCallId));

describe('[B.69] [A3.refinement-flow] a loop over two agents', () => {
  it('goes by the call that ended the second one, hands its words to the first, and ends when it answers', async () => {
    const models = {
      drafter: speaks('Something red.', 'A red kite.'),
      judge: speaks(asks('What shape, and is "final answer" written on it?'), submits),
    };
    const { run, result } = await looped(models);
    expect(result).toMatchObject({ status: 'completed', output: 'A kite.' });
    expect(steps(run)).toEqual(['draft@1', 'judge@1', 'draft@2', 'judge@2']);
    expect(agentsOf(run, 'Drafter')).toHaveLength(1);
    expect(agentsOf(run, 'InputGate')).toHaveLength(2);
    expect(promptOf(models.drafter.requests[1])).toContain('What shape');
    expect(promptOf(models.drafter.requests[1])).toContain('Something red.');
    expect(promptOf(models.judge.requests[1])).toContain('Iteration 2.');
    expect(promptOf(models.judge.requests[1])).not.toContain('Something red.');
    expect(turnsOf(run, 'Loop').at(-1)?.reply.reasoning).toContain(
      "iteration 2 of 3: 'results.judge.ended_by.tool == 'submit_answer'' holds",
    );
  });

  it('[A3.forced-answer] in the last iteration the second one can only answer', async () => {
    const models = { drafter: speaks('a', 'b', 'c'), judge: speaks(asks('more'), asks('more'), asks('more'), submits) };
    const { run, result } = await looped(models);
    expect(result.output).toBe('A kite.');
    expect(models.judge.requests.map(toolsOf)).toEqual([
      ['terminate', 'submit_answer'],
      ['terminate', 'submit_answer'],
      ['submit_answer'],
      ['submit_answer'],
    ]);
    expect(turnsOf(run, 'InputGate')[2]?.toolInteractions[0]).toMatchObject({ name: 'terminate', status: 'denied' });
    expect(steps(run)).toHaveLength(6);
  });

  it('when nothing is good enough in the last iteration it says so, as an error or in its words', async () => {
    const never = { drafter: speaks('a', 'b', 'c'), judge: speaks(asks('x'), asks('y'), 'I do not know.') };
    const failed = await looped(never);
    expect(failed.result).toMatchObject({
      status: 'failed',
      error: { code: 'PLAN_FAILED', message: expect.stringContaining('did not hold after 3 iterations') },
    });
    const again = { drafter: speaks('a', 'b', 'c'), judge: speaks(asks('x'), asks('y'), 'I do not know.') };
    const said = await looped(again, '  default: { say: "As far as we know: {{ last.data.output }}" }');
    expect(said.result).toMatchObject({ status: 'completed', output: 'As far as we know: I do not know.' });
    const refusing = { drafter: speaks('a', 'b', 'c'), judge: speaks(asks('x'), asks('y'), 'I do not know.') };
    const refused = await looped(refusing, '  default: { fail: "Nobody knows after {{ max_iterations }}." }');
    expect(refused.result).toMatchObject({ error: { code: 'PLAN_FAILED', message: 'Nobody knows after 3.' } });
  });
});

const busy: ScriptedReply = { error: { status: 503, message: 'too many askers' } };
const refuses: ScriptedReply = { error: { status: 400, message: 'no such thing' } };

/** The same team with a drafter whose model is asked once only. */
async function once(models: Readonly<Record<string, Model>>, more = '') {
  const config = 'name: quick\ntype: llm_config\nconfig: { model: drafter, max_retries: 0 }\n';
  const quick = drafter.replace('llm_config_ref: drafter', 'llm_config_ref: quick');
  return await looped(models, more, [quick, judge, ends, config]);
}

describe('[A3.iteration-errors] an iteration that fails', () => {
  it('in a way that passes is followed by the next, with a new agent; the record says why', async () => {
    const models = { drafter: speaks(busy, 'A red kite.'), judge: speaks(submits) };
    const { run, result } = await once(models);
    expect(result.output).toBe('A kite.');
    expect(steps(run)).toEqual(['draft@1', 'draft@2', 'judge@2']);
    expect(agentsOf(run, 'Drafter')).toHaveLength(2);
    const why = turnsOf(run, 'Loop')[1]?.reply.reasoning;
    expect(why).toContain("step 'draft' failed in iteration 1 of 3: 'draft' ended with error (MODEL_UNAVAILABLE");
    expect(why).toContain('it passes; iteration 2 of 3');
  });

  it.each([
    ['in the last iteration', [busy, busy, busy], '', 'in iteration 3 of 3', 3],
    ['in a way that does not pass', [refuses], '', 'in iteration 1 of 3', 1],
    ['with a code that the profile does not name', [busy], '  recover_from: [MODEL_TIMEOUT]', 'in iteration 1 of 3', 1],
  ] as const)(
    '%s is the failure of the plan, and the message is no longer than it may be',
    async (_title, replies, more, says, count) => {
      const { run, result } = await once({ drafter: speaks(...replies), judge: speaks() }, more);
      expect(result).toMatchObject({ status: 'failed', error: { code: 'PLAN_FAILED', message: expect.stringContaining(says) } });
      expect(result.error?.message.length).toBeLessThan(1_002);
      expect(steps(run)).toHaveLength(count);
    },
  );
});

it('a loop goes on where it stood, wherever the process dies', async () => {
  const { journal, commits } = keepingCommits();
  const models = () => ({ drafter: speaks('Something red.', 'A red kite.'), judge: speaks(asks('What shape?'), submits) });
  const yaml = [loop(), drafter, judge, ends];
  const { engine } = await engineOver(yaml, models(), journal);
  const run = await engine.launch({ profile: 'Loop', input: 'What is it?' });
  await run.settled();
  const whole = steps(run);
  for (let cut = 1; cut < commits.length; cut += 3) {
    const said = commits.slice(0, cut).flatMap(({ events }) => events.filter((event) => event.type === 'model.end'));
    const count = (profile: string) => said.filter(({ agentId }) => agentId.startsWith(profile)).length;
    const rest = {
      drafter: speaks(...['Something red.', 'A red kite.'].slice(count('Drafter'))),
      judge: speaks(...[asks('What shape?'), submits].slice(count('InputGate'))),
    };
    const second = await engineOver(yaml, rest, await journalOf(commits.slice(0, cut)));
    const resumed = await second.engine.resume(run.id);
    await resumed.settled();
    expect([cut, steps(resumed)]).toEqual([cut, whole]);
    expect(resumed.state.output).toBe('A kite.');
    await second.engine.close();
  }
});
