import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { KnownNames } from '../../src/core/profile/known-names.ts';
import { compileProfileFiles } from '../../src/profiles/compile-profile-files.ts';
import { explainProfile } from '../../src/profiles/explain-profile.ts';
import { loadProfiles } from '../../src/profiles/load-profiles.ts';

const folder = fileURLToPath(new URL('fixtures/team', import.meta.url));
const known: Partial<KnownNames> = {
  tools: new Set(['launch', 'search', 'finish_flow']),
  toolsets: new Set(['planning', 'dispatch']),
  ingestors: new Set(['work_modules', 'markdown_formatter', 'templated_content']),
  observers: new Set(),
  functions: new Set(['sum_up']),
  models: new Set(),
};
const load = (env: Record<string, string> = {}) => loadProfiles(folder, { known, env });

describe('[A4.4.yaml] a team of five profiles', () => {
  it('loads without a warning', async () => {
    const set = await load();
    expect([...set.profiles.keys()].toSorted()).toEqual(['Associate_Researcher', 'Base_Agent', 'Counter', 'Partner', 'Principal']);
    expect([...set.llmConfigs.keys()].toSorted()).toEqual(['base_default', 'default', 'fast', 'offline']);
    expect([...set.protocols.keys()]).toEqual(['briefing']);
    expect(set.warnings).toEqual([]);
  });

  it('inherits segments, rules and texts by id, and drops removed items', async () => {
    const partner = (await load()).profiles.get('Partner');
    expect(partner?.segments.map(({ id, order, type }) => [id, order, type])).toEqual([
      ['role', 10, 'static_text'],
      ['tools', 50, 'tool_description'],
    ]);
    expect(partner?.segments[1]?.wrapperTags).toEqual(['<tools>', '</tools>']);
    expect(partner?.segments[0]?.content?.render({})).toBe('You are the partner of the user.');
    expect(partner?.flowDecider.map(({ id, action }) => [id, action.type])).toEqual([
      ['run_tools', 'continue_with_tool'],
      ['remind', 'await_user_input'],
    ]);
    expect([...(partner?.textDefinitions.keys() ?? [])]).toEqual(['keep_going', 'role']);
  });

  it('keeps to itself what a profile says of itself', async () => {
    const { profiles } = await load();
    expect(profiles.get('Base_Agent')?.rev).toBe(3);
    expect(profiles.get('Partner')).toMatchObject({
      name: 'Partner',
      type: 'partner',
      rev: 1,
      isActive: true,
      isDeleted: false,
      description: 'Talks with the user.',
    });
    expect(profiles.get('Counter')).toMatchObject({ type: 'function', functionNode: 'sum_up' });
  });

  it('[A2.1.fields] [A4.1.agent] [A5.config] compiles limits, gates, strategies and context policy', async () => {
    const { profiles } = await load();
    const partner = profiles.get('Partner');
    expect(partner?.limits).toEqual({ maxTurns: 40, maxWallMs: 600_000, softAt: 0.7 });
    expect(partner?.toolGates[0]).toMatchObject({ id: 'no_midnight_launch', tools: ['launch'], toolsets: [], verdict: 'ask' });
    expect(partner?.toolGates[0]?.condition?.test({ args: { force: true } })).toBe(true);
    expect(partner?.strategies.get('PARTNER_DIRECTIVE')).toEqual({
      ingestor: 'markdown_formatter',
      mode: 'append_as_new_message',
      role: 'user',
      persistent: true,
      params: { title: '### From me', key_renames: { content: 'Instruction' } },
    });
    const researcher = profiles.get('Associate_Researcher');
    expect(researcher?.contextPolicy).toEqual({
      window: 30,
      truncate: { tool_result: 4000 },
      compaction: { at: 0.8, keep: 10, onFailure: 'window' },
      raw: { window: 30, truncate: { tool_result: 4000 }, compaction: { at: 0.8 } },
    });
    expect(researcher?.segments[0]).toMatchObject({ id: 'instructions', type: 'static_text', order: 0 });
    expect(researcher?.toolChoice).toBe('required');
    expect(researcher?.availableForStaffing).toBe(true);
  });

  it('checks deliverables', async () => {
    const check = (await load()).profiles.get('Associate_Researcher')?.checkDeliverables;
    expect(check?.({ summary: 'long enough', sources: ['a/b.md:3'] })).toMatchObject({ ok: true });
    expect(check?.({ summary: 'x', sources: ['somewhere'], other: 1 })).toEqual({
      ok: false,
      errors: expect.arrayContaining([
        { path: '/summary', message: 'must NOT have fewer than 3 characters' },
        { path: '/sources/0', message: expect.stringContaining('pattern') },
        { path: '', message: expect.stringContaining('(other)') },
      ]),
    });
    expect((await load()).profiles.get('Partner')?.checkDeliverables({ anything: 1 })).toEqual({ ok: true, args: { anything: 1 } });
  });

  it('builds payloads with the type of their expression, and not from live state', async () => {
    const action = (await load()).profiles.get('Partner')?.preTurnObservers[0]?.action;
    if (action?.type !== 'add_to_inbox') throw new Error('expected add_to_inbox');
    expect(action.target).toBe('self');
    expect(action.item).toMatchObject({
      source: 'WORK_MODULES_STATUS_UPDATE',
      ingestorId: 'work_modules',
      ingestorParams: { title: '### Where we stand' },
      consumption: 'consume_on_read',
    });
    const modules = { WM_1: { status: 'pending' } };
    const built = action.item.payload.build({ team: { work_modules: modules } });
    modules.WM_1.status = 'ongoing';
    expect(built).toEqual({ WM_1: { status: 'pending' } });
    expect(action.item.payload.constant).toBe(false);
  });

  it('compiles the handover protocol', async () => {
    const protocol = (await load()).protocols.get('briefing');
    expect(protocol).toMatchObject({
      name: 'briefing',
      version: '1.0',
      targetSource: 'AGENT_STARTUP_BRIEFING',
      contextParameters: { required: ['goal'] },
    });
    expect(protocol?.inheritance).toMatchObject([
      { path: 'team.question', payloadKey: 'question', title: "The user's words" },
      {
        pathToIterate: 'team.work_modules.{{id}}.context_archive[-1].messages',
        iterateOn: { id: 'params.inherit_messages_from' },
        payloadKey: 'inherited_messages',
      },
    ]);
    expect(protocol?.inheritance[1]?.condition?.test({ params: { inherit_messages_from: ['WM_1'] } })).toBe(true);
  });

  it('explains each value with the file and line it came from', async () => {
    const values = explainProfile(await load(), 'Partner');
    const at = (path: string) => values.find((value) => value.path === path);
    expect(at('flow_decider[remind].action.type')).toMatchObject({
      value: 'await_user_input',
      from: 'team/profiles/partner.yaml:35',
    });
    expect(at('flow_decider[run_tools].condition')).toMatchObject({
      value: 'state.current_action != null',
      from: 'team/profiles/base-agent.yaml:27',
    });
    expect(at('text_definitions.role')).toMatchObject({ from: 'team/profiles/partner.yaml:20' });
    expect(at('tool_access_policy.allowed_toolsets[0]')).toMatchObject({ value: 'planning', from: 'team/profiles/partner.yaml:9' });
    expect(at('flow_decider[remind].action.payload.content_key')).toBeUndefined();
    expect(values[0]?.path).toBe('profile_id');
    expect(() =>
      explainProfile(
        {
          profiles: new Map(),
          llmConfigs: new Map(),
          prices: new Map(),
          protocols: new Map(),
          toolsets: new Map(),
          files: [],
          warnings: [],
        },
        'X',
      ),
    ).toThrow('there is no profile `X`');
  });

  it('compiles to the same again from the files it kept', async () => {
    const set = await load({ CADRE_MODEL: 'x/y' });
    expect(set.files.map((file) => file.path)).not.toContain('team/llm_configs/unused.json');
    expect(set.files.map((file) => file.path)).toContain('team/llm_configs/options.json');
    const again = compileProfileFiles(set.files, { known, env: { CADRE_MODEL: 'x/y' } });
    expect(again.set?.files).toEqual(set.files);
    expect(again.set?.llmConfigs).toEqual(set.llmConfigs);
    for (const [name, profile] of set.profiles) {
      const other = again.set?.profiles.get(name);
      expect(JSON.stringify(other)).toBe(JSON.stringify(profile));
      expect(other?.origins).toEqual(profile.origins);
    }
  });
});

describe('[A2.4.config] LLM configs of the team', () => {
  it('merges settings, takes values from the environment and files, and keeps the key out', async () => {
    const { llmConfigs } = await load({ CADRE_MODEL: 'anthropic/opus', OPENAI_API_KEY: 'sk-secret', TEAM_NUMBER: '7', HEAT: '1' });
    const config = llmConfigs.get('default');
    expect(config).toEqual({
      name: 'default',
      provider: 'anthropic',
      model: 'opus',
      apiKeyVar: 'OPENAI_API_KEY',
      temperature: 0.4,
      maxOutputTokens: 2000,
      price: { input: 1, output: 4, cacheRead: 0.1 },
      headers: { 'x-team': '7' },
      providerOptions: { openai: { store: false } },
      retry: { maxRetries: 5, waitMs: 500, maxWaitMs: 60_000, outageMs: 900_000 },
      deadlines: { connect: 10_000, firstToken: 120_000, betweenChunks: 60_000, total: 300_000 },
      fallbacks: ['fast'],
      missing: [],
      secrets: ['7'],
      whenUnconfigured: 'offline',
    });
    expect(llmConfigs.get('fast')).toMatchObject({
      provider: 'openai-compatible',
      model: 'meta/llama-4',
      temperature: 1,
      fallbacks: [],
    });
    expect(JSON.stringify([...llmConfigs])).not.toContain('sk-secret');
  });

  it('names missing values instead of failing', async () => {
    const { llmConfigs } = await load({ OPENAI_API_KEY: '' });
    expect(llmConfigs.get('default')).toMatchObject({
      provider: 'openai',
      model: 'gpt-5',
      missing: ['OPENAI_API_KEY'],
      whenUnconfigured: 'offline',
    });
    expect(llmConfigs.get('default')).not.toHaveProperty('baseUrl');
    expect(llmConfigs.get('offline')?.script).toMatchObject({ rules: [{ id: 'first' }], otherwise: 'Nothing more to say.' });
    expect(llmConfigs.get('offline')?.provider).toBe('scripted');
  });

  it('gives each profile its LLM config', async () => {
    const { profiles } = await load();
    expect(profiles.get('Partner')?.llmConfigRef).toBe('fast');
    expect(profiles.get('Principal')?.llmConfigRef).toBe('default');
  });
});
