/** One behaviour of the seed systems, by the table of the checklist it stands in. */
export interface Requirement {
  /** Table and row, for example `A1.3.priorities`; faults of the original are `D1.n`. */
  readonly id: string;
  readonly section: string;
  readonly text: string;
  /** `verified` by a scenario test that cites it, or for `later`, with the reason. */
  readonly status: 'verified' | 'later';
  readonly reason?: string;
}

interface Later {
  readonly later: string;
}

/** A row: what it asks for, and, when it is not there yet, why. */
type Row = string | readonly [string, Later];

const knowledgeBase = {
  later: 'There is no knowledge base yet; long results are cut with a marker and kept whole in the content store.',
};
const turnTypes = { later: 'Only agents take turns so far; who spoke, dispatched or restarted is on the record as events.' };

const tables: readonly { readonly table: string; readonly section: string; readonly rows: Readonly<Record<string, Row>> }[] = [
  {
    table: 'A1.1',
    section: 'Agent node lifecycle',
    rows: {
      construction: 'an agent has id, parent, profile and start time; retries come from its LLM config',
      'profile-lookup': 'profiles are found by name; an unknown or disabled one is refused with a list of what exists',
      'prep-order': 'dangling calls, observers, inbox, system prompt, tools, in this order',
      exec: 'one streaming model call that never throws, without secrets on the record',
      post: 'reply, observers, decider, turn end, in this order',
      'tool-call-processing': 'every call of a reply is run or answered with an error the model can act on',
      dangling: 'calls nothing answered get one error result each before anything else',
      safenet: 'results stand directly behind their calls, one each',
      reasoning: 'reasoning is recorded and not sent back',
    },
  },
  {
    table: 'A1.2',
    section: 'Observers and flow decider',
    rows: {
      'observer-shape': 'id, condition (default: always) and action',
      'add-to-inbox': 'posts an item; a payload that is one expression keeps its type; the item names its observer',
      'update-state': 'set, increment, append and remove',
      'observer-failure': 'a failing observer becomes an item for the model; the others run',
      conditions: 'conditions over state, compiled at load',
      paths: 'paths over every root; what is missing is null',
      templates: 'texts with expressions',
      decider: 'the first rule that holds wins; a default when none does',
      'continue-with-tool': 'leads to the called tools',
      'end-agent-turn': 'ends with an outcome and message',
      'loop-with-inbox-item': 'adds a self-reflection and loops; its content is required',
      'await-user-input': 'waits for a person',
      counters: 'counting replies without tool calls, and giving up after three',
      'stock-pre-turn': 'work modules, guidance on completion and activity of the principal, by observers',
      'stock-post-turn': 'a new plan is asked for when nothing moves',
    },
  },
  {
    table: 'A1.3',
    section: 'Inbox, strategies, injection',
    rows: {
      'inbox-item': 'id, source, payload, consumption policy, and who made it',
      priorities: 'items are read by priority, then arrival',
      consumption: 'consumed on reading, or kept and injected anew each turn',
      ttl: 'kept items are seen in a given number of turns',
      'strategy-resolution': 'profile, then global table, then Markdown',
      'injection-modes': 'a message of its own, or in front of the last one of its role',
      persistence: 'kept in history, or in one turn only',
      'role-tool': 'tool results answer their calls by id',
      'startup-briefing': 'read first, never handed on',
      'user-prompt': 'read last, kept; the end of every chain of causes',
      'user-turn': ['a turn of its own for what the user said', turnTypes],
      'processing-log': 'each item read is on the turn’s record',
      'ingestor-failure': 'reported to the model, tried again, then shelved',
      registry: 'the table of sources',
      dehydration: ['long results replaced by tokens', knowledgeBase],
    },
  },
  {
    table: 'A1.4',
    section: 'Ingestors',
    rows: {
      'templated-content': 'a text definition by key, wrapper tags',
      'generic-message': 'the payload, or a template over it',
      'tool-result': 'text, data, errors',
      'markdown-formatter': 'title and key lines, renames, exclusions',
      'work-modules': 'the modules under a title',
      'available-associates': 'who can be staffed',
      'principal-history-summary': 'the last messages, clipped',
      'json-history': 'messages as JSON',
      'tagged-content': 'text between tags',
      'observer-failure': 'which observer failed, and what to do',
      'dispatch-result': 'a record per module',
      'user-prompt': 'words and files',
      'protocol-aware': 'a briefing by its schema',
      'recursive-markdown': 'how nested data is rendered',
    },
  },
  {
    table: 'A1.5',
    section: 'System prompt',
    rows: {
      order: 'segments by order, under conditions',
      'static-text': 'text or text definition',
      'state-value': 'a state path through an ingestor',
      'tool-description': 'tools by toolset',
      'tool-contributed-context': 'what tools say of themselves',
      log: 'the construction log',
      failure: 'a failing segment does not end the run; wrapper tags',
    },
  },
  {
    table: 'A1.6',
    section: 'Turn model',
    rows: {
      identity: 'turn, run, flow, agent',
      'turn-type': 'agent turns',
      'other-turn-types': ['user, dispatch, aggregation and restart turns', turnTypes],
      status: 'running, completed, error, cancelled; times',
      causality: 'the baton, and causes back to the person',
      inputs: 'items read, prompt as sent',
      outputs: 'the decided action',
      'llm-interaction': 'attempts, reply, model, usage',
      'tool-interactions': 'calls with arguments, result, status, times',
      operations: 'state changes by whom',
    },
  },
  {
    table: 'A1.7',
    section: 'Contexts and flows',
    rows: {
      'run-context': 'id, status, config snapshot, usage, limits',
      'team-state': 'modules, dispatches, shared values',
      'sub-context': 'messages, inbox, flags, deliverables per agent',
      'run-types': [
        'direct runs of a principal or a chat by run type',
        { later: 'A run starts with whatever profile is named; there is no second word for it.' },
      ],
      'partner-loop': 'waits for the user or the principal, whichever comes first',
      'run-once': 'principal and associates run to their end, or are cancelled with everything below',
      'result-package': 'status, summary, deliverables, error',
      'tool-wiring': 'after a tool its agent goes on, unless the tool ends the flow',
      nodes: 'prep, exec, post and routing by action',
      'state-dump': 'the whole state from the journal',
    },
  },
  {
    table: 'A1.8',
    section: 'Tools',
    rows: {
      attributes: 'registration attributes and what they do',
      discovery: [
        'tools found in folders and on MCP servers',
        { later: 'Tools are handed to the engine by name; MCP servers come as toolsets later.' },
      ],
      'to-the-llm': 'clean schemas, toolset in the description, encoded names',
      access: 'toolsets and single tools by policy',
      'handover-merge': 'parameters of the handover protocol merged in and checked',
      'exposable-as-tool': 'a profile offered as a tool of other agents: its end is the result of the call',
      'base-tool': 'arguments, outcome, result item',
      'mcp-proxy': ['tools of MCP servers', { later: 'MCP servers come as toolsets later.' }],
      'finish-flow': 'ends with deliverables that fit the schema',
      'generate-message-summary': 'instructions for the hand-in',
      'generate-markdown-report': 'instructions for the report',
      'manage-work-modules': 'atomic changes of the plan',
      'principal-status': 'how far the principal is',
      'send-directive': 'a directive into the principal’s next turn',
      'web-search': [
        'search and visit the web',
        { later: 'The bundled team works on a folder of documents; web tools need a service and a key of the user’s choice.' },
      ],
      'file-system': [
        'write and review workspace files',
        { later: 'Reports are written by write_report; a workspace toolset comes later.' },
      ],
      rag: [
        'query, add and list sources',
        { later: 'Documents are searched by full text where they lie; embedding sources come later.' },
      ],
    },
  },
  {
    table: 'A1.9',
    section: 'Work modules and dispatch',
    rows: {
      'module-record': 'what a module keeps',
      lifecycle: 'one transition table',
      'assignment-params': 'what an assignment needs',
      'validation-order': 'each refused assignment with its reason',
      execution: 'what starting an assignment records',
      completion: 'what ending one records',
      parallelism: 'at the same time, under a cap',
      'overall-status': 'one status for the whole dispatch',
      result: 'one outcome per assignment',
      'aggregation-turn': ['a turn that joins the sub-flows', turnTypes],
    },
  },
  {
    table: 'A1.10',
    section: 'Launching the principal',
    rows: {
      'start-fresh': 'needs an open module; runs in the background',
      'already-running': 'ignored, or ended first by force',
      'continue-from-previous': 'a new iteration with directives',
      completion: 'the partner is told',
    },
  },
  {
    table: 'A1.11',
    section: 'Handover protocols',
    rows: {
      yaml: 'the file, checked at load',
      inheritance: 'paths, replacements, iteration, conditions',
      filter: 'briefings are not handed on',
      output: 'data with a schema for rendering',
      'two-protocols': 'partner to principal, principal to associate',
    },
  },
  {
    table: 'A1.12',
    section: 'Profiles and LLM config',
    rows: {
      'profile-keys': 'every key, and no other',
      inheritance: 'merge rules and cycles',
      'shipped-profiles': 'the bundled profiles',
      'associate-family': [
        'web, analyst, insight, RAG and web-developer associates',
        { later: 'The bundled team has one associate, for documents; the others need tools that come later.' },
      ],
      'runtime-edit': [
        'create, update, disable and rename profiles in a running run',
        { later: 'A run keeps the profiles it started with; edit the files and start another.' },
      ],
      'llm-config': 'inheritance, environment, stand-ins',
      'call-llm': 'what is retried and what is not',
      aggregator: 'replies put together from their pieces',
    },
  },
];

const faults: Readonly<Record<string, Row>> = {
  1: 'only the first call of a reply ran',
  2: 'conditions were evaluated as Python',
  3: 'the principal inherited nothing',
  4: 'shared context never reached the associates',
  5: 'an observer’s ingestor, parameters and target were ignored',
  6: 'the counter of no progress was never set',
  7: 'an unknown action was ignored, and silence was success',
  8: 'deliverables were never set',
  9: 'prompts named tools and profiles that do not exist',
  10: 'a call outside the policy ended the flow silently',
  11: 'merging profiles concatenated lists and lost fields',
  12: 'behaviour hung on parts of an agent’s name',
  13: 'dispatch ids repeated',
  14: 'changes made during a dispatch were lost',
  15: 'status words disagreed, and modules stayed ongoing',
  16: 'assignments whose handover failed vanished from the result',
  17: 'a refused assignment blocked its module',
  18: 'calls were not linked to their turn, and completed before they ran',
  19: 'a failing item came back for ever',
  20: 'text for one turn became permanent',
  21: 'items that arrived during a turn could be lost',
  22: 'a failed associate was reported as a success',
  23: 'no limit on turns, time or tokens',
  24: 'runs in the middle of something could not be resumed',
  25: ['the server’s messages contradicted its code', { later: 'There is no server yet.' }],
  26: [
    'the whole history was sent to the UI again and again; tokens saved nothing',
    { later: 'There is no server and no knowledge base yet; events are appended once and read from where a reader stopped.' },
  ],
  27: ['one broken MCP server broke all', { later: 'MCP servers come as toolsets later.' }],
  28: 'retries changed the request',
  29: 'broken profiles were skipped',
  30: 'documented features were missing',
  31: 'process-wide state',
  32: 'nothing kept a run within its budget',
  33: 'arguments overwrote routing fields',
};

/** Every row of the first system’s checklist, and every fault of it that must not come back. */
export const requirements: readonly Requirement[] = [
  ...tables.flatMap(({ table, section, rows }) =>
    Object.entries(rows).map(([name, row]) => toRequirement(`${table}.${name}`, section, row)),
  ),
  ...Object.entries(faults).map(([number, row]) => toRequirement(`D1.${number}`, 'Faults of the original', row)),
];

function toRequirement(id: string, section: string, row: Row): Requirement {
  if (typeof row === 'string') return { id, section, text: row, status: 'verified' };
  const [text, { later }] = row;
  return { id, section, text, status: 'later', reason: later };
}
