import type { UIMessage } from 'ai';
import { bodySchemas } from '../http/routes/control-schemas.ts';
import { onceHeader, oncePattern } from '../http/once-key.ts';
import type { Operation, Parameter } from './operation.ts';
import { anything, maybe, named, object, recordOf, text } from './schema-record.ts';

const once: Parameter = {
  name: onceHeader,
  schema: { type: 'string', pattern: oncePattern.source },
  description: 'A request repeated with the same key takes effect once; the same key with another body is a 409.',
};
const done: Operation['answers'] = { 200: { description: 'The status of the run.', schema: named('ActionDone') } };
const marked: Operation['answers'] = { 200: { description: 'The affected runs.', schema: named('MarkedRuns') } };
const created = { description: 'The run.', schema: named('NewRun') };

/** Actions on an existing run. */
const actions = [
  ['approve', 'Approves pending calls: all of them, or none if one is not pending.', [422]],
  ['reject', 'Rejects pending calls.', []],
  ['answer', 'Answers a question.', []],
  ['note', 'Adds a note for agents, replaces it, or removes it.', []],
  ['cancel', 'Cancels a run, an agent or the work on a module; answers when everything it stops has ended.', []],
  ['profiles', 'Changes profiles of a running run: checked like files, used from the next turns on.', [422]],
  ['modules', 'Changes the work modules of a run as a person: all changes or none.', []],
] as const;

/** Requests that change something, and those of chat protocols. */
export const writingOperations: readonly Operation[] = [
  {
    method: 'post',
    path: '/api/runs',
    id: 'launchRun',
    tag: 'control',
    summary: 'Launches a run.',
    headers: [once],
    body: bodySchemas.launch,
    answers: { 201: created, 200: { ...created, description: 'The run that was launched with this key before.' } },
    errors: [409, 422],
  },
  {
    method: 'post',
    path: '/api/runs/:id/messages',
    id: 'sendMessage',
    tag: 'control',
    summary: 'Sends a message to an agent of a run, by default the first one.',
    headers: [once],
    body: bodySchemas.message,
    answers: { 202: { description: 'It is in the inbox.', schema: named('ActionDone') } },
    errors: [409],
  },
  ...actions.map(([kind, summary, errors]): Operation => ({
    method: 'post',
    path: `/api/runs/:id/${kind}`,
    id: `${kind}Run`,
    tag: 'control',
    summary,
    body: bodySchemas[kind],
    answers: done,
    errors: [409, ...errors],
  })),
  {
    method: 'post',
    path: '/api/runs/:id/resume',
    id: 'resumeRun',
    tag: 'control',
    summary: 'Resumes a run that no process advances.',
    body: bodySchemas.resume,
    answers: done,
    errors: [409, 422],
  },
  {
    method: 'post',
    path: '/api/runs/:id/rename',
    id: 'renameRun',
    tag: 'control',
    summary: 'Changes the title of a run, whichever process advances it.',
    body: bodySchemas.rename,
    answers: marked,
    errors: [409],
  },
  {
    method: 'post',
    path: '/api/runs/:id/move',
    id: 'moveRun',
    tag: 'control',
    summary: 'Moves a run into a project, or out of it.',
    body: bodySchemas.move,
    answers: marked,
    errors: [409],
  },
  {
    method: 'post',
    path: '/api/runs/:id/delete',
    id: 'deleteRun',
    tag: 'control',
    summary: 'Removes a run from the lists; its journal stays.',
    body: bodySchemas.remove,
    answers: marked,
    errors: [409],
  },
  {
    method: 'post',
    path: '/api/runs/:id/restore',
    id: 'restoreRun',
    tag: 'control',
    summary: 'Restores a deleted run.',
    body: bodySchemas.restore,
    answers: marked,
    errors: [409],
  },
  {
    method: 'post',
    path: '/api/projects/rename',
    id: 'renameProject',
    tag: 'control',
    summary: 'Renames a project; if the new name exists, the projects are merged.',
    body: bodySchemas.renameProject,
    answers: {
      200: { description: 'How many runs moved.', schema: recordOf<{ readonly runs: number }>({ runs: { type: 'integer' } }) },
    },
  },
  {
    method: 'post',
    path: '/api/runs/:id/fork',
    id: 'forkRun',
    tag: 'control',
    summary: 'Starts a new run with the history of another.',
    body: bodySchemas.fork,
    answers: { 201: created },
    errors: [409, 422],
  },
  {
    method: 'post',
    path: '/api/tests',
    id: 'runTests',
    tag: 'control',
    summary: 'Runs the tests of the profiles, without a model, and answers when they have ended.',
    body: bodySchemas.tests,
    answers: { 200: { description: 'The report; tests that fail are part of it.', schema: named('TestReport') } },
  },
  {
    method: 'post',
    path: '/api/chat',
    id: 'chat',
    tag: 'chat',
    summary: 'A conversation in the UI message stream protocol of the AI SDK, for useChat.',
    body: { type: 'object', description: 'A request of useChat.', additionalProperties: anything },
    answers: { 200: { description: 'A UI message stream.', type: 'text/event-stream', schema: text } },
    errors: [404, 409, 422],
  },
  {
    method: 'get',
    path: '/api/chat/:id/messages',
    id: 'getChatMessages',
    tag: 'chat',
    summary: 'The messages of a conversation, as useChat takes them.',
    answers: {
      200: {
        description: 'Oldest first; none before the first message.',
        schema: {
          type: 'array',
          items: recordOf<UIMessage>({
            id: text,
            role: { enum: ['user', 'assistant'] },
            metadata: maybe(object),
            parts: { type: 'array', items: object },
          }),
        },
      },
    },
    errors: [400],
  },
  {
    method: 'get',
    path: '/api/chat/:id/stream',
    id: 'resumeChat',
    tag: 'chat',
    summary: 'Streams the current answer, or the one that waits for a person, from its beginning.',
    answers: {
      200: { description: 'A UI message stream.', type: 'text/event-stream', schema: text },
      204: { description: 'No answer is in progress or waits for a person.' },
    },
  },
  {
    method: 'post',
    path: '/ag-ui',
    id: 'agUi',
    tag: 'chat',
    summary: 'A run of an agent in the AG-UI protocol.',
    body: { type: 'object', description: 'A RunAgentInput of AG-UI.', additionalProperties: anything },
    answers: { 200: { description: 'Events of AG-UI.', type: 'text/event-stream', schema: text } },
    errors: [404, 409, 422],
  },
];
