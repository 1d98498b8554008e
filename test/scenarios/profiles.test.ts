import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { createEngine, loadProfiles } from '../../src/index.ts';
import { createDocumentTools } from '../../src/toolsets/documents/create-document-tools.ts';
import { scriptedModel } from '../../src/testing/index.ts';
import { openEngine, play, promptOf, say, speaks, systemOf, toolsOf } from './scenario.ts';

const bundled = fileURLToPath(new URL('../../agent_profiles', import.meta.url));

const base = `
name: Base
type: base
llm_config_ref: m
tool_access_policy: { allowed_toolsets: [planning_tools, flow_control_end] }
text_definitions: { hello: Hello., bye: Bye. }
system_prompt_construction:
  system_prompt_segments:
    - { id: hello, type: static_text, order: 10, content_key: hello }
    - { id: middle, type: static_text, order: 20, content: Middle. }
    - { id: bye, type: static_text, order: 30, content_key: bye }
flow_decider:
  - { id: tool, condition: state.current_action, action: { type: continue_with_tool } }
  - { id: end, action: { type: end_agent_turn, outcome: success } }
`;

const child = `
name: Child
type: associate
base_profile: Base
tool_access_policy: { allowed_toolsets: [flow_control_end] }
text_definitions: { hello: "Good day." }
system_prompt_construction:
  system_prompt_segments:
    - { id: hello, order: 25 }
    - { id: middle, remove: true }
    - { id: more, type: static_text, order: 99, content: More. }
`;

describe('[B.27] A1.12 profiles', () => {
  it('[A1.12.profile-keys] every key of a profile is read, and an unknown one is an error with its place', async () => {
    const full = `
profile_id: 5f1c
name: Full
type: partner
rev: 3
is_active: true
is_deleted: false
timestamp: "2026-01-01"
available_for_staffing: true
description_for_human: All of it.
llm_config_ref: m
exposable_as_tool: null
tool_access_policy: { allowed_toolsets: [planning_tools], allowed_individual_tools: [finish_flow] }
instructions: Work.
pre_turn_observers: []
post_turn_observers: []
flow_decider: [{ id: end, action: { type: end_agent_turn, outcome: success } }]
text_definitions: { a: b }
inbox_handling_strategies: [{ source: MINE, ingestor: generic_message }]
`;
    const engine = await openEngine({ yaml: [full], models: { m: speaks() } });
    expect(engine.profiles.profiles.get('Full')).toMatchObject({
      name: 'Full',
      type: 'partner',
      rev: 3,
      isActive: true,
      isDeleted: false,
      availableForStaffing: true,
      description: 'All of it.',
      llmConfigRef: 'm',
    });
    await expect(openEngine({ yaml: [`${full}output_handling_config: {}\n`], models: { m: speaks() } })).rejects.toThrow(
      /Full\.yaml:\d+:\d+: unknown key .*output_handling_config/,
    );
  });

  it('[A1.12.inheritance] [D1.11] [B.28] maps merge, lists with ids merge by id and field, other lists and scalars replace, through a real run', async () => {
    const model = speaks('ok');
    const run = await play({ yaml: [child, base], models: { m: model } });
    expect(systemOf(model.requests[0])).toBe('Good day.\n\nBye.\n\nMore.');
    expect(toolsOf(model.requests[0])).toEqual(['finish_flow']);
    expect(run.turns()[0]?.decision.action?.ruleId).toBe('end');
    expect(run.turns()[0]?.profile).toBe('Child');
  });

  it('[A1.12.inheritance] a cycle or an unknown base is an error that shows the chain', async () => {
    const error = async (...yaml: string[]): Promise<string> =>
      await openEngine({ yaml, models: { m: speaks() } }).then(
        () => '',
        (thrown: Error) => thrown.message,
      );
    expect(await error('name: A\ntype: base\nbase_profile: B\n', 'name: B\ntype: base\nbase_profile: A\n')).toMatch(
      /A -> B -> A|B -> A -> B/,
    );
    expect(await error(child.replace('base_profile: Base', 'base_profile: Bse'), base)).toContain('did you mean');
  });

  it('[D1.29] all problems of all files are reported together, with file, line and column, and nothing is started', async () => {
    const error = await openEngine({
      yaml: [
        base.replace('content_key: bye', 'content_key: by'),
        child.replace('flow_control_end', 'flow_control_ende'),
        'name: X\ntype: associate\ninstructions: "{{ stat.x }}"\nllm_config_ref: n\n',
      ],
      models: { m: speaks() },
    }).then(
      () => '',
      (thrown: Error) => thrown.message,
    );
    for (const place of [/Base\.yaml:\d+:\d+/, /Child\.yaml:\d+:\d+/, /X\.yaml:\d+:\d+/, /flow_control_end/, /`n`|"n"|'n'/])
      expect(error).toMatch(place);
  });

  it('[D1.12] what an agent may do goes by its profile, whatever it is called', async () => {
    const model = speaks('ok');
    await play({
      yaml: [
        'name: Assoc_Odd\ntype: associate\nllm_config_ref: m\ninstructions: x\ntool_access_policy: { allowed_toolsets: [planning_tools] }\n',
      ],
      models: { m: model },
    });
    expect(toolsOf(model.requests[0])).toEqual(['manage_work_modules']);
  });

  it('[A1.12.shipped-profiles] the bundled profiles load without a warning and inherit what they share', async () => {
    const documents = createDocumentTools({ root: '.', outDir: '.' });
    const engine = await createEngine({ profiles: bundled, tools: documents.tools, store: 'memory', env: {} });
    expect(engine.profiles.warnings).toEqual([]);
    expect([...engine.profiles.profiles.keys()]).toEqual(
      expect.arrayContaining(['Associate_DocumentResearcher', 'Partner', 'Principal']),
    );
    const { profiles } = engine.profiles;
    expect(profiles.get('Partner')?.postTurnObservers.map(({ id }) => id)).toEqual(
      profiles
        .get('Principal')
        ?.postTurnObservers.map(({ id }) => id)
        .filter((id) => id !== 'suggest_new_plan'),
    );
    await engine.close();
  });
});

describe('[B.31] A1.12 LLM configs', () => {
  const agent = 'name: A\ntype: associate\nllm_config_ref: mine\ninstructions: x\n';
  const config = (name: string, more: string): string => `name: ${name}\ntype: llm_config\n${more}`;

  it('[A1.12.llm-config] inherits, reads the environment, and hands settings to the model', async () => {
    const model = speaks('ok');
    const run = await play({
      yaml: [
        agent,
        config(
          'shared',
          'config: { model: { _type: from_env, var: MY_MODEL, default: fallback }, temperature: 0.4, max_retries: 5 }\n',
        ),
        config(
          'mine',
          'base_llm_config: shared\nconfig: { temperature: { _type: from_env, var: MY_HEAT, default: 0.7 }, max_output_tokens: 99 }\n',
        ),
      ],
      models: { special: model },
      env: { MY_MODEL: 'special', MY_HEAT: '0.2' },
    });
    expect(run.state.outcome).toBe('success');
    expect(model.requests[0]).toMatchObject({ temperature: 0.2, maxOutputTokens: 99 });
  });

  it('[A1.12.llm-config] what is required and not set is said before a run starts; when_unconfigured names what stands in', async () => {
    const needs = config('mine', 'config: { model: { _type: from_env, var: MY_MODEL, required: true } }\n');
    const engine = await openEngine({ yaml: [agent, needs], models: { other: speaks() } });
    await expect(engine.launch({ profile: 'A', input: 'x' })).rejects.toMatchObject({
      code: 'MODEL_UNCONFIGURED',
      message: expect.stringContaining('MY_MODEL'),
    });
    const model = speaks('From the stand-in.');
    const yaml = [agent, needs.replace(' } }', ' }, when_unconfigured: second }'), config('second', 'config: { model: other }\n')];
    const run = await play({ yaml, models: { other: model } });
    expect(run.state.output).toBe('From the stand-in.');
    expect(run.turns()[0]?.attempts[0]?.config).toBe('second');
  });

  it('[A1.12.llm-config] a key stands in the environment, never in a file', async () => {
    const open = openEngine({
      yaml: [agent, config('mine', 'config: { model: other, api_key: sk-123456789 }\n')],
      models: { other: speaks() },
    });
    const error = await open.then(
      () => undefined,
      (thrown: Error) => thrown,
    );
    expect(error?.message).toMatch(/mine\.yaml:\d+:\d+.*api_key/);
    expect(error?.message).not.toContain('sk-123456789');
  });

  it('[A5.inference] [A1.12.call-llm] [B.4] [B.43] [A2.4.llm] retryable errors are tried again and recorded, others are not; an empty reply is asked again', async () => {
    const fast = config('mine', 'config: { model: m, max_retries: 2, wait_seconds_on_retry: 0.001 }\n');
    const flaky = scriptedModel([{ error: { status: 429 } }, { error: { status: 503 } }, say('ok')]);
    const run = await play({ yaml: [agent, fast], models: { m: flaky } });
    expect(run.turns()[0]?.attempts.map((attempt) => attempt.error?.code !== undefined)).toEqual([true, true, false]);
    const broken = scriptedModel([{ error: { status: 401 } }, say('never')]);
    const failed = await play({ yaml: [agent, fast], models: { m: broken } });
    expect(broken.requests).toHaveLength(1);
    expect(failed.state.outcome).toBe('error');
    const silent = scriptedModel([{ text: '' }, say('Sorry.')]);
    const answered = await play({ yaml: [agent, fast], models: { m: silent } });
    expect(answered.state.output).toBe('Sorry.');
    expect(silent.requests).toHaveLength(2);
    const cut = scriptedModel([{ text: 'Half a rep', cutAfter: 3 }, say('A whole reply.')]);
    const whole = await play({ yaml: [agent, fast], models: { m: cut } });
    expect(whole.state.output).toBe('A whole reply.');
  });

  it('[A1.12.aggregator] [B.42] reasoning, text and tool calls are put together from their pieces, usage is added up', async () => {
    const model = scriptedModel([
      {
        reasoning: 'Let me think.',
        text: 'I plan.',
        toolCalls: [{ name: 'manage_work_modules', args: { actions: [{ action: 'create', name: 'a', description: 'b' }] } }],
        usage: { inputTokens: 3, outputTokens: 4, reasoningTokens: 2 },
      },
      { text: 'Done.', usage: { inputTokens: 5, outputTokens: 1 } },
    ]);
    const run = await play({
      yaml: [`${agent.replace('mine', 'm')}tool_access_policy: { allowed_toolsets: [planning_tools] }\n`],
      models: { m: model },
    });
    expect(run.turns()[0]?.reply).toMatchObject({
      reasoning: 'Let me think.',
      text: 'I plan.',
      toolCalls: [{ name: 'manage_work_modules' }],
    });
    expect(run.state.usage).toMatchObject({ inputTokens: 8, outputTokens: 5, reasoningTokens: 2, modelCalls: 2 });
    expect(promptOf(model.requests[1])).toContain('I plan.');
  });

  it('[D1.2] a profile set that is loaded twice compiles to the same conditions', async () => {
    const known = {
      models: new Set(['m']),
      toolsets: new Set(['planning_tools', 'flow_control_end']),
      tools: new Set<string>(),
      ingestors: new Set<string>(),
    };
    const files = [
      { path: 'profiles/base.yaml', text: base },
      { path: 'profiles/child.yaml', text: child },
    ];
    const [one, two] = await Promise.all([loadProfiles({ files }, { known }), loadProfiles({ files }, { known })]);
    expect(one.profiles.get('Child')?.flowDecider.map((rule) => rule.condition?.source)).toEqual(
      two.profiles.get('Child')?.flowDecider.map((rule) => rule.condition?.source),
    );
  });
});
