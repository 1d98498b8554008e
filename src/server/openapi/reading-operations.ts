import type { ProjectRow } from '../../engine/run-catalog.ts';
import type { Answer, Operation, Parameter } from './operation.ts';
import { anything, flag, listOf, named, recordOf, text } from './schema-record.ts';

const limit = (usual: string): Parameter => ({
  name: 'limit',
  schema: { type: 'integer', minimum: 0 },
  description: `How many at most; ${usual}.`,
});
const after: Parameter = {
  name: 'after',
  schema: { type: 'integer', minimum: 0 },
  description: 'Only events with a higher sequence number.',
};
const json = (description: string, schema: Answer['schema']): Operation['answers'] => ({
  200: { description, ...(schema === undefined ? {} : { schema }) },
});
const stream = (description: string): Operation['answers'] => ({ 200: { description, type: 'text/event-stream', schema: text } });
const search = (name: string, description: string, required = false): Parameter => ({ name, schema: text, description, required });

const redact: Parameter = {
  name: 'redact',
  schema: { enum: ['true', 'false'] },
  description: 'false keeps text that looks like a secret.',
};

/** The runs of a comparison: two, or up to `most`. */
function comparedRuns(most: number): Parameter {
  return {
    name: 'run',
    schema: { type: 'array', items: text, minItems: 2, maxItems: most },
    description: 'The ids of the runs, one parameter each.',
    required: true,
  };
}

/** Requests that read: the list of runs, a run, and views of it. */
export const readingOperations: readonly Operation[] = [
  {
    method: 'get',
    path: '/api/info',
    id: 'getInfo',
    tag: 'server',
    summary: 'The server, and the profiles that runs can be launched with.',
    answers: json('The server.', named('Info')),
  },
  {
    method: 'get',
    path: '/api/openapi.json',
    id: 'getDescription',
    tag: 'server',
    summary: 'This description.',
    answers: json('An OpenAPI document.', { type: 'object' }),
  },
  {
    method: 'get',
    path: '/api/tests',
    id: 'getTests',
    tag: 'server',
    summary: 'What the tests of the profiles exercised when they last ran.',
    query: [
      {
        name: 'round',
        schema: { type: 'integer', minimum: 0 },
        description: 'The round that the client has: its report is left out.',
      },
    ],
    answers: json('The state of the tests.', named('TestsState')),
  },
  {
    method: 'get',
    path: '/api/runs',
    id: 'listRuns',
    tag: 'runs',
    summary: 'Runs, newest first.',
    query: [
      search('q', 'Looks in title, id, profile and project.'),
      search('project', 'Only runs of this project.'),
      search('deleted', '`true`: the deleted runs.'),
      search('status', 'Only runs of this status.'),
      limit('100 unless given, at most 1,000'),
      search('before', 'The last run of the page before.'),
    ],
    answers: json(
      'A page of runs.',
      recordOf<{ readonly runs: unknown; readonly more: boolean }>({ runs: listOf(named('RunRow')) as never, more: flag }),
    ),
  },
  {
    method: 'get',
    path: '/api/projects',
    id: 'listProjects',
    tag: 'runs',
    summary: 'All projects, the most recently used first.',
    answers: json(
      'The projects.',
      recordOf<{ readonly projects: readonly ProjectRow[] }>({ projects: listOf(named('ProjectRow')) }),
    ),
  },
  {
    method: 'get',
    path: '/api/events',
    id: 'watchRuns',
    tag: 'runs',
    summary: 'Rows of the list of runs as they change, including runs of other processes.',
    answers: stream('Server-sent events named `runs`, with `{ runs: RunRow[] }` as data.'),
  },
  {
    method: 'get',
    path: '/api/runs/:id',
    id: 'getRun',
    tag: 'runs',
    summary: 'Overview of a run.',
    answers: json('The run.', named('RunOverview')),
  },
  {
    method: 'get',
    path: '/api/runs/:id/state',
    id: 'getState',
    tag: 'views',
    summary: 'The state of a run, folded from its events.',
    answers: json('The state.', named('State')),
  },
  {
    method: 'get',
    path: '/api/runs/:id/turns',
    id: 'listTurns',
    tag: 'views',
    summary: 'The turns of a run, oldest first.',
    query: [
      search('agent', 'Only turns of this agent.'),
      search('status', 'Only turns of this status.'),
      search('type', 'Turns of this type: agent (default), user, dispatch, aggregation, restart, or all.'),
    ],
    answers: json('The turns.', listOf(named('TurnRow'))),
  },
  {
    method: 'get',
    path: '/api/runs/:id/turns/:turnId',
    id: 'getTurn',
    tag: 'views',
    summary: 'Everything about one turn.',
    answers: json('The record of the turn.', named('TurnRecord')),
  },
  {
    method: 'get',
    path: '/api/runs/:id/turns/:turnId/why',
    id: 'why',
    tag: 'views',
    summary: 'Where a text of a turn came from, with the chain of causes back to a person.',
    query: [search('text', 'The text, exactly as in the prompt or the reply.', true)],
    answers: json('The answers, one for each match.', listOf(named('WhyAnswer'))),
  },
  {
    method: 'get',
    path: '/api/runs/:id/diff',
    id: 'diffTurns',
    tag: 'views',
    summary: 'The difference between the prompts of two turns.',
    query: [search('before', 'The id of a turn.', true), search('after', 'The id of another.', true)],
    answers: json('The difference.', named('TurnDiff')),
  },
  {
    method: 'get',
    path: '/api/compare',
    id: 'compareRuns',
    tag: 'views',
    summary: 'Runs turn by turn, each compared with the first one, with the first difference and its cause.',
    query: [comparedRuns(10)],
    answers: json('The comparison.', named('RunComparison')),
    errors: [404],
  },
  {
    method: 'get',
    path: '/api/compare/turns/:turnId',
    id: 'compareTurn',
    tag: 'views',
    summary: 'One turn of two runs: what differs, and the difference of the prompts.',
    query: [comparedRuns(2)],
    answers: json('The comparison.', named('TurnComparison')),
  },
  {
    method: 'get',
    path: '/api/runs/:id/history',
    id: 'getHistory',
    tag: 'views',
    summary: 'The history of an agent, with that of the agents it called at the places where it waited for them.',
    query: [search('agent', 'The id of an agent; the first one unless given.')],
    answers: json('The events, in order.', listOf(named('HistoryEvent'))),
  },
  ...(
    [
      ['timeline', 'getTimeline', 'A run over time: a row per agent, a bar per turn.', named('Timeline')],
      ['board', 'getBoard', 'The work modules of a run, by status.', named('Board')],
      ['tree', 'getTree', 'The agents of a run.', listOf(named('AgentNode'))],
      ['conversation', 'getConversation', 'The conversation between the user and the team.', listOf(named('ConversationEntry'))],
      ['pending', 'getPending', 'What people see of each request that waits for them, oldest first.', listOf(named('RequestCard'))],
    ] as const
  ).map(([view, id, summary, schema]): Operation => ({
    method: 'get',
    path: `/api/runs/:id/${view}`,
    id,
    tag: 'views',
    summary,
    answers: json(`The ${view}.`, schema),
  })),
  {
    method: 'get',
    path: '/api/runs/:id/journal',
    id: 'getJournal',
    tag: 'runs',
    summary: 'The events of a run, one JSON object a line.',
    query: [after, limit('all unless given')],
    answers: { 200: { description: 'Lines, each an Event.', type: 'application/x-ndjson', schema: named('Event') } },
  },
  {
    method: 'get',
    path: '/api/runs/:id/events',
    id: 'watchRun',
    tag: 'runs',
    summary: 'The events of a run, from the first one or after a given one, then live until the run ends.',
    query: [after],
    headers: [
      { name: 'Last-Event-ID', schema: text, description: 'The last event received before a reconnect; sent by browsers.' },
    ],
    answers: stream(
      'Messages without a name are events of the journal, with their sequence number as id. `delta`, `progress`, `lag` and `end` are named.',
    ),
  },
  {
    method: 'get',
    path: '/api/runs/:id/contents',
    id: 'getContents',
    tag: 'runs',
    summary: 'Texts that events of the run refer to.',
    query: [
      {
        name: 'hash',
        schema: { type: 'array', items: text, minItems: 1, maxItems: 100 },
        description: 'The hashes, one parameter each.',
        required: true,
      },
    ],
    answers: json('Texts by hash; null where there is none.', named('Texts')),
  },
  {
    method: 'get',
    path: '/api/runs/:id/profiles',
    id: 'getProfiles',
    tag: 'views',
    summary: 'The facts that views need about the profiles of a run.',
    answers: json('Facts by the name of the profile.', { type: 'object', additionalProperties: named('ProfileFacts') }),
  },
  {
    method: 'get',
    path: '/api/runs/:id/export.json',
    id: 'exportJson',
    tag: 'runs',
    summary: 'The run as one JSON file, which cadre import reads.',
    query: [redact],
    answers: json('The run, as an attachment.', anything),
  },
  {
    method: 'get',
    path: '/api/runs/:id/export.html',
    id: 'exportHtml',
    tag: 'runs',
    summary: 'The run and the page that shows it, as one file.',
    query: [redact],
    answers: { 200: { description: 'A page that needs no server, as an attachment.', type: 'text/html', schema: text } },
  },
];
