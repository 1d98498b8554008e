import { describe, expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import type { ProfileFile } from '../../src/core/profile/profile.ts';
import { createEngine } from '../../src/index.ts';
import { convertFiles, type ConvertedTree } from '../../src/compat/commonground/convert-tree.ts';
import { createMemoryJournal } from '../../src/journal/memory-journal.ts';
import { scriptedModel } from '../../src/testing/index.ts';
import { agentsOf, call, promptOf, say, systemOf } from '../scenarios/scenario.ts';
import { verifyRun } from '../support/verify-run.ts';

const file = (path: string, text: string): ProfileFile => ({ path, text });

/** The converted file of a path, as data. */
function dataOf(tree: ConvertedTree, path: string): Record<string, unknown> {
  const found = tree.files.find((each) => each.path === path);
  return parse(found?.text ?? '{}') as Record<string, unknown>;
}

/** Formats findings as `line: message`. */
const messagesOf = ({ findings }: ConvertedTree, kind?: string): readonly string[] =>
  findings.filter((each) => kind === undefined || each.kind === kind).map(({ line, message }) => `${line}: ${message}`);

const filesOf = (tree: ConvertedTree): { readonly files: readonly ProfileFile[] } => ({
  files: tree.files.map(({ path, text }) => ({ path, text })),
});

const front = file(
  'examples/team/front.yaml',
  `name: Front
worker_target: worker_generic
tags: [partner]
description: Speaks with the user.
system_prompt_template: |
  You greet as {display_name}. Hand work to:
  {downstream_roster}
  Answers look like {{"ok": true}}; {anything} stays.
allowed_tools: [delegate_async, fork_join]
must_end_with: []
delegation_policy:
  target_tags: [associate]
  target_profiles: null
llm_config:
  model: gemini/gemini-2.5-flash
  temperature: 0.2
  stream: true
  tool_choice: auto
`,
);

const digger = file(
  'examples/team/digger.yaml',
  `name: Digger
worker_target: worker_generic
tags: associate, web
description: Looks things up.
system_prompt: Search with web_search, then call submit_result.
allowed_tools: [web_search]
allowed_internal_tools: [submit_result]
must_end_with: [submit_result]
llm_config:
  model: gpt-5-mini
  provider_options: { custom_llm_provider: openai }
`,
);

describe('F21: profiles of the second generation', () => {
  const tree = convertFiles([front, digger]);

  it('F21: keep their prompt, tools, delegation and model', () => {
    expect(messagesOf(tree, 'not_converted')).toEqual([]);
    expect(dataOf(tree, 'profiles/front.yaml')).toEqual({
      name: 'Front',
      type: 'partner',
      description_for_human: 'Speaks with the user.',
      instructions:
        'You greet as {{ meta.profile }}. Hand work to:\n- Digger (associate, web)\nAnswers look like {"ok": true}; {anything} stays.',
      tool_access_policy: { allowed_individual_tools: ['call_agent', 'call_agents'] },
      flow_decider: [
        { id: 'tool_call', condition: 'state.current_action', action: { type: 'continue_with_tool' } },
        { id: 'reply', action: { type: 'await_user_input' } },
      ],
      callable_profiles: ['Digger'],
      tool_choice: 'auto',
      llm_config_ref: 'Front_llm',
    });
    expect(dataOf(tree, 'llm_configs/Front_llm.yaml')).toEqual({
      name: 'Front_llm',
      type: 'llm_config',
      config: { model: 'google/gemini-2.5-flash', temperature: 0.2 },
    });
    expect(dataOf(tree, 'profiles/digger.yaml')).toMatchObject({
      type: 'associate',
      instructions: 'Search with search_web, then call finish_flow.',
      tool_access_policy: { allowed_individual_tools: ['search_web', 'finish_flow'] },
      flow_decider: [{ id: 'tool_call' }, { id: 'must_end_with', action: { type: 'loop_with_inbox_item' } }],
      llm_config_ref: 'Digger_llm',
    });
    expect(dataOf(tree, 'llm_configs/Digger_llm.yaml')['config']).toEqual({ model: 'openai/gpt-5-mini' });
  });

  it('F21: do their work: the one that must end with a result is reminded, and its caller reads it', async () => {
    const ofFront = [call('call_agent', { profile: 'Digger', input: 'Which tea?' }), say('It is green.')];
    const ofDigger = [say('I think it is green.'), call('finish_flow', { summary: 'Green tea.' })];
    const lead = scriptedModel(() => ofFront.shift() ?? say('Nothing more.'));
    const worker = scriptedModel(() => ofDigger.shift() ?? say('Nothing more.'));
    const store = createMemoryJournal();
    const models = { Front_llm: lead, Digger_llm: worker };
    const engine = await createEngine({ profiles: filesOf(tree), models, store, env: {}, random: () => 0 });
    onTestFinished(async () => await engine.close());
    const run = await engine.launch({ profile: 'Front', input: 'Which tea?' });
    await run.settled();
    await verifyRun(run, store, { requests: [...lead.requests, ...worker.requests] });
    expect(agentsOf(run, 'Digger')).toMatchObject([{ status: 'ended', result: { outcome: 'success' } }]);
    expect(worker.requests.map(promptOf)[1]).toContain('finish_flow');
    expect(lead.requests.map(promptOf)[1]).toContain('Green tea.');
    expect(lead.requests.map(systemOf)[0]).toContain('- Digger (associate, web)');
  });
});

it('F21: a v1 rule that says success on silence stays a success', async () => {
  const tree = convertFiles([
    file(
      'profiles/Quiet.yaml',
      `name: Quiet
type: associate
flow_decider:
  - id: tool_call
    condition: "v['state.current_action']"
    action: { type: continue_with_tool }
  - id: silent
    condition: "not v['state.current_action'] and len((v['state.messages'] or [{}])[-1].get('content', '').strip()) == 0"
    action: { type: end_agent_turn, outcome: success }
  - id: gave_up
    condition: "not v['state.current_action']"
    action: { type: end_agent_turn, outcome: error, error_message: No call. }
`,
    ),
  ]);
  const store = createMemoryJournal();
  const model = scriptedModel(() => say(''));
  await using engine = await createEngine({ profiles: filesOf(tree), models: { default: model }, store, env: {} });
  const run = await engine.launch({ profile: 'Quiet', input: 'Go.' });
  await run.settled();
  expect(agentsOf(run, 'Quiet')).toMatchObject([{ status: 'ended', result: { outcome: 'success' } }]);
});

describe('F21: a placeholder for a key', () => {
  it.each([
    'dummy',
    'EMPTY',
    'sk-no-key',
    'sk-no-key-required',
    'not-needed',
    'none',
    'ollama',
    'lm-studio',
    'your-api-key',
    'xxx',
    '',
  ])('F21: %j asks for no variable', (key) => {
    const tree = convertFiles([
      file(
        'llm_configs/local.yaml',
        `name: local\nconfig:\n  model: openai/qwen\n  base_url: http://localhost:8000/v1\n  api_key: ${JSON.stringify(key)}\n`,
      ),
    ]);
    expect(dataOf(tree, 'llm_configs/local.yaml')['config']).not.toHaveProperty('api_key');
    expect(messagesOf(tree, 'not_converted')).toEqual([]);
    expect(messagesOf(tree, 'left_out').join()).toContain('placeholder');
  });

  it('F21: as the default of a variable, the variable is not asked for', () => {
    const tree = convertFiles([
      file(
        'llm_configs/local.yaml',
        'name: local\nconfig:\n  model: hosted_vllm/q\n  api_key: { _type: from_env, var: LOCAL_KEY, default: EMPTY, required: true }\n',
      ),
    ]);
    expect(dataOf(tree, 'llm_configs/local.yaml')['config']).toEqual({ model: 'vllm/q' });
    expect(messagesOf(tree, 'changed').join()).toContain('LOCAL_KEY');
  });

  it.each(['sk-1234567890abcdef', 'AIzaSyA-real-looking', 'gsk_9f8e7d', 'test-8f3a9c21d0'])(
    'F21: %j is a key, not a placeholder',
    (key) => {
      const tree = convertFiles([file('llm_configs/a.yaml', `name: a\nconfig: { model: openai/x, api_key: ${key} }\n`)]);
      expect(dataOf(tree, 'llm_configs/a.yaml')['config']).toHaveProperty('api_key.var', 'A_API_KEY');
    },
  );
});
