import type { UIMessage } from 'ai';
import { bodySchemas } from '../http/routes/control-schemas.ts';
import { onceHeader, oncePattern } from '../http/once-key.ts';
import type { Operation, Parameter } from './operation.ts';
import { anything, maybe, named, object, recordOf, text } from './schema-record.ts';

const once: Parameter = {
  name: onceHeader,
  schema: { type: 'string', pattern: oncePattern.source },
  description: 'A request that is repeated with the same key is done once; another body under the same key is 409.',
};
const done: Operation['answers'] = { 200: { description: 'How the run stands now.', schema: named('ActionDone') } };
const marked: Operation['answers'] = { 200: { description: 'The runs it was done to.', schema: named('MarkedRuns') } };
const created = { description: 'The run.', schema: named('NewRun') };

/** What is done to a run that is there. */
const actions = [
  ['approve', 'Lets calls run that wait for a person; all of them, or none when one does not wait.', [422]],
  ['reject', 'Refuses calls that wait for a person.', []],
  ['answer', 'Answers a question.', []],
  ['note', 'Keeps a note for agents, changes it, or takes it away.', []],
  ['cancel', 'Ends a run, an agent or the work on a module; answers when nothing of it is running any more.', []],
  ['profiles', 'Changes profiles of a run while it goes on: checked like files, gone by from the next turns on.', [422]],
  ['modules', 'Changes the plan of a run, in the name of a person: all of it or nothing.', []],
] as const;

/** The requests that change something, and those that talk. */
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
    summary: 'Says something to an agent of a run, the first one unless another is named.',
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
    summary: 'Takes a run up that no process has.',
    body: bodySchemas.resume,
    answers: done,
    errors: [409, 422],
  },
  {
    method: 'post',
    path: '/api/runs/:id/rename',
    id: 'renameRun',
    tag: 'control',
    summary: 'Gives a run another title, whoever has it.',
    body: bodySchemas.rename,
    answers: marked,
    errors: [409],
  },
  {
    method: 'post',
    path: '/api/runs/:id/move',
    id: 'moveRun',
    tag: 'control',
    summary: 'Puts a run into a project, or out of it.',
    body: bodySchemas.move,
    answers: marked,
    errors: [409],
  },
  {
    method: 'post',
    path: '/api/runs/:id/delete',
    id: 'deleteRun',
    tag: 'control',
    summary: 'Takes a run out of the lists; nothing of it is gone.',
    body: bodySchemas.remove,
    answers: marked,
    errors: [409],
  },
  {
    method: 'post',
    path: '/api/runs/:id/restore',
    id: 'restoreRun',
    tag: 'control',
    summary: 'Brings a deleted run back.',
    body: bodySchemas.restore,
    answers: marked,
    errors: [409],
  },
  {
    method: 'post',
    path: '/api/projects/rename',
    id: 'renameProject',
    tag: 'control',
    summary: 'Gives a project another name; one of that name takes its runs in.',
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
    path: '/api/chat',
    id: 'chat',
    tag: 'chat',
    summary: 'A conversation in the UI message stream protocol of the AI SDK: what useChat sends.',
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
        description: 'Oldest first; none when nothing was said yet.',
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
    summary: 'Tells the answer that is under way, or waits for a person, from its beginning.',
    answers: {
      200: { description: 'A UI message stream.', type: 'text/event-stream', schema: text },
      204: { description: 'Nothing is under way, and nothing waits for a person.' },
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
