import type { JsonSchema } from '../../core/json.ts';
import { expectationSchema } from './expectation-schema.ts';
import { freeMap, inboxSource, keyed, list, name, named, object, oneOf, pattern, text, whole, words } from './schema-parts.ts';

const anything = (description: string): JsonSchema => ({ description });

const call = object(
  'A tool call of the reply, and the result it gets: no tool runs in a test.',
  {
    tool: named(words('Name of the tool.'), 'tools'),
    args: freeMap('Arguments of the call.'),
    input: text('Argument text as a model wrote it, valid or not; instead of args.'),
    result: anything('Result of the call: a text as it is, anything else as JSON.'),
    error: words('Message of the error that the tool fails with.'),
  },
  { required: ['tool'], 'x-what': 'a tool call', 'x-mistakes': { name: 'write tool', arguments: 'write args' } },
);

const replyFields = {
  text: text('Text of the reply.'),
  reasoning: text('Reasoning before the reply.'),
  tool_calls: list('Tool calls of the reply.', call),
  finish_reason: oneOf('End of the reply; by default stop, or tool-calls.', [
    'stop',
    'tool-calls',
    'length',
    'content-filter',
    'other',
  ]),
  error: words('The model call fails with this message.'),
};

const reply: JsonSchema = {
  ...object(
    'Reply of the model: a text, or its parts.',
    { ...replyFields, recorded: { const: true, description: 'The reply of the recorded turn that given.from names.' } },
    { 'x-what': 'a reply', 'x-mistakes': { calls: 'write tool_calls', content: 'write text' } },
  ),
  type: ['string', 'object'],
  'x-expects': 'a text, or a map of its parts',
};

const itemFields = {
  user: anything('Message of the user: a text, or a payload. Short for source USER_PROMPT.'),
  source: inboxSource,
  payload: anything('Payload of the item.'),
  priority: { type: 'number', description: 'Priority of the item; lower is read first.' },
  ingestor_id: named(words('Ingestor of the item instead of that of its source.'), 'ingestors'),
};

const item = object('An item in the inbox of the agent.', itemFields, {
  'x-what': 'an inbox item',
  'x-mistakes': { text: 'write user for a message of the user', content: 'write payload' },
});

const message = object(
  'An earlier item that the agent read (user, or source and payload), or an earlier reply of its model (assistant).',
  {
    ...itemFields,
    assistant: text('Text of an earlier reply.'),
    tool_calls: list('Tool calls of that reply.', call),
    finish_reason: replyFields.finish_reason,
    error: replyFields.error,
  },
  { 'x-what': 'an earlier message' },
);

const otherAgent = object(
  'Another agent of the run; it takes no turn.',
  {
    profile: named(name('Profile of the agent.'), 'profiles'),
    relation: oneOf('Its place: above the tested agent, or below it (the default).', ['parent', 'child']),
    status: oneOf('waiting (the default), or ended.', ['waiting', 'ended']),
    role: words('Name of its role.'),
    module: words('Id of its work module.'),
    outcome: words('Outcome of an ended agent; success by default.'),
    output: text('Output of an ended agent.'),
    flags: freeMap('Its flags.'),
    values: freeMap('Its values.'),
  },
  { required: ['profile'], 'x-what': 'another agent' },
);

const workModule = object(
  'Fields of a work module.',
  {
    name: text('Name.'),
    description: text('Description.'),
    status: oneOf('Status; pending by default.', ['pending', 'ongoing', 'pending_review', 'completed', 'deprecated']),
    notes_from_principal: text('Notes.'),
    depends_on: list('Ids of modules it depends on.', words('An id.')),
    deliverables: freeMap('Deliverables.'),
  },
  { 'x-what': 'a work module' },
);

const given = object(
  'The agent and its run before the tested turn.',
  {
    from: pattern(
      'A recorded turn, RUN/TURN: RUN is a run of the journal, or the path of an exported run beside the test; the turn is taken again with the present profiles.',
      '^.+/[^/]+$',
      'RUN/TURN, like recordings/run_4fk2.json/Partner_1.t3',
    ),
    inbox: list('Items that wait in the inbox.', item),
    messages: list('Earlier items and replies, oldest first; each reply is an earlier turn of the agent.', message),
    flags: keyed(freeMap('Flags of the agent when it starts.'), 'flags'),
    values: keyed(freeMap('Values of the agent when it starts.'), 'values'),
    deliverables: freeMap('Deliverables of the agent when it starts.'),
    initial_params: freeMap('Parameters that the agent was started with.'),
    role: words('Name of the role of the agent.'),
    module: words('Id of the work module of the agent.'),
    shared: keyed(freeMap('Shared values of the team.'), 'shared'),
    work_modules: { type: 'object', additionalProperties: workModule, description: 'Work modules of the team, by id.' },
    agents: list('Other agents of the run.', otherAgent),
    request: freeMap('Values of the request that started the run.'),
  },
  {
    'x-what': 'given',
    'x-mistakes': {
      history: 'write messages',
      state: 'write flags, values, deliverables or shared',
      modules: 'write work_modules',
    },
  },
);

/** Schema of a step of a person, in tests and evals. */
export const personSchema = object(
  'What a person does when the run waits: one of say, approve, reject and answer.',
  {
    say: anything('Sends a message: a text, or a payload.'),
    approve: { const: true, description: 'Approves all calls that wait.' },
    reject: text('Rejects all calls that wait, with this message.'),
    answer: anything('Answers the first open question.'),
  },
  { 'x-what': 'a step of a person' },
);

const run = object(
  'Runs a whole team instead of one turn.',
  {
    input: anything('Input of the run: a text, or a payload.'),
    script: named(words('Script that answers for all models: its path in the profiles folder.'), 'scripts'),
    replies: {
      type: 'object',
      additionalProperties: list('Replies, in order.', reply),
      description: 'Replies by profile, or by agent (Principal_2); each agent gets them from the first one on.',
    },
    people: list('What a person does, each time the run waits.', personSchema),
  },
  { required: ['input'], 'x-what': 'run' },
);

const result = object(
  'Result of the calls of a tool; the first entry that fits a call counts, unless the call has its own.',
  {
    tool: named(words('Name of the tool.'), 'tools'),
    args: freeMap('Only for calls with these arguments, among others.'),
    result: anything('Result of the call: a text as it is, anything else as JSON.'),
    error: words('Message of the error that the tool fails with.'),
  },
  { required: ['tool'], 'x-what': 'a result' },
);

/** JSON Schema of one case, in a test file or in `tests` of a profile. */
export const testCaseSchema: JsonSchema = object(
  'One case: what is given, the reply of the model, and what is expected of the turn.',
  {
    name: words('Name of the case, in a sentence.'),
    profile: named(name('Profile of the tested agent; by default that of the file.'), 'profiles'),
    given,
    reply,
    run,
    results: list('Results of tools.', result),
    expect: expectationSchema,
  },
  {
    required: ['name', 'expect'],
    'x-what': 'a case',
    'x-mistakes': {
      description: 'write name',
      expected: 'write expect',
      then: 'write expect',
      input: 'write given: { inbox: [...] }',
    },
  },
);

const declaredTool = object(
  'A tool of a toolset that connects to a server or loads code: no test connects, so the test says what it offers.',
  {
    toolset: named(words('Toolset of the tool.'), 'toolsets'),
    description: text('Description for the model.'),
    parameters: freeMap('JSON Schema of the arguments.'),
    effect: oneOf('Effect of the tool; unsafe by default.', ['pure', 'idempotent', 'verifiable', 'unsafe']),
  },
  { required: ['toolset'], 'x-what': 'a tool' },
);

/** JSON Schema of a test file (`*.test.yaml`). */
export const testSchema: JsonSchema = object(
  'Tests of profiles, which need no model.',
  {
    profile: named(name('Profile that the cases are about.'), 'profiles'),
    description: text('Purpose, for people.'),
    profiles: list('Further profiles, for these tests only.', freeMap('A profile.')),
    env: {
      type: 'object',
      additionalProperties: { type: 'string' },
      description: 'Environment that profiles are loaded with; empty by default.',
    },
    tools: { type: 'object', additionalProperties: declaredTool, description: 'Tools of toolsets that connect, by name.' },
    max_turns: whole('Most turns of all agents in one case with run; 100 by default.', 1),
    cases: list('The cases.', testCaseSchema),
  },
  {
    required: ['cases'],
    'x-what': 'a test file',
    'x-mistakes': { tests: 'write cases', name: 'a file has no name; its cases have' },
  },
);
