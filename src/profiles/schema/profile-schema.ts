import type { JsonSchema } from '../../core/json.ts';
import { contextPolicy } from './context-policy-schema.ts';
import { observerSchema, ruleSchema } from './action-schema.ts';
import { checkpointSchema } from './checkpoint-schema.ts';
import { plannerSchema } from './planner-schema.ts';
import { stagnationSchema } from './stagnation-schema.ts';
import { testCaseSchema } from './test-schema.ts';
import {
  before,
  condition,
  duration,
  flag,
  freeMap,
  inboxSource,
  itemId,
  jsonSchema,
  list,
  name,
  named,
  nameOrNames,
  names,
  number,
  object,
  oneOf,
  pattern,
  remove,
  text,
  variants,
  whole,
  words,
} from './schema-parts.ts';

const wrapperTags: JsonSchema = {
  type: 'array',
  items: { type: 'string' },
  minItems: 2,
  maxItems: 2,
  description: 'Texts before and after the segment: [open, close].',
};

const segment = variants({
  description: 'One segment of the system prompt.',
  what: 'a segment of type',
  key: 'type',
  common: {
    id: itemId,
    remove,
    order: { type: 'number', description: 'Lower values come first; default 99. Put segments that change every turn last.' },
    condition,
    wrapper_tags: wrapperTags,
    description: text('Purpose, for people; not shown to any model.'),
  },
  kinds: {
    static_text: {
      content: text('Text of the segment; may contain {{ expressions }}.'),
      content_key: words('Text definition to use instead of content.'),
    },
    state_value: {
      source_state_path: words('Path of the value, for example team.work_modules.'),
      ingestor_id: named(words('Ingestor that formats the value; default markdown_formatter.'), 'ingestors'),
      ingestor_params: freeMap('Parameters of the ingestor.'),
    },
    tool_description: {},
    tool_contributed_context: {},
  },
  more: { required: ['id'] },
});

const strategy = object(
  'Handling of the inbox items of one source.',
  {
    id: itemId,
    source: inboxSource,
    ingestor: named(words('Ingestor that converts the payload to text.'), 'ingestors'),
    injection_mode: oneOf('Place of the text in the prompt.', ['append_as_new_message', 'prepend_to_role']),
    params: {
      ...freeMap('Parameters of the ingestor, and:'),
      properties: {
        is_persistent_in_memory: flag('True: kept in the history; false: visible in this turn only.'),
        role: oneOf('Role of the message.', ['user', 'tool'], {
          'x-elsewhere': {
            system: 'some providers reject system messages in the middle of a history; use user',
            assistant: 'only a model writes as assistant; use user',
          },
        }),
      },
    },
    priority: { type: 'number', description: 'Lower values are read first; overrides the priority of the source.' },
    wakes: flag(
      'True: an item wakes a waiting agent; false: the agent reads it in its next turn. Default: true, except for built-in sources that do not wake.',
    ),
    trust: oneOf('trusted (the default), or untrusted: the text is framed as data, and the prompt counts as tainted.', [
      'trusted',
      'untrusted',
    ]),
  },
  { required: ['source'], 'x-what': 'a strategy' },
);

/** A gate over an empty list could mean all tools or none: its author must say which. */
const someTools = {
  minItems: 1,
  'x-when-empty': "a gate over all tools has tools: ['*'], or neither key; a gate over none is removed",
} as const;

const gate = object(
  'Decides whether a tool call may run; the first gate that applies wins.',
  {
    id: itemId,
    before,
    remove,
    tools: { ...names('Tools that the gate applies to; without tools and toolsets, it applies to all.', 'tools'), ...someTools },
    toolsets: { ...names('Toolsets that the gate applies to.', 'toolsets'), ...someTools },
    condition: {
      ...condition,
      description: 'An expression that also reads `args`, the arguments of the call, and `prompt`: sources, untrusted, tainted.',
    },
    verdict: oneOf('Verdict on the call; ask suspends it until a person approves.', ['allow', 'deny', 'ask']),
    message: text('Message to the model, or question to the person; {{ expressions }} also read `args`.'),
    expires_after: { ...duration, description: 'For ask: time that a person has to decide; unlimited by default.' },
    on_expire: oneOf('For ask: verdict when no one decides in time; default deny.', ['deny', 'allow']),
  },
  { required: ['id'], 'x-what': 'a gate' },
);

/** Limits that agents, work modules and runs of evals share. */
export const usageLimitKeys = {
  max_turns: whole('Maximum number of turns.', 1),
  max_tool_calls: whole('Maximum number of tool calls.', 1),
  max_tokens: whole('Maximum number of input and output tokens.', 1),
  max_cost_usd: { type: 'number', exclusiveMinimum: 0, description: 'Maximum cost in US dollars.' },
  max_wall_seconds: duration,
} as const;

const perModule = object(
  'Limits of each work module that its agents dispatch, over all attempts and agents working on it.',
  usageLimitKeys,
  {
    'x-what': 'per_module',
  },
);

const limits = object(
  'Limits of one agent; unset limits come from the engine.',
  {
    ...usageLimitKeys,
    max_depth: whole('Maximum depth of an agent below the root.', 0),
    max_children: whole('Maximum number of agents that one agent may start.', 0),
    max_live: whole('Maximum number of concurrently working agents, of this one and all below it.', 1),
    max_total: whole('Maximum number of agents ever started, of this one and all below it.', 1),
    per_module: perModule,
    on_unknown_cost: oneOf('Handling of a cost limit at launch when a model has no price; default refuse.', ['refuse', 'warn']),
    soft_at: number('Share of a limit at which the agent is asked to wrap up.', 0, 1),
  },
  {
    'x-what': 'limits',
    'x-mistakes': { max_steps: 'write max_turns', timeout: 'write max_wall_seconds', max_time: 'write max_wall_seconds' },
  },
);

const exposed: JsonSchema = {
  ...object(
    'Exposes the profile as a tool to other agents; null = not exposed.',
    {
      name: pattern(
        'Name of the tool.',
        '^[a-zA-Z](?:[a-zA-Z0-9-]|_(?!_)){0,47}$',
        'letters, digits, - and single _, beginning with a letter',
      ),
      description: words('Purpose of the tool, shown to models.'),
      parameters: jsonSchema('JSON Schema of the arguments.'),
      protocol: named(
        words('Handover protocol that passes the arguments; default: agent_call_briefing, or the built-in one.'),
        'handover_protocols',
      ),
      toolset: named(words('Toolset of the tool; default agents.'), 'toolsets'),
      result: pattern(
        'Result of a successful call: report (the default), output, deliverables, or deliverables.NAME.',
        String.raw`^(report|output|deliverables(\.[A-Za-z0-9_-]+)*)$`,
        'report, output, deliverables, or deliverables.NAME',
      ),
      max_depth: whole('Maximum number of nested agents of this profile; default 3.', 1),
      concurrency: oneOf('Concurrency of calls in one reply; default parallel.', ['parallel', 'serial', 'exclusive']),
      resumable: flag('True (the default): callers can give its agents further tasks by agent_id.'),
      guide: text('Detailed guidance on when and how to call the tool.'),
    },
    {
      'x-what': 'exposable_as_tool',
      'x-mistakes': { params: 'write parameters', params_schema: 'write parameters', result_path: 'write result' },
    },
  ),
  type: ['object', 'null'],
};

const observer: JsonSchema = { $ref: '#/$defs/observer' };

const shape = object(
  'A Cadre agent profile.',
  {
    profile_id: text('Id from an earlier system; ignored, since profiles are identified by name.'),
    name: name('Name of the profile; unique.'),
    type: pattern(
      'Role of the agent in its team: partner, principal, associate, …; base = only inherited from.',
      '^[a-z][a-z0-9_]{0,59}$',
      'a lower case word like associate',
    ),
    base_profile: nameOrNames('Profile or profiles to inherit from, left to right.', 'profiles'),
    rev: whole('Revision number.', 0),
    is_active: flag('False: the profile cannot be started.'),
    is_deleted: flag('True: the profile is deleted and kept only for old runs.'),
    timestamp: text('Time of writing; for people only.'),
    available_for_staffing: flag('True: a principal may staff work modules with it.'),
    description_for_human: text('Purpose of the profile, in a sentence or two.'),
    llm_config_ref: named(words('LLM config or model of the profile; default: `default`, or the only one.'), 'llm_configs'),
    tool_access_policy: object(
      'Tools that the agent may call.',
      {
        allowed_toolsets: names('Toolsets allowed as a whole.', 'toolsets'),
        allowed_individual_tools: names('Individually allowed tools.', 'tools'),
      },
      {
        'x-what': 'tool_access_policy',
        'x-mistakes': { tools: 'write allowed_individual_tools', toolsets: 'write allowed_toolsets' },
      },
    ),
    instructions: words('System prompt as one text; short for a single static_text segment with the id `instructions`.'),
    system_prompt_construction: object(
      'System prompt in segments.',
      { system_prompt_segments: list('Segments of the system prompt.', segment) },
      { 'x-what': 'system_prompt_construction' },
    ),
    pre_turn_observers: list('Observers that run before the model call.', observer),
    post_turn_observers: list('Observers that run after the model call.', observer),
    flow_decider: list('Rules on what follows a reply; the first with a true condition decides.', ruleSchema),
    text_definitions: { type: 'object', additionalProperties: { type: 'string' }, description: 'Texts by key, for content_key.' },
    inbox_handling_strategies: list('Handling of inbox items, by source.', strategy),
    exposable_as_tool: exposed,
    callable_profiles: names(
      'Profiles that its agents may call with call_agent and call_agents (toolset agents), and use for phases of plans (run_plan).',
      'profiles',
    ),
    limits,
    tool_gates: list('Gates that decide whether a tool call may run.', gate),
    stagnation: stagnationSchema,
    checkpoints: list('Points where the agent waits for a person; the first one reached applies.', checkpointSchema),
    tool_choice: named(words('auto (the default), none, required, or a tool name.'), 'tools'),
    context_policy: contextPolicy,
    deliverables_schema: jsonSchema('JSON Schema of the agent’s deliverables.'),
    output_schema: jsonSchema('JSON Schema of the agent’s answer, the reply it ends with.'),
    output_repairs: whole('Maximum number of times an invalid answer is returned to the model; default 2.', 0),
    function_node: words('A registered function that runs instead of a model.'),
    function_timeout: duration,
    planner: plannerSchema,
    tests: list('Tests of the profile, run by `cadre test`; each is a case as in a test file.', testCaseSchema),
  },
  {
    required: ['name'],
    'x-what': 'a profile',
    'x-mistakes': {
      output_handling_config: 'write flow_decider rules instead',
      system_prompt: 'write instructions',
      prompt: 'write instructions',
      description: 'write description_for_human',
      model: 'put the model into an LLM config and name it with llm_config_ref',
      tools: 'write tool_access_policy: { allowed_individual_tools: [...] }',
      toolsets: 'write tool_access_policy: { allowed_toolsets: [...] }',
      observers: 'write pre_turn_observers or post_turn_observers',
      extends: 'write base_profile',
      id: 'write name',
      config: 'only LLM configs have this key; they are files with type: llm_config',
    },
  },
);

/** JSON Schema of a profile file, for the loader and for editors. Missing keys may come from a base profile. */
export const profileSchema: JsonSchema = { ...shape, $defs: { observer: observerSchema } };
