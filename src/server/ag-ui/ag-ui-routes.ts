import { CadreError } from '../../core/error.ts';
import { readJsonBody } from '../http/request-body.ts';
import type { Person } from '../../core/roles.ts';
import { personOf, type Routes } from '../http/routes.ts';
import type { ServerParts } from '../http/server-parts.ts';
import { sseAnswer } from '../threads/sse-stream.ts';
import { submit, type Submitted } from '../threads/submit.ts';
import type { Threads } from '../threads/threads.ts';
import type { AgUiUsage } from './ag-ui-event.ts';
import { type AgUiInput, readAgUiInput, verdictsOf } from './ag-ui-input.ts';
import { answerAgUi, usageOf } from './answer-ag-ui.ts';

/**
 * Adds `POST /ag-ui` (AG-UI 1.0). A thread is a run of the engine; each AG-UI run streams what happens until the team waits again. A
 * request that says nothing and decides nothing gets all messages of the thread so far, then the rest as it happens.
 */
export function addAgUiRoutes(routes: Routes, parts: ServerParts, threads: Threads): void {
  routes.post('/ag-ui', async (context) => {
    const input = readAgUiInput(await readJsonBody(context));
    const { done, used, answer } = await threads.inOrder(input.threadId, () =>
      perform(parts, threads, { ...input, person: personOf(context) }),
    );
    const { listening } = done;
    const { threadId, runId } = input;
    return sseAnswer(context, listening, (signal) =>
      answerAgUi({ listening, threadId, runId, used, signal, refused: done.refused, ...answer }),
    );
  });
}

interface Performed {
  readonly done: Submitted;
  readonly used: AgUiUsage;
  readonly answer: { readonly from: number; readonly known: number; readonly messages: AgUiInput['messages'] | undefined };
}

async function perform(parts: ServerParts, threads: Threads, input: AgUiInput & { readonly person: Person }): Promise<Performed> {
  const { threadId: name, profile, message, resume, resultOf, messages, person } = input;
  const before = await threads.resume(name, { by: person.name });
  const used = before === undefined ? noUsage : usageOf(before);
  const verdicts = verdictsOf(resume, before?.pending ?? []);
  const asked = before?.pending.find(({ callId }) => callId !== undefined && callId === resultOf);
  if (asked !== undefined)
    throw new CadreError(
      'PENDING_UNKNOWN',
      `${resultOf ?? ''} is a call; its present request is ${asked.id}. Answer with resume: [{ "interruptId": "${asked.id}", … }], not with a message of a tool`,
      { details: { id: asked.id } },
    );
  const done = await submit(parts, threads, { name, profile, message, verdicts, person, route: 'POST /ag-ui' });
  const { did, exchange, known, isRepeat } = done;
  const isNew = did !== 'nothing' || isRepeat === true;
  return { done, used, answer: isNew ? { from: exchange.from, known, messages } : { from: 0, known, messages: undefined } };
}

const noUsage: AgUiUsage = { inputTokens: 0, outputTokens: 0, totalTokens: 0, reasoningTokens: 0, cachedInputTokens: 0 };
