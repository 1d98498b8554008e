import type { JsonSchema } from '../../core/json.ts';
import { flag, freeMap, inboxSource, keyed, list, name, named, names, object, oneOf, whole, words } from './schema-parts.ts';

/** Schema of one text or several. */
const texts = (description: string): JsonSchema => ({
  type: ['string', 'array'],
  items: { type: 'string' },
  'x-expects': 'a text, or a list of texts',
  description,
});

const said = object(
  'A text of the prompt, and where it comes from.',
  {
    text: words('The text.'),
    segment: words('Id of the segment of the system prompt that says it.'),
    source: inboxSource,
    ingestor: named(words('Ingestor that wrote it.'), 'ingestors'),
    observer: words('Observer whose item says it.'),
    rule: words('Rule of the flow decider whose item says it.'),
    tool: named(words('Tool whose result says it.'), 'tools'),
  },
  { required: ['text'], 'x-what': 'a text of the prompt' },
);

const prompt = object(
  'The prompt that the model got.',
  {
    contains: texts('Texts that it contains.'),
    lacks: texts('Texts that it does not contain.'),
    snapshot: {
      type: ['boolean', 'string'],
      'x-expects': 'true, or a name',
      description: 'Compares the prompt with the file of this name in __snapshots__; `cadre test --update` writes it.',
    },
    says: list('Texts and their origin.', said),
  },
  { 'x-what': 'expect.prompt', 'x-mistakes': { includes: 'write contains', excludes: 'write lacks' } },
);

const observers: JsonSchema = {
  ...object(
    'Observers that fired, and those that did not: a list means fired.',
    { fired: names('Observers that fired.'), quiet: names('Observers that did not fire.') },
    { 'x-what': 'expect.observers' },
  ),
  type: ['array', 'object'],
  items: words('Id of an observer.'),
  'x-expects': 'a list of ids, or { fired, quiet }',
};

const expectedGate = object(
  "A gate's judgement of the call.",
  {
    id: words('Id of the gate, or needs_approval: the requirement of the tool itself.'),
    result: oneOf('What came of it; not_asked: an earlier gate had decided.', ['matched', 'not_matched', 'failed', 'not_asked']),
    values: freeMap('Values its condition read, by path, among others: { args.euros: 500 }.'),
  },
  { required: ['id'], 'x-what': 'an expected gate', 'x-mistakes': { matched: 'write result: matched', verdict: 'write gate' } },
);

const expectedCall = object(
  'A tool call.',
  {
    tool: named(words('Name of the tool.'), 'tools'),
    args: freeMap('Arguments, among others.'),
    status: oneOf('Status of the call.', [
      'requested',
      'running',
      'suspended',
      'ok',
      'error',
      'denied',
      'cancelled',
      'timeout',
      'unknown',
    ]),
    gate: words('Gate that decided it: the one that matched, or failed.'),
    gates: list('Gates that are about the tool, among others.', expectedGate),
    contains: texts('Texts in its result, or in the message of its error.'),
    by: named(name('Profile of the calling agent, in a case with run.'), 'profiles'),
  },
  {
    required: ['tool'],
    'x-what': 'an expected call',
    'x-mistakes': { name: 'write tool', arguments: 'write args', result: 'write contains' },
  },
);

const posted = object(
  'An item that the turn posted.',
  {
    source: inboxSource,
    to: words('Id or profile of the agent that got it.'),
    contains: texts('Texts in its payload.'),
    observer: words('Observer that posted it.'),
    rule: words('Rule that posted it.'),
  },
  { required: ['source'], 'x-what': 'a posted item' },
);

const agent = object(
  'Agents of a profile.',
  {
    profile: named(name('The profile.'), 'profiles'),
    count: whole('Number of its agents.', 0),
    outcome: words('Outcome of each of them.'),
    status: oneOf('Status of each of them.', ['held', 'ready', 'in_turn', 'awaiting_tools', 'awaiting_input', 'ended']),
  },
  { required: ['profile'], 'x-what': 'an expected agent' },
);

/** JSON Schema of the expectations of a case. Some keys are for cases with `run` only; `checkKeys` of the reader says which. */
export const expectationSchema: JsonSchema = object(
  'What is expected of the turn, or of the run.',
  {
    prompt,
    observers,
    rule: {
      type: ['string', 'null'],
      'x-expects': 'the id of a rule, or null',
      description: 'Rule of the flow decider that matched; null: none was asked.',
    },
    action: oneOf('Action that follows.', [
      'continue_with_tool',
      'loop_with_inbox_item',
      'await_user_input',
      'end_agent_turn',
      'call_tool',
      'await',
      'retry_turn',
      'set_tool_choice',
      'limit',
    ]),
    tool_calls: list('All tool calls of the turn, in order.', expectedCall),
    tools: object(
      'Tools offered to the model.',
      {
        offered: names('Tools that are offered.', 'tools'),
        not_offered: names('Tools that are not offered.', 'tools'),
        choice: words('Tool choice: auto, none, required, or the name of a tool.'),
      },
      { 'x-what': 'expect.tools' },
    ),
    state: keyed(
      freeMap(
        'State afterwards, by path: flags.x, values.x, deliverables.x, counters.x, status, team.shared.x, team.work_modules.WM_1.status.',
      ),
    ),
    posted: list('Items that the turn posted, in any order, among others.', posted),
    started: names('Profiles of the agents that the turn started, in order.', 'profiles'),
    end: {
      type: ['string', 'boolean'],
      'x-expects': 'an outcome, or false',
      description: 'Outcome that the agent ended with; false: it did not end.',
    },
    output: texts('Texts in the output of the agent, or of the run.'),
    error: texts('Texts in the error that the agent, the turn or the run ended with.'),
    notes: names('Codes of notes, such as CONDITION_FAILED, that were recorded.'),
    status: oneOf('Status of the run, in a case with run.', ['running', 'awaiting', 'completed', 'failed', 'cancelled']),
    outcome: words('Outcome of the run, in a case with run.'),
    agents: list('Agents of the run, in a case with run.', agent),
    turns: {
      type: ['integer', 'object'],
      minimum: 0,
      additionalProperties: { type: 'integer', minimum: 0 },
      'x-expects': 'a number, or a map of profiles to numbers',
      description: 'Number of turns, in a case with run: of all agents, or by profile.',
    },
    calls: list('Calls of the run in this order, among others, in a case with run.', expectedCall),
    rules: names('Rules that matched somewhere in the run, in a case with run.'),
    people: flag('True: all steps of run.people were needed.'),
  },
  {
    'x-what': 'expect',
    'x-mistakes': {
      observers_fired: 'write observers',
      rule_matched: 'write rule',
      items_posted: 'write posted',
      flags: 'write state: { flags.x: … }',
      text: 'write output, or prompt: { contains: … }',
    },
  },
);
