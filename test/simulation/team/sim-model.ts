import type { RunId, TurnId } from '../../../src/core/ids.ts';
import { toReplyParts } from '../../../src/models/scripted/scripted-stream.ts';
import type { LanguageModel } from '../../../src/index.ts';
import type { Host } from '../process/host.ts';
import { promptOwner } from './prompt-owner.ts';
import { chooseReply, chooseSummary, type SimReply } from './sim-replies.ts';
import { summariseWords } from './flavour.ts';
import type { ModelRequestRecord, World } from '../world/world.ts';

interface Request {
  readonly prompt: readonly { readonly role: string; readonly content: unknown }[];
  readonly tools?: readonly { readonly name: string }[];
  readonly abortSignal?: AbortSignal;
}

/** The model of one process: answers whenever the scheduler lets it, in any of the ways providers answer. */
export function createSimModel(world: World, host: Host): LanguageModel {
  const model: object = {
    specificationVersion: 'v4',
    provider: 'simulated',
    modelId: 'simulated',
    supportedUrls: {},
    doStream: (request: Request) => answer(world, host, request),
  };
  return model as LanguageModel;
}

async function answer(world: World, host: Host, request: Request): Promise<{ readonly stream: unknown }> {
  if (host.state === 'dead') return await new Promise(() => undefined);
  const isSummary = String(request.prompt[0]?.content) === summariseWords;
  const record = isSummary ? summaryRecord(host, request) : receive(world, host, request);
  if (isSummary) world.summaries.push(record);
  else world.requests.push(record);
  const reply = isSummary
    ? chooseSummary(world)
    : chooseReply(world, {
        turnId: record.turnId,
        hasTools: (request.tools?.length ?? 0) > 0,
        run: host.runs.get(record.runId),
      });
  const signal = reply.ignoresAbort ? undefined : request.abortSignal;
  const wait = (): Promise<void> => abortable(world, host, signal);
  signal?.addEventListener('abort', () => {
    record.isOver = true;
  });
  if (reply.isHasty) signal?.throwIfAborted();
  else await wait();
  if (reply.hangs === 'before') await forever(signal);
  if (reply.error !== undefined) {
    record.isOver = true;
    throw reply.error;
  }
  return { stream: { getReader: () => createReader(reply, record, { wait, signal }) } };
}

/** A reader of parts, as a stream of the platform has one. */
function createReader(
  reply: SimReply,
  record: ModelRequestRecord,
  links: { readonly wait: () => Promise<void>; readonly signal: AbortSignal | undefined },
): object {
  const parts = toReplyParts(reply);
  let position = 0;
  return {
    cancel: () => {
      record.isOver = true;
      return Promise.resolve();
    },
    read: async (): Promise<{ readonly done: boolean; readonly value?: unknown }> => {
      if (reply.isHasty) links.signal?.throwIfAborted();
      else await links.wait();
      if (reply.cutAfter === position) {
        if (reply.hangs === 'within') await forever(links.signal);
        record.isOver = true;
        if (reply.cutAfter % 2 === 0) return { done: true };
        throw Object.assign(new TypeError('terminated'), { cause: { code: 'ECONNRESET' } });
      }
      const value = parts[position];
      position += 1;
      if (value !== undefined) return { done: false, value };
      record.isOver = true;
      return { done: true };
    },
  };
}

/** Notes a request and holds it against the journal: it may be made only for a turn that is on the record and not answered. */
function receive(world: World, host: Host, request: Request): ModelRequestRecord {
  const { turnId, version, ...owner } = promptOwner(request.prompt);
  const asking = world.disk.askingRuns(owner.runId, turnId);
  // A process that was taken for dead still asks for what has been answered elsewhere: that is no fork's.
  const isStale = host.state !== 'alive' && world.disk.factsOf(owner.runId).answeredTurns.has(turnId);
  const runId = isStale ? owner.runId : (asking[0] ?? owner.runId);
  const facts = world.disk.factsOf(runId);
  if (!facts.turns.has(turnId)) throw world.violated(`the model is asked for ${turnId} before that turn is in the journal`);
  if (host.state === 'alive' && facts.answeredTurns.has(turnId))
    throw world.violated(`the model is asked again for ${turnId}, whose answer is in the journal`);
  const files = world.disk.content(facts.filesOfTurns.get(turnId) ?? '') ?? '';
  if (!files.includes(`|v${version}>>`))
    throw world.violated(`${turnId} of ${runId} goes by version ${version} of its profiles, which is not what its journal says`);
  const record: ModelRequestRecord = {
    runId,
    turnId: turnId as TurnId,
    host: host.id,
    text: JSON.stringify(request.prompt),
    signal: request.abortSignal,
    isOver: false,
    mayBeAnothers: asking.length > 1,
  };
  return record;
}

/** Whose history is summarised is not said in the prompt. */
function summaryRecord(host: Host, request: Request): ModelRequestRecord {
  const text = JSON.stringify(request.prompt);
  return {
    runId: '' as RunId,
    turnId: '' as TurnId,
    host: host.id,
    text,
    signal: request.abortSignal,
    isOver: false,
    mayBeAnothers: true,
  };
}

/** Waits for its turn, or fails immediately when the call is aborted. */
function abortable(world: World, host: Host, signal: AbortSignal | undefined): Promise<void> {
  if (signal === undefined) return world.scheduler.turn(host.id, 'model');
  if (signal.aborted) return Promise.reject(signal.reason as Error);
  return new Promise((resolve, reject) => {
    const onAbort = (): void => {
      takeBack();
      reject(signal.reason as Error);
    };
    const takeBack = world.scheduler.add(host.id, 'model', () => {
      signal.removeEventListener('abort', onAbort);
      resolve();
    });
    signal.addEventListener('abort', onAbort, { once: true });
  });
}

function forever(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_resolve, reject) => {
    if (signal?.aborted === true) reject(signal.reason as Error);
    else signal?.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
}
