import { compileTemplate } from '../../src/core/expression/template.ts';
import { compileExpression } from '../../src/core/expression/expression.ts';
import type { CompiledProfile, CompiledSegment } from '../../src/core/profile/profile.ts';
import type { SourceRef } from '../../src/core/profile/source-ref.ts';
import { agentId, callId, input, JournalBuilder, resultInput, turnId } from './journal-builder.ts';

/** A profile file with a block scalar, a quoted text, and a text definition. */
export const partnerFile = {
  path: 'profiles/Partner.yaml',
  text: [
    'name: Partner',
    'type: partner',
    'text_definitions:',
    '  manners: |',
    '    Be kind.',
    '    Be brief.',
    'system_prompt_construction:',
    '  system_prompt_segments:',
    '    - id: role',
    '      type: static_text',
    '      content: |',
    '        You are the Partner.',
    '        You serve {{ run.title }}.',
    '        You never lie.',
    '    - id: manners',
    '      content_key: manners',
    '',
  ].join('\n'),
};

const at = (line: number, column = 1): SourceRef => ({ file: partnerFile.path, line, column });

function template(source: string) {
  const compiled = compileTemplate(source);
  if (!compiled.ok) throw new Error('bad template');
  return compiled.value;
}

function expression(source: string) {
  const compiled = compileExpression(source);
  if (!compiled.ok) throw new Error('bad expression');
  return compiled.value;
}

const roleSegment: CompiledSegment = {
  id: 'role',
  type: 'static_text',
  order: 1,
  wrapperTags: ['<role>', '</role>'],
  content: template('You are the Partner.\nYou serve {{ run.title }}.\nYou never lie.\n'),
  source: at(9, 7),
};
const mannersSegment: CompiledSegment = {
  id: 'manners',
  type: 'static_text',
  order: 2,
  contentKey: 'manners',
  content: template('Be kind.\nBe brief.\n'),
  source: at(15, 7),
};

/** The compiled form of the file above, with an observer and two rules. */
export const partnerProfile: CompiledProfile = {
  name: 'Partner',
  type: 'partner',
  description: '',
  rev: 1,
  isActive: true,
  isDeleted: false,
  availableForStaffing: false,
  callableProfiles: [],
  llmConfigRef: 'default',
  segments: [roleSegment, mannersSegment],
  textDefinitions: new Map(),
  allowedToolsets: [],
  allowedTools: [],
  preTurnObservers: [
    {
      id: 'nag',
      condition: expression('flags.n > 1'),
      action: { type: 'update_state', updates: [] },
      source: at(30, 5),
    },
  ],
  postTurnObservers: [],
  flowDecider: [
    { id: 'stop', condition: expression('flags.n > 2'), action: { type: 'end_agent_turn', outcome: 'success' }, source: at(40, 5) },
    { id: 'go', action: { type: 'continue_with_tool' }, source: at(42, 5) },
  ],
  strategies: new Map([
    [
      'USER_PROMPT',
      {
        ingestor: 'user_prompt',
        mode: 'append_as_new_message' as const,
        role: 'user' as const,
        persistent: true,
        params: {},
        priority: 7,
      },
    ],
  ]),
  limits: {},
  toolGates: [],
  stagnation: [],
  checkpoints: [],
  toolChoice: 'auto',
  contextPolicy: { window: 0, truncate: {}, raw: {} },
  checkDeliverables: (value) => ({ ok: true, args: value }),
  resolved: {},
  origins: new Map([
    ['system_prompt_construction.system_prompt_segments[role].content', at(11, 16)],
    ['text_definitions.manners', at(4, 12)],
  ]),
  source: at(1),
};

export const profiles: ReadonlyMap<string, CompiledProfile> = new Map([['Partner', partnerProfile]]);

const partnerSegments = [
  { id: 'role', text: '<role>\nYou are the Partner.\nYou serve A test.\nYou never lie.\n\n</role>' },
  { id: 'manners', text: 'Be kind.\nBe brief.\n' },
];

/**
 * A small team at work: the user asks, the Partner dispatches module WM_1 to an Associate, who searches and reports;
 * the Partner answers in its second turn.
 */
export function teamJournal(files: readonly { readonly path: string; readonly text: string }[] = [partnerFile]): JournalBuilder {
  const journal = new JournalBuilder(files);
  const partner = journal.agent('Partner_1', 'Partner', {}, 1);
  const asked = journal.item('Partner_1', 'i1', 'USER_PROMPT', { prompt: 'Compare A and B' }, {}, undefined);
  journal.add(
    { type: 'state.update', scope: 'agent', agentId: agentId('Partner_1'), operation: 'set', path: 'flags.n', value: 1 },
    partner.seq,
  );
  journal
    .wait(500)
    .turn(
      'Partner_1',
      'Partner_1.t1',
      [input('i1', 'USER_PROMPT', 'Compare A and B')],
      { segments: partnerSegments, tools: ['dispatch'] },
      asked.seq,
    );
  const dispatch = { id: 'c1', name: 'dispatch', args: { module: 'WM_1' } };
  const replied = journal.wait(900).reply('Partner_1', 'Partner_1.t1', 'I will look into it.', [dispatch], 'A plan first.');
  journal.add(
    {
      type: 'turn.decide',
      agentId: agentId('Partner_1'),
      turnId: turnId('Partner_1.t1'),
      observers: [{ id: 'nag', phase: 'pre', fired: false, value: false }],
      rules: [
        { id: 'stop', matched: false, values: { 'flags.n': 1 } },
        { id: 'go', matched: true },
      ],
      action: { type: 'continue_with_tool', ruleId: 'go' },
    },
    replied.seq,
  );
  const called = journal.add(
    {
      type: 'tool.request',
      agentId: agentId('Partner_1'),
      turnId: turnId('Partner_1.t1'),
      callId: callId('c1'),
      name: 'dispatch',
      args: dispatch.args,
    },
    replied.seq,
  );
  journal.add(
    {
      type: 'module.update',
      moduleId: 'WM_1',
      patch: {
        name: 'Research',
        status: 'ongoing',
        assignee_history: [{ dispatch_id: 'd1', agent_id: agentId('Assoc_1'), started_at: called.at, outcome: 'running' }],
      },
    },
    called.seq,
  );
  journal.add(
    {
      type: 'dispatch.update',
      dispatchId: 'd1',
      patch: {
        module_id: 'WM_1',
        call_id: callId('c1'),
        agent_id: agentId('Assoc_1'),
        profile: 'Associate',
        role_name: 'Searcher',
        status: 'RUNNING',
        started_at: called.at,
      },
    },
    called.seq,
  );
  const started = journal.agent('Assoc_1', 'Associate', { parent: 'Partner_1', callId: 'c1', moduleId: 'WM_1' }, called.seq);
  const briefed = journal.item(
    'Assoc_1',
    'i2',
    'AGENT_STARTUP_BRIEFING',
    { task: 'find B' },
    { from: agentId('Partner_1') },
    started.seq,
  );
  journal.turn(
    'Assoc_1',
    'Assoc_1.t1',
    [input('i2', 'AGENT_STARTUP_BRIEFING', 'Your task: find B', { noHandover: true, ingestor: 'protocol_aware' })],
    { segments: [{ id: 'own', text: 'Search well.' }], sources: ['Partner_1.t1'] },
    briefed.seq,
  );
  const search = { id: 'c2', name: 'search', args: { q: 'B' } };
  journal.wait(300).reply('Assoc_1', 'Assoc_1.t1', '', [search]);
  const result = journal.call('Assoc_1', 'Assoc_1.t1', search, 'B is faster than A.');
  journal.end('Assoc_1', 'Assoc_1.t1');
  journal.turn(
    'Assoc_1',
    'Assoc_1.t2',
    [resultInput('c2', 'search', 'B is faster than A.')],
    { segments: [{ id: 'own', text: 'Search well.' }], sources: ['Assoc_1.t1'] },
    result.seq,
  );
  journal.reply('Assoc_1', 'Assoc_1.t2', 'Report: B wins.');
  journal.end('Assoc_1', 'Assoc_1.t2');
  journal.add({ type: 'agent.end', agentId: agentId('Assoc_1'), outcome: 'success', output: 'Report: B wins.', deliverables: {} });
  return journal;
}

/** Ends the dispatch and lets the Partner answer. */
export function finish(journal: JournalBuilder): JournalBuilder {
  const ended = journal.add({
    type: 'tool.end',
    agentId: agentId('Partner_1'),
    turnId: turnId('Partner_1.t1'),
    callId: callId('c1'),
    status: 'ok',
    content: 'WM_1 done: B wins.',
    ms: 5000,
  });
  journal.add({
    type: 'module.update',
    moduleId: 'WM_1',
    patch: {
      status: 'pending_review',
      assignee_history: [
        { dispatch_id: 'd1', agent_id: agentId('Assoc_1'), started_at: 0, ended_at: 9, outcome: 'completed_success' },
      ],
    },
  });
  const result = journal.item(
    'Partner_1',
    'r_c1',
    'TOOL_RESULT',
    { tool_call_id: 'c1', content: 'WM_1 done: B wins.' },
    {},
    ended.seq,
  );
  journal.end('Partner_1', 'Partner_1.t1');
  journal.item('Partner_1', 'n1', 'SELF_REFLECTION_PROMPT', { content: 'check it' }, { observerId: 'nag' }, result.seq);
  journal
    .wait(5000)
    .turn(
      'Partner_1',
      'Partner_1.t2',
      [
        resultInput('c1', 'dispatch', 'WM_1 done: B wins.'),
        input('n1', 'SELF_REFLECTION_PROMPT', 'Check your facts.', { persistent: false, mode: 'prepend_to_role' }),
      ],
      { segments: partnerSegments, tools: ['dispatch', 'finish'], sources: ['Partner_1.t1'] },
      result.seq,
    );
  journal.reply('Partner_1', 'Partner_1.t2', 'B is faster.');
  journal.end('Partner_1', 'Partner_1.t2');
  return journal;
}
