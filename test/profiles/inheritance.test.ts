import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/core/json.ts';
import { compileGood } from './marked-files.ts';

const resolved = (files: Readonly<Record<string, string>>, name: string): JsonObject | undefined =>
  compileGood(files).profiles.get(name)?.resolved;

const limited = (name: string, base: string, limits: object): string => `name: ${name}\n${base}limits: ${JSON.stringify(limits)}\n`;

describe('inheritance (D1.11)', () => {
  it('merges maps deep and replaces scalars', () => {
    const profile = resolved(
      {
        'b.yaml': 'name: B\ntype: associate\ndescription_for_human: base\nlimits: { max_turns: 3, max_tokens: 100 }\n',
        'a.yaml': 'name: A\nbase_profile: B\ndescription_for_human: own\nlimits: { max_turns: 9 }\n',
      },
      'A',
    );
    expect(profile).toMatchObject({
      name: 'A',
      type: 'associate',
      description_for_human: 'own',
      limits: { max_turns: 9, max_tokens: 100 },
    });
  });

  it('replaces lists without ids', () => {
    const profile = resolved(
      {
        'b.yaml': 'name: B\ntool_access_policy: { allowed_toolsets: [planning, documents] }\n',
        'a.yaml': 'name: A\nbase_profile: B\ntool_access_policy: { allowed_toolsets: [documents] }\n',
      },
      'A',
    );
    expect(profile?.['tool_access_policy']).toEqual({ allowed_toolsets: ['documents'] });
  });

  it('merges lists with ids field by field, keeps their order, and puts new items last', () => {
    const profile = resolved(
      {
        'b.yaml':
          'name: B\nsystem_prompt_construction:\n  system_prompt_segments:\n    - { id: x, type: static_text, order: 1, content: long text }\n    - { id: y, type: tool_description }\n',
        'a.yaml':
          'name: A\nbase_profile: B\nsystem_prompt_construction:\n  system_prompt_segments:\n    - { id: z, content: new }\n    - { id: x, order: 7 }\n    - { id: y, remove: true }\n',
      },
      'A',
    );
    expect(profile?.['system_prompt_construction']).toEqual({
      system_prompt_segments: [
        { id: 'x', type: 'static_text', order: 7, content: 'long text' },
        { id: 'z', content: 'new' },
      ],
    });
  });

  it('puts an item before another one when it says so, also in what inherits it', () => {
    const rule = (id: string, more = ''): string =>
      `{ id: ${id}, condition: flags.${id}, action: { type: await_user_input }${more} }`;
    const profiles = compileGood({
      'b.yaml': `name: B\nflow_decider: [${rule('x')}, ${rule('last')}]\n`,
      'm.yaml': `name: M\nflow_decider: [${rule('y', ', before: last')}, ${rule('last')}]\n`,
      'a.yaml': `name: A\nbase_profile: [B, M]\nflow_decider: [${rule('z', ', before: y')}, ${rule('w', ', before: x')}]\n`,
    }).profiles;
    expect(profiles.get('A')?.flowDecider.map((each) => each.id)).toEqual(['w', 'x', 'z', 'y', 'last']);
  });

  it('merges inbox strategies by their source', () => {
    const profile = resolved(
      {
        'b.yaml':
          'name: B\ninbox_handling_strategies: [{ source: X, priority: 5, params: { role: user } }, { source: Y, priority: 1 }]\n',
        'a.yaml': 'name: A\nbase_profile: B\ninbox_handling_strategies: [{ source: Z }, { source: X, priority: 7 }]\n',
      },
      'A',
    );
    expect(profile?.['inbox_handling_strategies']).toEqual([
      { source: 'X', priority: 7, params: { role: 'user' } },
      { source: 'Y', priority: 1 },
      { source: 'Z' },
    ]);
  });

  it('replaces an action whose type changes as a whole', () => {
    const rules = compileGood({
      'b.yaml':
        'name: B\nflow_decider: [{ id: r, condition: flags.x, action: { type: loop_with_inbox_item, payload: { content: a }, priority: 3 } }, { id: e, action: { type: await_user_input } }]\n',
      'a.yaml': 'name: A\nbase_profile: B\nflow_decider: [{ id: r, action: { type: end_agent_turn, outcome: success } }]\n',
    }).profiles.get('A')?.resolved['flow_decider'];
    expect(rules).toEqual([
      { id: 'r', condition: 'flags.x', action: { type: 'end_agent_turn', outcome: 'success' } },
      { id: 'e', action: { type: 'await_user_input' } },
    ]);
  });

  it('lets content and content_key replace each other', () => {
    const files = {
      'b.yaml':
        'name: B\ntext_definitions: { t: text }\nsystem_prompt_construction: { system_prompt_segments: [{ id: x, content: a }, { id: y, content_key: t }] }\n',
      'a.yaml':
        'name: A\nbase_profile: B\nsystem_prompt_construction: { system_prompt_segments: [{ id: x, content_key: t }, { id: y, content: own }] }\n',
    };
    expect(
      compileGood(files)
        .profiles.get('A')
        ?.segments.map((segment) => [segment.id, segment.contentKey, segment.content?.render({})]),
    ).toEqual([
      ['x', 't', 'text'],
      ['y', undefined, 'own'],
    ]);
  });

  it('merges several bases left to right', () => {
    const files = {
      'a.yaml': 'name: A\nllm_config_ref: default\nlimits: { max_turns: 1, max_tokens: 1, max_depth: 1 }\n',
      'b.yaml': 'name: B\nlimits: { max_turns: 2, max_tokens: 2 }\n',
      'c.yaml': 'name: C\nbase_profile: [A, B]\nlimits: { max_turns: 3 }\n',
    };
    expect(resolved(files, 'C')?.['limits']).toEqual({ max_turns: 3, max_tokens: 2, max_depth: 1 });
    expect(resolved(files, 'C')?.['llm_config_ref']).toBe('default');
  });

  it('takes a base that is reached twice once', () => {
    const files = {
      'r.yaml': 'name: R\npost_turn_observers: [{ id: o, action: { type: call, observer: watch_budget } }]\n',
      'a.yaml': 'name: A\nbase_profile: R\n',
      'b.yaml': 'name: B\nbase_profile: R\npost_turn_observers: [{ id: o, condition: flags.b }]\n',
      'c.yaml': 'name: C\nbase_profile: [A, B]\n',
    };
    expect(resolved(files, 'C')?.['post_turn_observers']).toEqual([
      { id: 'o', action: { type: 'call', observer: 'watch_budget' }, condition: 'flags.b' },
    ]);
  });

  it('goes eight levels deep', () => {
    const files = Object.fromEntries(
      Array.from({ length: 9 }, (_, level) => [
        `${level}.yaml`,
        `name: P${level}\n${level === 0 ? 'instructions: from the root\n' : `base_profile: P${level - 1}\n`}`,
      ]),
    );
    expect(resolved(files, 'P8')?.['instructions']).toBe('from the root');
  });

  it('never inherits what a profile says of itself', () => {
    const profile = compileGood({
      'b.yaml':
        'profile_id: id-b\nname: B\ntype: base\nrev: 7\nis_active: false\nis_deleted: true\ntimestamp: long ago\nexposable_as_tool: { name: ask_b, description: x }\ntests: [{ name: a, expect: { rule: r } }]\n',
      'a.yaml': 'name: A\nbase_profile: B\n',
    }).profiles.get('A');
    expect(profile?.resolved).toEqual({ name: 'A', base_profile: 'B' });
    expect(profile).toMatchObject({ type: 'agent', rev: 1, isActive: true, isDeleted: false });
    expect(profile).not.toHaveProperty('exposableAsTool');
  });

  it('lets a base use texts that only the inheriting profile defines', () => {
    const set = compileGood({
      'b.yaml':
        'name: B\ntype: base\nflow_decider: [{ id: w, condition: flags.x, action: { type: loop_with_inbox_item, payload: { content_key: again } } }, { id: e, action: { type: await_user_input } }]\n',
      'a.yaml': 'name: A\nbase_profile: B\ntext_definitions: { again: Go on }\n',
    });
    expect(set.profiles.get('A')?.textDefinitions.get('again')?.render({})).toBe('Go on');
  });

  it('changes no base by what inherits from it', () => {
    const key = fc.constantFrom('max_turns', 'max_tokens', 'max_depth', 'max_children');
    const limits = fc.dictionary(key, fc.integer({ min: 1, max: 9 }), { noNullPrototype: true });
    fc.assert(
      fc.property(limits, limits, limits, (a, b, c) => {
        const files = {
          'c.yaml': limited('C', 'base_profile: [A, B]\n', c),
          'a.yaml': limited('A', '', a),
          'b.yaml': limited('B', '', b),
        };
        expect(resolved(files, 'C')?.['limits']).toEqual({ ...a, ...b, ...c });
        expect(resolved(files, 'A')?.['limits']).toEqual(a);
      }),
      { numRuns: 50 },
    );
  });
});
