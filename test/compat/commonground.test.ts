import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import type { JsonObject } from '../../src/core/json.ts';
import type { ProfileFile } from '../../src/core/profile/profile.ts';
import { createEngine, type Run } from '../../src/index.ts';
import { convertFiles, convertFolder, type ConvertedTree } from '../../src/compat/commonground/convert-tree.ts';
import type { Finding } from '../../src/compat/commonground/finding.ts';
import { checkProfiles } from '../../src/profiles/load-profiles.ts';
import { createMemoryJournal } from '../../src/journal/memory-journal.ts';
import { assignment, finish, launch, move, plan } from '../scenarios/team.ts';
import { agentsOf, call, promptOf, say, systemOf, turnsOf, type Model } from '../scenarios/scenario.ts';
import { scriptedModel, type ScriptedRequest } from '../../src/testing/index.ts';
import { verifyRun } from '../support/verify-run.ts';

const stock = path.join(import.meta.dirname, 'stock', 'agent_profiles');
const expected = path.join(import.meta.dirname, 'stock-converted');

/** A file of a tree in memory. */
const file = (name: string, text: string): ProfileFile => ({ path: `tree/${name}`, text });

/** Converts a profile with these keys, alone in a tree. */
function convertProfile(
  keys: string,
  ...more: readonly ProfileFile[]
): { readonly data: Record<string, unknown>; readonly tree: ConvertedTree } {
  const tree = convertFiles([file('profiles/Agent.yaml', `name: Agent\ntype: agent\n${keys}`), ...more]);
  const text = tree.files.find(({ path: name }) => name === 'profiles/Agent.yaml')?.text ?? '{}';
  return { data: parse(text) as Record<string, unknown>, tree };
}

/** Formats findings as `line:column message`. */
const messagesOf = (findings: readonly Finding[], kind?: Finding['kind']): readonly string[] =>
  findings
    .filter((finding) => kind === undefined || finding.kind === kind)
    .map(({ line, column, message }) => `${line}:${column} ${message}`);

/** The files of a converted tree, as the loader takes them. */
const asFiles = ({ files }: ConvertedTree): { readonly files: readonly ProfileFile[] } => ({
  files: files.map(({ path: name, text }) => ({ path: name, text })),
});

describe('the stock family', () => {
  it('is converted as a whole, to these files', async () => {
    const tree = await convertFolder(stock);
    expect(messagesOf(tree.findings, 'not_converted')).toEqual([]);
    if (process.env['UPDATE_GOLDEN'] === '1') {
      for (const { path: name, text } of tree.files) {
        await mkdir(path.join(expected, path.dirname(name)), { recursive: true });
        await writeFile(path.join(expected, name), text);
      }
    }
    const names = (await readdir(expected, { recursive: true, encoding: 'utf8' })).filter((name) => name.endsWith('.yaml'));
    expect(tree.files.map((each) => each.path).toSorted()).toEqual(names.toSorted());
    for (const { path: name, text } of tree.files)
      expect(`${name}\n${text}`).toBe(`${name}\n${await readFile(path.join(expected, name), 'utf8')}`);
  });

  it('loads without an error, and warns of the flag that it reads and nothing writes', async () => {
    await using engine = await createEngine({ profiles: asFiles(await convertFolder(stock)), store: 'memory', env: {} });
    expect(engine.profiles.warnings.map(({ message }) => message)).toEqual([
      'nothing writes `flags.consecutive_no_progress_turns`',
    ]);
    expect([...engine.profiles.profiles.keys()].toSorted()).toEqual([
      'Associate_WebSearcher',
      'Base_Agent',
      'Base_Associate',
      'Partner',
      'Principal',
    ]);
  });

  it('does its work: Partner, Principal, Associates, and back', async () => {
    const { run, associates, lead } = await playStock();
    expect(turnsOf(run, 'Partner').at(-1)?.reply.text).toBe('Here is the report.');
    const [principal] = agentsOf(run, 'Principal');
    expect(principal).toMatchObject({ status: 'ended', result: { outcome: 'success' } });
    // Each Associate spoke without a tool first: its rules gave it another turn, with a reminder at the second time.
    expect(agentsOf(run, 'Associate_WebSearcher').map(({ result: { outcome } }) => outcome)).toEqual(['success', 'success']);
    expect(turnsOf(run, 'Associate_WebSearcher').map(({ decision }) => decision?.action?.type)).toContain('retry_turn');
    expect(Object.values(run.state.team.workModules).map(({ status }) => status)).toEqual(['completed', 'completed']);
    // Faults of the source system that the conversion mends: titles of observers, inheritance, segments that only say `order`.
    const partnerSaw = lead.requests.map(promptOf).join('\n');
    expect(partnerSaw).toContain('### Work modules now');
    expect(partnerSaw).toContain('The principal has ended.');
    const [briefing = ''] = lead.requests.filter(isPrincipal).map(promptOf);
    expect(briefing).toContain('What the user asked');
    expect(briefing).toContain('The plan so far');
    const prompts = associates.requests.map((request) => `${systemOf(request)}\n${promptOf(request)}`);
    expect(prompts[0]).toContain('Date (UTC): 20');
    expect(prompts[0]).toContain('You work on module WM_1: About Tea.');
    expect(prompts[0]).toContain('{{"literal": true}}');
    expect(prompts[0]).toContain('All about tea.');
    expect(prompts.some((prompt) => prompt.includes("You called no tool while working on 'WM_1'."))).toBe(true);
  });
});

const isPrincipal = (request: ScriptedRequest): boolean => systemOf(request).includes('# You lead');

async function playStock(): Promise<{ readonly run: Run; readonly lead: Model; readonly associates: Model }> {
  const messagesOf = (module: string): JsonObject =>
    assignment(module, 'Look.', { agent_profile_logical_name: 'Associate_WebSearcher' });
  const together = { shared_context_for_all_assignments: 'All about tea.', assignments: [messagesOf('WM_1'), messagesOf('WM_2')] };
  const ofPrincipal = [call('dispatch_submodules', together), move('completed', 'WM_1', 'WM_2'), finish('The report.')];
  const ofPartner = [plan('Tea', 'Pots'), launch('Which tea?'), say('Work has begun.'), say('Here is the report.')];
  const lead = scriptedModel((request) => (isPrincipal(request) ? ofPrincipal : ofPartner).shift() ?? say('Nothing more.'));
  const associates = scriptedModel((request) =>
    promptOf(request).includes('You called no tool') ? finish('Found.', { primary_summary: 'Found.' }) : say('I look.'),
  );
  const run = await openStock({ principal_llm: lead, associate_llm: associates });
  return { run, lead, associates };
}

async function openStock(models: Readonly<Record<string, Model>>): Promise<Run> {
  const store = createMemoryJournal();
  const engine = await createEngine({ profiles: asFiles(await convertFolder(stock)), models, store, env: {}, random: () => 0 });
  onTestFinished(async () => await engine.close());
  const run = await engine.launch({ profile: 'Partner', input: 'Which tea?' });
  await run.settled();
  await verifyRun(run, store, { requests: Object.values(models).flatMap(({ requests }) => requests) });
  return run;
}

/** The first item of a list of the converted profile. */
function first(data: Record<string, unknown>, ...keys: readonly string[]): Record<string, unknown> {
  let at: unknown = data;
  for (const key of keys) at = (at as Record<string, unknown>)[key];
  return ((at as readonly unknown[])[0] ?? {}) as Record<string, unknown>;
}

const observer = (action: string, phase = 'pre_turn_observers'): string =>
  `${phase}:\n  - id: o\n    type: declarative\n    condition: "v['flags.n']"\n    action: ${action}\n`;

describe('observers', () => {
  it('leaves out actions of the decider, which had no effect there', () => {
    const { data, tree } = convertProfile(observer('{ type: end_agent_turn, outcome: success }', 'post_turn_observers'));
    expect(data['post_turn_observers']).toEqual([]);
    expect(messagesOf(tree.findings, 'left_out')).toEqual([
      '7:21 the observer o: end_agent_turn is not an action of observers and had no effect',
    ]);
  });

  it('post with the ingestor and to the agent they name, which had no effect in CommonGround', () => {
    const item =
      '{ source: X_DONE, payload: "{{ team.work_modules }}", ingestor_id: work_modules_ingestor, consumption_policy: keep }';
    const { data, tree } = convertProfile(observer(`{ type: add_to_inbox, target_agent_id: Principal, inbox_item: ${item} }`));
    expect(first(data, 'pre_turn_observers')['action']).toEqual({
      type: 'add_to_inbox',
      target_agent_id: 'principal',
      inbox_item: {
        source: 'X_DONE',
        payload: '{{ team.work_modules }}',
        ingestor_id: 'work_modules',
        consumption_policy: 'persistent_until_consumed',
      },
    });
    expect(messagesOf(tree.findings, 'changed').join('\n')).toMatch(/goes to Principal[^]*had no effect in CommonGround/);
  });

  it('keep payloads as they stood: only one that is a placeholder was replaced', () => {
    const payload = '{ a: "{{ flags.n }}", text: "n is {{ flags.n }}" }';
    const { data } = convertProfile(observer(`{ type: add_to_inbox, inbox_item: { source: X, payload: ${payload} } }`));
    const action = first(data, 'pre_turn_observers')['action'] as { readonly inbox_item: unknown };
    expect(action.inbox_item).toEqual({ source: 'X', payload: { a: '\\{{ flags.n }}', text: 'n is \\{{ flags.n }}' } });
  });

  it('keep max_turns of persistent items; the other metadata is left out', () => {
    const item = '{ source: X, consumption_policy: persistent_until_consumed, metadata: { max_turns_in_inbox: 2, mark: 1 } }';
    const { data, tree } = convertProfile(observer(`{ type: add_to_inbox, inbox_item: ${item} }`));
    expect(first(data, 'pre_turn_observers')['action']).toMatchObject({ inbox_item: { max_turns: 2 } });
    expect(messagesOf(tree.findings, 'left_out')).toEqual(['7:107 items have no metadata in Cadre: mark']);
  });

  it('change state below its new roots', () => {
    const updates =
      '[{ operation: set, path: flags.a, value: 1 }, { operation: increment, path: total }, { operation: set, path: messages, value: [] }, { operation: push, path: x }]';
    const { data, tree } = convertProfile(observer(`{ type: update_state, updates: ${updates} }`));
    const action = first(data, 'pre_turn_observers')['action'] as { readonly updates: readonly { readonly path: string }[] };
    expect(action.updates.map((update) => update.path)).toEqual(['flags.a', 'values.total', 'values.messages']);
    expect(messagesOf(tree.findings, 'not_converted')).toEqual([
      '7:153 state.messages belongs to the engine in Cadre; observers change flags, values, deliverables and team.shared',
      '7:189 in CommonGround v1, only set and increment of a path changed state',
    ]);
  });
});

describe('rules', () => {
  const decider = (...rules: readonly string[]): string => `flow_decider:\n${rules.map((rule) => `  - ${rule}\n`).join('')}`;

  it('one without a condition never matched; one that is always true has none', () => {
    const { data } = convertProfile(
      decider(
        '{ id: never, action: { type: await_user_input } }',
        '{ id: always, condition: "True", action: { type: await_user_input } }',
      ),
    );
    expect(data['flow_decider']).toEqual([
      { id: 'never', condition: false, action: { type: 'await_user_input' } },
      { id: 'always', action: { type: 'await_user_input' } },
    ]);
  });

  it('when none matched, another turn followed: the last rule says so', () => {
    const { data } = convertProfile(
      decider(`{ id: call, condition: "v['state.current_action']", action: { type: continue_with_tool } }`),
    );
    expect((data['flow_decider'] as readonly unknown[]).at(-1)).toMatchObject({
      id: 'no_rule_matched',
      action: { type: 'retry_turn' },
    });
  });

  it('that rule comes after those that inheriting profiles add', () => {
    const call = `{ id: call, condition: "v['state.current_action']", action: { type: continue_with_tool } }`;
    const heir = (name: string, rules: string): ProfileFile =>
      file(`profiles/${name}.yaml`, `name: ${name}\nbase_profile: Base\n${rules}`);
    const adds = decider(`{ id: more, condition: "v['flags.x']", action: { type: await_user_input } }`);
    const { files } = convertFiles([
      file('profiles/Base.yaml', `name: Base\n${decider(call)}`),
      heir('Adds', adds),
      heir('Takes', ''),
    ]);
    const has = files.filter(({ text }) => text.includes('no_rule_matched')).map(({ path: name }) => name);
    expect(has.toSorted()).toEqual(['profiles/Adds.yaml', 'profiles/Takes.yaml']);
  });

  it('a rule with an unknown action does not load until it is rewritten', async () => {
    const { tree } = convertProfile(decider('{ id: r, condition: "True", action: { type: jump } }'));
    expect(messagesOf(tree.findings, 'not_converted')).toEqual(['4:49 jump is not an action of the flow decider']);
    const { diagnostics } = await checkProfiles(asFiles(tree));
    expect(diagnostics.map(({ message }) => message)).toContain('unknown function `not_converted`');
  });
});

describe('conditions', () => {
  it('one that cannot be converted is reported at its place, kept as text, and does not load', async () => {
    const { data, tree } = convertProfile(
      "flow_decider:\n  - id: r\n    condition: |\n      v['flags.n'] and \\\n      lambda: \"it's\"\n    action: { type: await_user_input }\n",
    );
    expect(tree.findings.filter(({ kind }) => kind === 'not_converted')).toMatchObject([
      {
        file: 'tree/profiles/Agent.yaml',
        line: 7,
        column: 7,
        message: 'condition: unexpected `lambda`',
        hint: expect.stringContaining('write') as string,
      },
    ]);
    expect(first(data, 'flow_decider')['condition']).toBe(String.raw`not_converted('v[\'flags.n\'] and \\\nlambda: "it\'s"')`);
    const { set, diagnostics } = await checkProfiles(asFiles(tree));
    expect(set).toBeUndefined();
    expect(diagnostics.map(({ message, source }) => `${source.line}: ${message}`)).toContain('5: unknown function `not_converted`');
  });

  it('reports a flag that no observer sets', () => {
    const { tree } = convertProfile(observer('{ type: update_state, updates: [{ operation: set, path: flags.m, value: 1 }] }'));
    expect(messagesOf(tree.findings, 'changed').slice(1)).toEqual([
      '6:19 condition: no observer sets flags.n; docs/conditions.md lists the built-in counters',
    ]);
  });
});

describe('texts', () => {
  it('placeholders read the paths of this system; all other braces stay as they are', async () => {
    const { data, tree } = convertProfile(
      [
        'text_definitions:',
        '  t: |-',
        '    {{ state.messages }} {{run.creation_timestamp}} {{ meta.assigned_role_name }} {{ mandate }} {{ a b }} {"x": {{}}}',
        '    {{ team.turns }} {{ flags.odd-name }} `visit_url` my_visit_url visit_url2',
        '',
      ].join('\n'),
    );
    expect((data['text_definitions'] as Record<string, string>)['t']).toBe(
      [
        '{{ state.messages }} {{ run.created_at }} {{ meta.role_name }} {{ state.values.mandate }} \\{{ a b }} {"x": \\{{}}}',
        "\\{{ team.turns }} {{ flags['odd-name'] }} `fetch_page` my_visit_url visit_url2",
      ].join('\n'),
    );
    expect(messagesOf(tree.findings, 'not_converted')).toEqual(['6:5 {{ team.turns }}: the team has no list of turns']);
    expect((await checkProfiles(asFiles(tree))).set).toBeDefined();
  });

  it('strategies say what they left to a default, which is another one here', () => {
    const { data } = convertProfile(
      `inbox_handling_strategies:
  - { source: A, ingestor: generic_message_ingestor, injection_mode: prepend_to_role, params: { role: system, content_template: "{{ payload.x }} {{ y }}" } }
  - { source: A, ingestor: json_history_ingestor }
  - { source: B }
`,
    );
    expect(data['inbox_handling_strategies']).toEqual([
      {
        source: 'A',
        ingestor: 'generic_message',
        injection_mode: 'prepend_to_role',
        params: { role: 'user', content_template: '{{ payload.x }} {{ state.values.y }}', is_persistent_in_memory: false },
      },
      { source: 'B', params: { is_persistent_in_memory: false } },
    ]);
  });
});

describe('inheritance', () => {
  const base = file(
    'profiles/Base.yaml',
    `name: Base
tool_access_policy: { allowed_toolsets: [flow_control_end, planning_tools] }
system_prompt_construction:
  system_prompt_segments:
    - { id: a, type: static_text, content: Base., condition: "v['flags.n']", order: 5 }
    - { id: b, type: static_text, content: Base. }
`,
  );

  it('lists are written out, and whole items replace what they replaced', () => {
    const { data } = convertProfile(
      `base_profile: Base
tool_access_policy: { allowed_toolsets: [reporting_tools, planning_tools] }
system_prompt_construction:
  system_prompt_segments:
    - { id: a, type: static_text, content: Own. }
    - { id: b, order: 1 }
`,
      base,
    );
    expect(data['tool_access_policy']).toEqual({ allowed_toolsets: ['flow_control_end', 'reporting_tools', 'planning_tools'] });
    expect(data['system_prompt_construction']).toEqual({
      system_prompt_segments: [
        { id: 'a', type: 'static_text', content: 'Own.', condition: 'true', order: 99 },
        { id: 'b', order: 1 },
      ],
    });
  });

  it('of profiles with one name the active one of the highest revision is converted', () => {
    const other = (rev: number, more = ''): ProfileFile =>
      file(`profiles/r${rev}.yaml`, `name: Twice\nrev: ${rev}\ntype: agent\n${more}`);
    const { files, findings } = convertFiles([other(1), other(3, 'is_active: false\n'), other(2)]);
    expect(files.map(({ from }) => from)).toEqual(['tree/profiles/r2.yaml']);
    expect(findings.filter(({ kind }) => kind === 'left_out').map((finding) => finding.file)).toEqual([
      'tree/profiles/r1.yaml',
      'tree/profiles/r3.yaml',
    ]);
  });

  it('reports a circle or a missing base: such profiles were never loaded', () => {
    const heir = (name: string, of: string): ProfileFile => file(`profiles/${name}.yaml`, `name: ${name}\nbase_profile: ${of}\n`);
    const { files, findings } = convertFiles([heir('A', 'B'), heir('B', 'A'), heir('C', 'Nobody')]);
    expect(files).toEqual([]);
    expect(findings.map(({ kind, file: name }) => `${kind} ${name}`)).toEqual([
      'not_converted tree/profiles/A.yaml',
      'not_converted tree/profiles/B.yaml',
      'not_converted tree/profiles/C.yaml',
    ]);
  });
});

describe('tools', () => {
  it('reports a tool that a text mentions but the profile may not call', () => {
    const { tree } = convertProfile(
      'tool_access_policy: { allowed_toolsets: [flow_control_end] }\ntext_definitions: { t: "Call `generate_message_summary`, then `finish_flow`." }\n',
    );
    expect(messagesOf(tree.findings, 'changed')).toContain(
      '1:1 a text mentions generate_message_summary, which the profile may not call',
    );
    expect(messagesOf(tree.findings, 'changed').join()).not.toContain('finish_flow');
  });

  it('maps names; reports unknown ones with their places, and leaves them out', () => {
    const { data, tree } = convertProfile(
      'tool_access_policy:\n  allowed_toolsets: [rag_tools, G, made_up]\n  allowed_individual_tools: [SendDirectiveToPrincipalTool, G_search, nothing]\n',
      file('mcp.json', '{ "mcpServers": { "G": { "command": "gemini", "args": ["mcp"] } } }'),
    );
    expect(data['tool_access_policy']).toEqual({
      allowed_toolsets: ['knowledge', 'G'],
      allowed_individual_tools: ['send_directive', 'G_search'],
    });
    expect(messagesOf(tree.findings, 'not_converted')).toEqual([
      '4:36 Cadre has no toolset made_up; the profile is converted without it',
      '5:70 Cadre has no tool nothing; the profile is converted without it',
    ]);
  });

  it('a description belongs to the server with the longest name in front of its tool', () => {
    const { files } = convertFiles([
      file('mcp.json', '{ "mcpServers": { "web": { "command": "a" }, "web_archive": { "command": "b" } } }'),
      file('mcp_prompt_override.yaml', 'web_archive_find: Finds.\nweb_search: Searches.\n'),
    ]);
    const tools = files.map(({ text }) => (parse(text) as { readonly settings: { readonly tools: unknown } }).settings.tools);
    expect(tools).toEqual([{ search: { description: 'Searches.' } }, { find: { description: 'Finds.' } }]);
  });

  it('MCP servers become toolsets; secrets stay in the environment', async () => {
    const json = JSON.stringify({
      mcpServers: {
        G: { transport: 'stdio', command: 'gemini', env: { GEMINI_API_KEY: 'abc123', LANG: 'en' }, enabled: true, colour: 1 },
        notes: { transport: 'streamable_http', url: 'http://localhost:8787/mcp', headers: { Authorization: '${NOTES_TOKEN}' } },
        off: { url: 'http://localhost:1/', enabled: false },
      },
    });
    const { files, findings } = convertFiles([
      file('mcp.json', json),
      file('mcp_prompt_override.yaml', '"G.google_web_search": Searches.\n'),
    ]);
    expect(files.map(({ path: name, text }) => [name, parse(text) as unknown])).toEqual([
      [
        'toolsets/G.yaml',
        {
          type: 'toolset',
          name: 'G',
          kind: 'mcp',
          settings: {
            transport: 'stdio',
            command: 'gemini',
            env: { GEMINI_API_KEY: { _type: 'from_env', var: 'G_GEMINI_API_KEY' }, LANG: 'en' },
            tools: { google_web_search: { description: 'Searches.' } },
          },
        },
      ],
      [
        'toolsets/notes.yaml',
        {
          type: 'toolset',
          name: 'notes',
          kind: 'mcp',
          settings: {
            transport: 'http',
            url: 'http://localhost:8787/mcp',
            headers: { Authorization: { _type: 'from_env', var: 'NOTES_TOKEN' } },
          },
        },
      ],
    ]);
    expect(JSON.stringify([files, findings])).not.toContain('abc123');
    await using engine = await createEngine({
      profiles: { files: files.map(({ path: name, text }) => ({ path: name, text })) },
      store: 'memory',
      env: {},
    });
    expect([...engine.profiles.toolsets.keys()]).toEqual(['G', 'notes']);
  });
});

describe('LLM configs', () => {
  const convert = (config: string, ...more: readonly ProfileFile[]): { readonly data: unknown; readonly tree: ConvertedTree } => {
    const tree = convertFiles([file('llm_configs/c.yaml', `name: c\ntype: llm_config\nconfig:\n${config}`), ...more]);
    return { data: (parse(tree.files[0]?.text ?? '') as { readonly config: unknown }).config, tree };
  };

  it.each([
    ['gemini/gemini-2.5-pro', 'google/gemini-2.5-pro'],
    ['gpt-5-mini', 'openai/gpt-5-mini'],
    ['o3', 'openai/o3'],
    ['claude-sonnet-4-5', 'anthropic/claude-sonnet-4-5'],
    ['ollama_chat/llama3.2', 'ollama/llama3.2'],
    ['together_ai/meta-llama/Llama-3', 'together/meta-llama/Llama-3'],
    ['openrouter/x/y', 'openrouter/x/y'],
    ['hosted_vllm/q', 'vllm/q'],
  ])('the model %s is %s', (from, to) => {
    expect(convert(`  model: ${from}\n`).data).toEqual({ model: to });
  });

  it('reports a model without a known provider', () => {
    expect(messagesOf(convert('  model: azure/my-deployment\n').tree.findings)).toEqual([
      '4:10 the model azure/my-deployment has no known provider',
    ]);
    expect(convert('  model: my-model\n  base_url: http://localhost:1/v1\n').data).toMatchObject({
      model: 'openai-compatible/my-model',
    });
  });

  it('a key in plain text is not carried over, nor shown', () => {
    const { data, tree } = convert('  model: openai/x\n  api_key: "sk-1234567890abcdef"\n');
    expect(data).toEqual({ model: 'openai/x', api_key: { _type: 'from_env', var: 'C_API_KEY' } });
    expect(JSON.stringify(tree)).not.toContain('sk-1234567890abcdef');
  });

  it('keeps lookups, moves options among the settings, and reports unknown settings', () => {
    const { data, tree } = convert(
      `  model: { _type: from_env, var: MODEL, default: gemini/flash, required: false }
  timeout: 30
  stop: END
  num_retries: 4
  num_ctx: 8000
  mirostat: 2
  extra_headers: { _type: json_from_file, path: data/headers.json }
  seed: { _type: from_vault, var: X }
  litellm_options: { top_p: 0.5, drop_params: true }
`,
      file('data/headers.json', '{ "x-team": "a" }'),
    );
    expect(data).toEqual({
      model: { _type: 'from_env', var: 'MODEL', default: 'google/flash', required: false },
      timeouts: { total: 30 },
      stop: ['END'],
      max_retries: 4,
      context_window: 8000,
      headers: { _type: 'json_from_file', path: 'data/headers.json' },
      top_p: 0.5,
    });
    expect(messagesOf(tree.findings, 'not_converted')).toEqual([
      '9:3 Cadre has no setting `mirostat`',
      '11:18 seed: `_type: from_vault` is unknown',
    ]);
    expect(tree.files.map(({ path: name }) => name)).toEqual(['llm_configs/c.yaml', 'data/headers.json']);
  });
});

describe('handover protocols', () => {
  it('reports paths without a counterpart; joins both lists of inheritance', () => {
    const { files, findings } = convertFiles([
      file(
        'handover_protocols/p.yaml',
        `protocol_name: p
version: 1.10
inheritance:
  - { from_source: { path: "team.turns" }, as_payload_key: turns }
context_inheritance:
  - { from_source: { path: "team.plans.{{ id }}", replace: { id: "state.current_action.parameters.id" } }, as_payload_key: plan, condition: "len(v['flags.x']) > 0" }
owner: me
`,
      ),
    ]);
    expect(parse(files[0]?.text ?? '')).toEqual({
      protocol_name: 'p',
      version: '1.10',
      inheritance: [
        { from_source: { path: 'state.values.not_converted' }, as_payload_key: 'turns' },
        {
          from_source: { path: 'team.shared.plans.{{ id }}', replace: { id: 'state.current_action.parameters.id' } },
          as_payload_key: 'plan',
          condition: 'size(flags.x) > 0',
        },
      ],
    });
    expect(messagesOf(findings, 'not_converted')).toEqual(['4:28 team.turns: the team has no list of turns']);
    expect(messagesOf(findings, 'left_out')).toEqual(['7:1 a handover protocol has no `owner` in Cadre']);
  });
});

describe('what is refused', () => {
  it.each([
    [
      'aliases that multiply',
      `a: &a [1, 1, 1, 1, 1, 1, 1, 1]\n${[...'bcdefg'].map((key, at) => `${key}: &${key} [${`*${'abcdef'[at] ?? ''}, `.repeat(8)}]\n`).join('')}`,
      /alias/,
    ],
    ['a second document', 'name: A\n---\nname: B\n', /one document/],
    ['a tag', 'name: A\ntype: !!python/object agent\n', /tag/],
    ['keys that lead to prototypes', 'name: A\n__proto__: { x: 1 }\n', /not allowed/],
    ['a list', '- name: A\n', /not a map/],
    ['a key twice', 'name: A\nname: B\n', /twice/],
    ['NUL', 'name: A\u0000\n', /NUL/],
  ])('%s', (_what, text, message) => {
    const { files, findings } = convertFiles([file('profiles/bad.yaml', text)]);
    expect(files).toEqual([]);
    expect(findings).toMatchObject([
      { kind: 'not_converted', file: 'tree/profiles/bad.yaml', message: expect.stringMatching(message) as string },
    ]);
  });

  it('links out of the tree, and files that are too large', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'cadre-migrate-'));
    onTestFinished(async () => await rm(folder, { recursive: true, force: true }));
    const tree = path.join(folder, 'tree');
    await mkdir(path.join(tree, 'profiles'), { recursive: true });
    await writeFile(path.join(folder, 'secret.yaml'), 'name: Secret\ntype: agent\n');
    await symlink(path.join(folder, 'secret.yaml'), path.join(tree, 'profiles', 'link.yaml'));
    await writeFile(path.join(tree, 'profiles', 'large.yaml'), `name: Large\ndescription_for_human: ${'x'.repeat(300_000)}\n`);
    await writeFile(path.join(tree, 'profiles', 'ok.yaml'), 'name: Ok\ntype: agent\n');
    const converted = await convertFolder(tree);
    expect(converted.files.map(({ path: name }) => name)).toEqual(['profiles/ok.yaml']);
    expect(converted.findings.filter(({ kind }) => kind === 'not_converted').map(({ file: name }) => name)).toEqual([
      'tree/profiles/large.yaml',
      'tree/profiles/link.yaml',
    ]);
  });

  it('names of files never lead outside the output folder', () => {
    const { files } = convertFiles([
      { path: '../../profiles/..yaml', text: 'name: A\ntype: agent\n' },
      { path: 'x/../../b/../profiles/A.yaml', text: 'name: B\ntype: agent\n' },
      { path: 'y/profiles/A.yaml', text: 'name: C\ntype: agent\n' },
    ]);
    expect(files.map(({ path: name }) => name).toSorted()).toEqual(['profiles/..yaml', 'profiles/A.yaml', 'profiles/A_2.yaml']);
  });

  it('YAML of other programs is left alone', () => {
    const { files, findings } = convertFiles([
      file('deployment/compose.yaml', 'services: {}\nname: x\n'),
      file('rag_configs/index.yaml', 'sources: []\n'),
    ]);
    expect(files).toEqual([]);
    expect(findings.map(({ kind, message }) => `${kind} ${message}`)).toEqual(
      Array.from({ length: 2 }, () => 'left_out this is not a profile, LLM config or handover protocol'),
    );
  });
});
