import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import {
  handoverProtocolJsonSchema,
  llmConfigJsonSchema,
  profileJsonSchema,
  scriptJsonSchema,
} from '../../src/profiles/json-schemas.ts';
import { compileGood, compileText } from './marked-files.ts';

const profileOf = (text: string) => {
  const profile = compileGood(`name: A\n${text}`).profiles.get('A');
  if (profile === undefined) throw new Error('the profile is not in the set');
  return profile;
};

const models = (...names: string[]) => compileText('name: A\n', { models: new Set(names) });

const payloadOf = (payload: string) => {
  const action = profileOf(
    `pre_turn_observers:\n  - id: o\n    action:\n      type: add_to_inbox\n      inbox_item:\n        source: X\n        payload: ${payload}\n`,
  ).preTurnObservers[0]?.action;
  if (action?.type !== 'add_to_inbox') throw new Error('expected add_to_inbox');
  return action.item.payload;
};

describe('a profile that says little', () => {
  it('needs a name only', () => {
    expect(profileOf('')).toMatchObject({
      name: 'A',
      type: 'agent',
      description: '',
      llmConfigRef: 'default',
      segments: [],
      allowedToolsets: [],
      allowedTools: [],
      limits: {},
      toolGates: [],
      toolChoice: 'auto',
      contextPolicy: { window: 0, truncate: {}, raw: {} },
    });
  });

  it('gets the default decider', () => {
    const rules = profileOf('').flowDecider;
    const decide = (scope: Record<string, unknown>) =>
      rules.find((rule) => rule.condition === undefined || rule.condition.test(scope))?.action;
    const quiet = { state: { current_action: null } };
    expect(decide({ state: { current_action: { tool_name: 'x' } }, counters: { empty_reply_streak: 0 } })).toEqual({
      type: 'continue_with_tool',
    });
    expect(decide({ ...quiet, counters: { empty_reply_streak: 0 } })).toEqual({ type: 'end_agent_turn', outcome: 'success' });
    expect(decide({ ...quiet, counters: { empty_reply_streak: 1 } })).toMatchObject({
      type: 'loop_with_inbox_item',
      item: { source: 'SELF_REFLECTION_PROMPT' },
    });
    expect(decide({ ...quiet, counters: { empty_reply_streak: 3 } })).toMatchObject({ type: 'end_agent_turn', outcome: 'error' });
  });

  it('gets the default decider for an empty list too', () => {
    expect(profileOf('flow_decider: []\n').flowDecider).toHaveLength(6);
  });

  it('takes the only LLM config there is, else `default`', () => {
    expect(models('one').set?.profiles.get('A')?.llmConfigRef).toBe('one');
    expect(models('one', 'default').set?.profiles.get('A')?.llmConfigRef).toBe('default');
    expect(models('one', 'two').diagnostics.map(({ code }) => code)).toEqual(['UNKNOWN_LLM_CONFIG']);
    expect(models().diagnostics.map(({ message }) => message)).toEqual(['there is no LLM config the profile could use']);
    expect(compileText('name: A\n', {}).set?.profiles.get('A')?.llmConfigRef).toBe('');
  });

  it('needs no LLM config when a function runs in its place', () => {
    expect(compileText('name: A\nfunction_node: f\n', { models: new Set() }).set).toBeDefined();
  });
});

describe('values with expressions inside', () => {
  it('keep the type of a text that is exactly one expression', () => {
    expect(payloadOf("'{{ flags.n }}'").build({ flags: { n: 3 } })).toBe(3);
    expect(payloadOf("'{{ flags.gone }}'").build({ flags: {} })).toBeNull();
    expect(payloadOf("'n = {{ flags.n }}'").build({ flags: { n: 3 } })).toBe('n = 3');
  });

  it('are built anywhere in lists and maps', () => {
    const payload = payloadOf("{ a: ['{{ flags.n }}', 2], b: { c: 'x {{ flags.n }}', d: true } }");
    expect(payload.constant).toBe(false);
    expect(payload.build({ flags: { n: [1] } })).toEqual({ a: [[1], 2], b: { c: 'x [1]', d: true } });
  });

  it('are constant without expressions', () => {
    const payload = payloadOf('{ a: [1, { b: text }] }');
    expect(payload.constant).toBe(true);
    expect(payload.build({})).toEqual({ a: [1, { b: 'text' }] });
    expect(payloadOf("'a \\{{ b'").build({})).toBe('a {{ b');
  });
});

describe('actions', () => {
  it('compile with everything they may say', () => {
    const { flowDecider, postTurnObservers } = profileOf(`
post_turn_observers:
  - id: many
    condition: false
    action:
      type: update_state
      updates:
        - { operation: set, path: flags.a, value: '{{ counters.turn_count }}' }
        - { operation: increment, path: values.b }
        - { operation: append, path: team.shared.c, value: [1] }
        - { operation: remove, path: deliverables.d.e }
  - id: post
    action:
      type: add_to_inbox
      target_agent_id: Principal_2
      inbox_item: { source: NOTE, consumption_policy: persistent_until_consumed, priority: 3, max_turns: 2, ingestor_id: generic_message, ingestor_params: { content_template: hi } }
  - { id: code, action: { type: call, observer: watch_budget, params: { at: 1 } } }
flow_decider:
  - { id: a, condition: flags.a, action: { type: call_tool, tool: search, args: { query: '{{ run.title }}' } } }
  - { id: b, condition: flags.b, action: { type: set_tool_choice, tool_choice: finish_flow } }
  - { id: c, condition: flags.c, action: { type: await, on: [USER_PROMPT, PARTNER_DIRECTIVE] } }
  - { id: d, condition: flags.d, action: { type: retry_turn } }
  - { id: e, action: { type: end_agent_turn, outcome: handed_over, output: 'Done: {{ run.title }}' } }
`);
    expect(postTurnObservers[0]?.condition?.test({})).toBe(false);
    expect(postTurnObservers[0]?.action).toMatchObject({
      updates: [
        { operation: 'set', path: 'flags.a' },
        { operation: 'increment', path: 'values.b' },
        { operation: 'append', path: 'team.shared.c' },
        { operation: 'remove', path: 'deliverables.d.e' },
      ],
    });
    expect(postTurnObservers[1]?.action).toMatchObject({
      target: 'Principal_2',
      item: {
        source: 'NOTE',
        consumption: 'persistent_until_consumed',
        priority: 3,
        maxTurns: 2,
        ingestorId: 'generic_message',
        ingestorParams: { content_template: 'hi' },
      },
    });
    expect(postTurnObservers[2]?.action).toEqual({ type: 'call', observer: 'watch_budget', params: { at: 1 } });
    expect(flowDecider.map(({ action }) => action)).toMatchObject([
      { type: 'call_tool', tool: 'search' },
      { type: 'set_tool_choice', toolChoice: 'finish_flow' },
      { type: 'await', on: ['USER_PROMPT', 'PARTNER_DIRECTIVE'] },
      { type: 'retry_turn' },
      { type: 'end_agent_turn', outcome: 'handed_over' },
    ]);
    const end = flowDecider[4]?.action;
    expect(end?.type === 'end_agent_turn' ? end.output?.render({ run: { title: 'X' } }) : '').toBe('Done: X');
  });

  it('gates without tools are about all tools', () => {
    expect(profileOf('tool_gates: [{ id: g, verdict: ask }]\n').toolGates[0]).toMatchObject({ tools: ['*'], toolsets: [] });
  });

  it('strategies of a custom source start from the fallback', () => {
    expect(
      profileOf(
        'inbox_handling_strategies: [{ source: MINE, injection_mode: prepend_to_role, params: { is_persistent_in_memory: false, title: T }, priority: 4 }]\n',
      ).strategies.get('MINE'),
    ).toEqual({
      ingestor: 'markdown_formatter',
      mode: 'prepend_to_role',
      role: 'user',
      persistent: false,
      params: { title: 'T' },
      priority: 4,
    });
  });
});

describe('JSON Schemas for editors', () => {
  const schemas = { profileJsonSchema, llmConfigJsonSchema, handoverProtocolJsonSchema, scriptJsonSchema };

  it.each(Object.entries(schemas))('%s is a valid draft-07 schema without loader annotations', (_, make) => {
    const ajv = new Ajv({ strict: false });
    expect(ajv.validateSchema(make())).toBe(true);
    ajv.compile(make());
    expect(JSON.stringify(make())).not.toMatch(/"x-(?:what|expects|elsewhere|mistakes|secret)"/);
  });

  it('accept what the loader accepts, and refuse what it refuses', () => {
    const validate = new Ajv({ strict: false }).compile(profileJsonSchema());
    expect(validate({ name: 'A', pre_turn_observers: [{ id: 'o', action: { type: 'call', observer: 'x' } }] })).toBe(true);
    expect(validate({ name: 'A', pre_turn_observers: [{ id: 'o', action: { type: 'end_agent_turn' } }] })).toBe(false);
    const script = new Ajv({ strict: false }).compile(scriptJsonSchema());
    expect(script({ rules: [{ id: 'a', when: 'turn == 1', reply: { text: 'x', tool_calls: [{ tool: 't', args: {} }] } }] })).toBe(
      true,
    );
    expect(script({ rules: [{ id: 'a', if: 'turn == 1', reply: 'x' }] })).toBe(false);
  });
});
