import type { JsonSchema } from '../../core/json.ts';
import { contextPolicy } from './context-policy-schema.ts';
import { observerSchema, ruleSchema } from './action-schema.ts';
import { checkpointSchema } from './checkpoint-schema.ts';
import { plannerSchema } from './planner-schema.ts';
import { stagnationSchema } from './stagnation-schema.ts';
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
  description: 'What stands before and after the text: [open, close].',
};

const segment = variants({
  description: 'One piece of the system prompt.',
  what: 'a segment of type',
  key: 'type',
  common: {
    id: itemId,
    remove,
    order: { type: 'number', description: 'Lower comes first; default 99. Put what changes per turn last.' },
    condition,
    wrapper_tags: wrapperTags,
    description: text('What it is for; not shown to any model.'),
  },
  kinds: {
    static_text: {
      content: text('The text; may hold {{ expressions }}.'),
      content_key: words('The text definition to use instead of content.'),
    },
    state_value: {
      source_state_path: words('What to read, for example team.work_modules.'),
      ingestor_id: named(words('Who formats it; default markdown_formatter.'), 'ingestors'),
      ingestor_params: freeMap('Parameters of the ingestor.'),
    },
    tool_description: {},
    tool_contributed_context: {},
  },
  more: { required: ['id'] },
});

const strategy = object(
  'How items of one source become part of the prompt.',
  {
    id: itemId,
    source: inboxSource,
    ingestor: named(words('Who turns the payload into text.'), 'ingestors'),
    injection_mode: oneOf('Where the text goes.', ['append_as_new_message', 'prepend_to_role']),
    params: {
      ...freeMap('Parameters of the ingestor, and:'),
      properties: {
        is_persistent_in_memory: flag('Kept in the history, or seen in this turn only.'),
        role: oneOf('The role of the message.', ['user', 'tool'], {
          'x-elsewhere': {
            system: 'some providers refuse system messages in mid-history; use user',
            assistant: 'only a model speaks as assistant; use user',
          },
        }),
      },
    },
    priority: { type: 'number', description: 'Lower is read first; overrides the priority of the source.' },
    wakes: flag(
      'Whether an item wakes an agent that waits; if not, it is read with its next turn. True unless set or the source is known not to.',
    ),
    trust: oneOf('untrusted: the text is framed as data, and the prompt counts as tainted; trusted unless set.', [
      'trusted',
      'untrusted',
    ]),
  },
  { required: ['source'], 'x-what': 'a strategy' },
);

const gate = object(
  'Decides whether a tool call may run; the first gate that applies wins.',
  {
    id: itemId,
    before,
    remove,
    tools: names('The tools it is about; neither tools nor toolsets = all.', 'tools'),
    toolsets: names('The toolsets it is about.', 'toolsets'),
    condition: {
      ...condition,
      description: 'An expression that also sees `args`, the arguments of the call, and `prompt`: sources, untrusted, tainted.',
    },
    verdict: oneOf('What happens to the call; ask suspends it until a person approves.', ['allow', 'deny', 'ask']),
    message: text('What the model, or the person who is asked, is told; its {{ expressions }} also see `args`.'),
    expires_after: { ...duration, description: 'For ask: how long a person has; for ever, when it is not set.' },
    on_expire: oneOf('For ask: what holds when nobody decided in time; deny unless set.', ['deny', 'allow']),
  },
  { required: ['id'], 'x-what': 'a gate' },
);

/** What every holder of limits may bound. */
const counted = {
  max_turns: whole('Most turns.', 1),
  max_tool_calls: whole('Most tool calls.', 1),
  max_tokens: whole('Most tokens, in and out.', 1),
  max_cost_usd: { type: 'number', exclusiveMinimum: 0, description: 'Most US dollars.' },
  max_wall_seconds: duration,
} as const;

const perModule = object('Bounds of each work module its agents dispatch, over all attempts and agents at work on it.', counted, {
  'x-what': 'per_module',
});

const limits = object(
  'Bounds of one agent; what is not set comes from the engine.',
  {
    ...counted,
    max_depth: whole('Deepest agent below the root.', 0),
    max_children: whole('Most agents one agent may start.', 0),
    max_live: whole('Most agents at work at the same time, of this one and all below it.', 1),
    max_total: whole('Most agents ever started, of this one and all below it.', 1),
    per_module: perModule,
    on_unknown_cost: oneOf('What a launch does with a limit on money when a model has no price; refuse unless set.', [
      'refuse',
      'warn',
    ]),
    soft_at: number('Share of a limit at which the agent is told to wrap up.', 0, 1),
  },
  {
    'x-what': 'limits',
    'x-mistakes': { max_steps: 'write max_turns', timeout: 'write max_wall_seconds', max_time: 'write max_wall_seconds' },
  },
);

const exposed: JsonSchema = {
  ...object(
    'Makes the profile a tool of other agents; null = not.',
    {
      name: pattern(
        'The name of the tool.',
        '^[a-zA-Z](?:[a-zA-Z0-9-]|_(?!_)){0,47}$',
        'letters, digits, - and single _, beginning with a letter',
      ),
      description: words('What the tool is for, as models read it.'),
      parameters: jsonSchema('JSON Schema of its arguments.'),
      protocol: named(
        words('The handover protocol that carries the arguments; default: agent_call_briefing, or the built-in one.'),
        'handover_protocols',
      ),
      toolset: named(words('The toolset it belongs to; default agents.'), 'toolsets'),
      result: pattern(
        'What a call that succeeds answers with: report (the default), output, deliverables, or deliverables.NAME.',
        String.raw`^(report|output|deliverables(\.[A-Za-z0-9_-]+)*)$`,
        'report, output, deliverables, or deliverables.NAME',
      ),
      max_depth: whole('Most agents of the profile one above the other; default 3.', 1),
      concurrency: oneOf('How calls of one reply overlap; parallel unless set.', ['parallel', 'serial', 'exclusive']),
      resumable: flag('Whether its agents can be given more to do by agent_id; true unless set.'),
      guide: text('A longer text on when and how to call it.'),
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
    profile_id: text('An id of an earlier system; accepted and ignored: profiles are known by name.'),
    name: name('What the profile is called; unique.'),
    type: pattern(
      'What the agent is in its team: partner, principal, associate, …; base = only inherited from.',
      '^[a-z][a-z0-9_]{0,59}$',
      'a lower case word like associate',
    ),
    base_profile: nameOrNames('The profile or profiles it inherits from, left to right.', 'profiles'),
    rev: whole('Revision.', 0),
    is_active: flag('False: the profile cannot be started.'),
    is_deleted: flag('True: the profile is gone, kept for old runs.'),
    timestamp: text('When it was written; for readers only.'),
    available_for_staffing: flag('Whether a principal may hire it.'),
    description_for_human: text('What it is for, in a sentence or two.'),
    llm_config_ref: named(
      words('The LLM config or model it speaks with; default: `default`, or the only one there is.'),
      'llm_configs',
    ),
    tool_access_policy: object(
      'The tools the agent may call.',
      { allowed_toolsets: names('Whole toolsets.', 'toolsets'), allowed_individual_tools: names('Single tools.', 'tools') },
      {
        'x-what': 'tool_access_policy',
        'x-mistakes': { tools: 'write allowed_individual_tools', toolsets: 'write allowed_toolsets' },
      },
    ),
    instructions: words(
      'The system prompt, when one text is enough: short for one static_text segment with the id `instructions`.',
    ),
    system_prompt_construction: object(
      'The system prompt.',
      { system_prompt_segments: list('Its pieces.', segment) },
      { 'x-what': 'system_prompt_construction' },
    ),
    pre_turn_observers: list('Observers that run before the model call.', observer),
    post_turn_observers: list('Observers that run after the model call.', observer),
    flow_decider: list('What happens after a reply; the first rule whose condition holds wins.', ruleSchema),
    text_definitions: { type: 'object', additionalProperties: { type: 'string' }, description: 'Texts by key, for content_key.' },
    inbox_handling_strategies: list('How inbox items become part of the prompt, by source.', strategy),
    exposable_as_tool: exposed,
    callable_profiles: names(
      'The profiles its agents may call with call_agent and call_agents (toolset agents), and give phases of plans to (run_plan).',
      'profiles',
    ),
    limits,
    tool_gates: list('Who decides whether a tool call may run.', gate),
    stagnation: stagnationSchema,
    checkpoints: list('Where the agent waits for a person; the first that is reached counts.', checkpointSchema),
    tool_choice: named(words('auto (default), none, required, or the name of a tool.'), 'tools'),
    context_policy: contextPolicy,
    deliverables_schema: jsonSchema('JSON Schema the agent’s deliverables must meet.'),
    output_schema: jsonSchema('JSON Schema the agent’s answer must meet: the reply it ends with.'),
    output_repairs: whole('How often an answer that does not fit is given back to the model; 2 unless set.', 0),
    function_node: words('A registered function that runs instead of a model.'),
    function_timeout: duration,
    planner: plannerSchema,
    tests: list('Tests of the profile.', { type: 'object' }),
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
      config: 'only LLM configs have it; they are files with type: llm_config',
    },
  },
);

/** The JSON Schema of a profile file, for the loader and for editors. Missing parts may come from a base profile. */
export const profileSchema: JsonSchema = { ...shape, $defs: { observer: observerSchema } };
