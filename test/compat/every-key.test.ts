import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import type { ProfileFile } from '../../src/core/profile/profile.ts';
import { convertFiles, type ConvertedTree } from '../../src/compat/commonground/convert-tree.ts';
import { checkProfiles } from '../../src/profiles/load-profiles.ts';

/** Key of a generation, with its place, and a value that must reappear in the output: a mark, or its replacement. */
interface KeyCase {
  readonly path: readonly string[];
  readonly value: unknown;
  /** Matches the key in the converted files; default: the value itself. */
  readonly shown?: RegExp;
}

const one = (path: string, value: unknown, shown?: RegExp): KeyCase => ({
  path: path.split(' '),
  value,
  ...(shown === undefined ? {} : { shown }),
});

const rule = (action: unknown, condition: unknown = "v['flags.seen']"): unknown => [{ id: 'r', condition, action }];
const observer = (action: unknown, more: object = {}): unknown => [
  { id: 'o', type: 'declarative', condition: "v['flags.seen']", action, ...more },
];
const segment = (more: object): unknown => [{ id: 's', type: 'static_text', content: 'MARK', ...more }];

/** Keys of first-generation profiles; `segments` are below their key. */
const first: readonly KeyCase[] = [
  one('profile_id', 'MARK'),
  one('type', 'associate'),
  one('rev', 7),
  one('is_active', false, /is_active: false/),
  one('is_deleted', true, /is_deleted: true/),
  one('timestamp', 'MARK'),
  one('available_for_staffing', true, /available_for_staffing: true/),
  one('description_for_human', 'MARK'),
  one('llm_config_ref', 'MARK'),
  one('base_profile', 'MARK'),
  one('exposable_as_tool', { name: 'MARK' }),
  one('output_handling_config behavior_parameters_for_default_handler action_on_no_tool_call', 'await_user_input'),
  one('output_handling_config behavior_parameters_for_default_handler action_on_no_tool_call', 'MARK_node'),
  one('tool_access_policy allowed_toolsets', ['planning_tools']),
  one('tool_access_policy allowed_toolsets', ['MARK']),
  one('tool_access_policy allowed_individual_tools', ['finish_flow']),
  one('tool_access_policy allowed_individual_tools', ['MARK']),
  one('tool_access_policy denied_tools', ['MARK']),
  one('text_definitions MARK', 'words'),
  one('text_definitions MARK', ['words']),
  one('system_prompt_construction system_prompt_segments', segment({})),
  one('system_prompt_construction system_prompt_segments', segment({ order: 41 }), /order: 41/),
  one('system_prompt_construction system_prompt_segments', segment({ content: undefined, content_key: 'MARK' })),
  one('system_prompt_construction system_prompt_segments', segment({ wrapper_tags: ['<MARK>', '</MARK>'] }), /<MARK>/),
  one('system_prompt_construction system_prompt_segments', segment({ condition: "v['flags.MARK']" }), /flags\.MARK/),
  one('system_prompt_construction system_prompt_segments', segment({ type: 'MARK_type' })),
  one('system_prompt_construction system_prompt_segments', [{ id: 's', type: 'state_value', source_state_path: 'flags.MARK' }]),
  one('system_prompt_construction system_prompt_segments', [
    { id: 's', type: 'state_value', source_state_path: 'flags.a', ingestor_id: 'MARK', ingestor_params: { title: 'T' } },
  ]),
  one('system_prompt_construction preamble', 'MARK'),
  ...['pre_turn_observers', 'post_turn_observers'].flatMap((key) => [
    one(key, observer({ type: 'update_state', updates: [{ operation: 'set', path: 'flags.MARK', value: 1 }] }), /flags\.MARK/),
    one(key, observer({ type: 'update_state', updates: [{ operation: 'multiply', path: 'flags.MARK', value: 2 }] })),
    one(key, observer({ type: 'add_to_inbox', inbox_item: { source: 'MARK', payload: { a: 1 } } })),
    one(key, observer({ type: 'add_to_inbox', inbox_item: { source: 'A', payload: { a: 1 }, ingestor_id: 'MARK' } })),
    one(key, observer({ type: 'add_to_inbox', inbox_item: { source: 'A', payload: { a: 1 }, ttl_MARK: 3 } })),
    one(key, observer({ type: 'add_to_inbox' })),
    one(key, observer({ type: 'MARK', target: 'x' })),
    one(key, observer({ type: 'end_agent_turn', outcome: 'success' })),
  ]),
  one('flow_decider', rule({ type: 'end_agent_turn', outcome: 'error', error_message: 'MARK' })),
  one('flow_decider', rule({ type: 'end_agent_turn', outcome: 'success' }), /outcome: success/),
  one('flow_decider', rule({ type: 'loop_with_inbox_item', payload: { content_key: 'MARK' } })),
  one('flow_decider', rule({ type: 'await_user_input' }, "v['flags.MARK']"), /flags\.MARK/),
  one('flow_decider', rule({ type: 'await_user_input' }, 'lambda: MARK')),
  one('flow_decider', rule({ type: 'MARK' })),
  one('inbox_handling_strategies', [{ source: 'MARK', ingestor: 'generic_message_ingestor', params: { role: 'user' } }]),
  one('inbox_handling_strategies', [{ source: 'A', ingestor: 'MARK' }]),
  one('inbox_handling_strategies', [{ source: 'A', injection_mode: 'MARK' }]),
];

/** Keys of second-generation profiles. */
const second: readonly KeyCase[] = [
  one('worker_target', 'worker_generic'),
  one('worker_target', 'MARK'),
  one('tags', ['partner', 'MARK']),
  one('tags', 'associate, MARK'),
  one('description', 'MARK'),
  one('display_name', 'MARK'),
  one('system_prompt_template', 'MARK'),
  one('system_prompt', 'MARK'),
  one('allowed_tools', ['web_search']),
  one('allowed_tools', ['delegate_async']),
  one('allowed_tools', ['MARK']),
  one('allowed_internal_tools', ['submit_result'], /finish_flow/),
  one('must_end_with', ['submit_result']),
  one('must_end_with', ['MARK']),
  one('must_end_with', 'submit_result'),
  one('must_end_with', []),
  one('require_submit_result', true),
  one('require_submit_result', false),
  one('delegation_policy target_profiles', ['MARK']),
  one('delegation_policy target_tags', ['MARK']),
  one('delegation_policy depth', 'MARK'),
  one('llm_config model', 'openai/MARK'),
  one('llm_config provider', 'MARK'),
  one('llm_config api_base', 'http://localhost:1/MARK'),
  one('llm_config api_key', 'MARK-a-key'),
  one('llm_config api_key', 'EMPTY'),
  one('llm_config temperature', 0.25),
  one('llm_config max_tokens', 4321),
  one('llm_config top_p', 0.75),
  one('llm_config stop', ['MARK']),
  one('llm_config reasoning_effort', 'low'),
  one('llm_config thinking_config', { budget: 1 }),
  one('llm_config stream', true),
  one('llm_config stream_options', { include_usage: true }),
  one('llm_config tool_choice', 'required', /tool_choice: required/),
  one('llm_config tool_choice', { type: 'function', function: { name: 'MARK' } }),
  one('llm_config save_reasoning_content', false, /return_reasoning: false/),
  one('llm_config provider_options custom_llm_provider', 'MARK'),
  one('llm_config provider_options extra_body', { a: 'MARK' }),
];

const settings = second.filter(({ path }) => path[0] === 'llm_config' && path[1] !== 'tool_choice');

/** Keys that no generation has, and forms that no key has. */
const strangers: readonly KeyCase[] = [
  one('context_budget', { warning: 0.4 }),
  one('summarization_budget_chars', 4000),
  one('observers', [{ id: 'o' }]),
  one('flow_decider', { MARK: 1 }),
  one('pre_turn_observers', 'MARK'),
  one('system_prompt_construction', 'MARK'),
  one('tool_access_policy', ['MARK']),
  one('text_definitions', 'MARK'),
  one('inbox_handling_strategies', 'MARK'),
  one('allowed_tools', 'MARK'),
  one('system_prompt_template', ['MARK']),
  one('delegation_policy', 'MARK'),
  one('llm_config', 'MARK'),
  one('flow_decider', ['MARK']),
];

function nested(path: readonly string[], value: unknown): Record<string, unknown> {
  const [key = '', ...rest] = path;
  return { [key]: rest.length === 0 ? value : nested(rest, value) };
}

function convert(root: object, folder = 'profiles'): { readonly tree: ConvertedTree; readonly text: string } {
  const text = stringify(root);
  return { tree: convertFiles([{ path: `${folder}/Subject.yaml`, text }]), text };
}

/** True when the converted files show a key, or the report names its file and one of its lines. */
function isAccountedFor(each: KeyCase, text: string, tree: ConvertedTree): boolean {
  const lines = text.split('\n');
  const top = lines.findIndex((line) => line.startsWith(`${each.path[0] ?? ''}:`));
  const end = lines.findIndex((line, at) => at > top && /^\S/.test(line) && !line.startsWith('- '));
  const inside = ({ file, line }: ConvertedTree['findings'][number]): boolean =>
    file.endsWith('/Subject.yaml') && line > top && line <= (end < 0 ? lines.length : end);
  const said = tree.findings
    .filter((finding) => !/no rule matched, the agent took another turn/.test(finding.message))
    .some(inside);
  const files = tree.files.map((file) => file.text).join('\n');
  const value = String(Array.isArray(each.value) ? each.value[0] : each.value);
  return said || (each.shown?.test(files) ?? (files.includes('MARK') || files.includes(value)));
}

async function loads({ files }: ConvertedTree): Promise<unknown> {
  const given: readonly ProfileFile[] = files.map(({ path, text }) => ({ path, text }));
  const { diagnostics } = await checkProfiles({ files: given }, { env: {} });
  return diagnostics.filter(({ severity }) => severity === 'error').map(({ message }) => message);
}

const isWhole = ({ findings }: ConvertedTree): boolean => findings.every(({ kind }) => kind !== 'not_converted');

describe('F21: every key is shown by what is converted, or named by the report', () => {
  const named = (cases: readonly KeyCase[]): readonly (readonly [string, KeyCase])[] =>
    cases.map((each) => [`${each.path.join('.')}: ${JSON.stringify(each.value)}`, each]);

  it.each(named(first))('F21: v1 %s', async (_, each) => {
    const { tree, text } = convert({ name: 'Subject', ...nested(each.path, each.value) });
    expect(isAccountedFor(each, text, tree), JSON.stringify(tree, undefined, 1)).toBe(true);
    if (isWhole(tree)) expect(await loads(tree)).toEqual([]);
  });

  it.each(named(second))('F21: v2 %s', async (_, each) => {
    const { tree, text } = convert({ name: 'Subject', worker_target: 'worker_generic', ...nested(each.path, each.value) }, 'any');
    expect(isAccountedFor(each, text, tree), JSON.stringify(tree, undefined, 1)).toBe(true);
    if (isWhole(tree)) expect(await loads(tree)).toEqual([]);
  });

  it.each(named(settings))('F21: in an LLM config: %s', async (_, each) => {
    const config = nested(each.path.slice(1), each.value);
    const root = { name: 'Subject', type: 'llm_config', config: { model: 'openai/gpt-5-mini', ...config } };
    const { tree, text } = convert(root, 'llm_configs');
    expect(isAccountedFor({ ...each, path: ['config'] }, text, tree), JSON.stringify(tree, undefined, 1)).toBe(true);
    if (isWhole(tree)) expect(await loads(tree)).toEqual([]);
  });

  it.each(named(strangers))('F21: of no generation, %s is NOT CONVERTED', (_, each) => {
    const { tree } = convert({ name: 'Subject', ...nested(each.path, each.value) });
    expect(tree.findings.filter(({ kind }) => kind === 'not_converted').map(({ file, line }) => [file, line])).toEqual([
      ['profiles/Subject.yaml', expect.any(Number)],
    ]);
  });

  it('F21: any combination of keys in a profile is accounted for, and a complete one loads', async () => {
    // A profile whose base is missing is NOT CONVERTED as a whole.
    const cases = [...first, ...second, ...strangers].filter(({ path }) => path[0] !== 'base_profile');
    const some = fc.subarray(cases, { minLength: 2, maxLength: 9 });
    await fc.assert(
      fc.asyncProperty(some, async (chosen) => {
        const unique = [...new Map(chosen.map((each) => [each.path[0], each])).values()];
        const parts = unique.map((each) => nested(each.path, each.value));
        const { tree, text } = convert(Object.assign({ name: 'Subject' }, ...parts) as object);
        for (const each of unique) if (!isAccountedFor(each, text, tree)) throw new Error(`${each.path.join('.')}\n${text}`);
        const errors = isWhole(tree) ? await loads(tree) : [];
        if ((errors as readonly string[]).length > 0)
          throw new Error(`${JSON.stringify(errors)}\n${text}\n${tree.files.map((file) => file.text).join('\n')}`);
      }),
      { numRuns: Number(process.env['RUNS'] ?? 300) },
    );
  });
});
