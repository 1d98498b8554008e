import type { TurnId } from '../../core/ids.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json.ts';
import { type PendingRequest, pendingOf } from '../../core/state/pending.ts';
import type { RunContext } from '../../core/state/run-context.ts';
import type { FileChange } from '../../core/tool/file-change.ts';
import { type ApprovalFact, approvalFacts } from '../approval-text.ts';
import { type ReadContent, readList } from '../read-content.ts';
import { type CardField, cardFields } from './card-fields.ts';
import { type OutsideText, outsideTexts } from './value-origins.ts';

/** Content of the card on which a person decides: the same on the page, on the command line, over HTTP and in code. */
export interface RequestCard extends PendingRequest {
  /** Who asks: a call that needs approval, a tool that asks a question, or the profile at a checkpoint or an escalation. */
  readonly asks: 'call' | 'tool' | 'profile';
  /** The tool's own description, as the model read it. */
  readonly description?: string;
  /** The arguments, all of them, in the order of the tool's schema. */
  readonly fields: readonly CardField[];
  /** What the call would do to files, compared with the files as they are now. */
  readonly changes: readonly FileChange[];
  /** What else a person must know before they let the call run. */
  readonly facts: readonly ApprovalFact[];
}

/** What cards are made from, besides the state. */
export interface CardSources {
  /** Reads stored texts: the tools that the model was offered. */
  readonly content: ReadContent;
  /** Changes to files, by the id of the request. */
  readonly changes?: ReadonlyMap<string, readonly FileChange[]>;
}

/** Returns the cards of all requests that wait for a person, oldest first. Pass a full state: origins are looked for in all turns. */
export function requestCards(run: RunContext, { content, changes }: CardSources): readonly RequestCard[] {
  const pending = pendingOf(run).toSorted((one, other) => one.since - other.since);
  const outside = pending.length === 0 ? [] : outsideTexts(run);
  return pending.map((request) =>
    cardOf(request, { tool: offeredTool(run, request, content), outside, changes: changes?.get(request.id) }),
  );
}

interface CardFacts {
  readonly tool?: DescribedTool | undefined;
  readonly outside: readonly OutsideText[];
  readonly changes?: readonly FileChange[] | undefined;
}

function cardOf(request: PendingRequest, { tool, outside, changes = [] }: CardFacts): RequestCard {
  const facts = { tool: request.tool, schema: tool?.schema, outside };
  return {
    ...request,
    asks: request.kind === 'approval' ? 'call' : request.tool === '' ? 'profile' : 'tool',
    ...(tool?.description === undefined ? {} : { description: tool.description }),
    fields: request.kind === 'approval' ? cardFields(request.args, facts) : [],
    changes,
    facts: approvalFacts(request),
  };
}

/** Returns the card of a request of which nothing else is known: all arguments, without what the tool's schema says of them. */
export function bareCard(request: PendingRequest): RequestCard {
  return cardOf(request, { outside: [] });
}

interface DescribedTool {
  readonly description?: string;
  readonly schema?: JsonValue;
}

/** Finds a tool as the model was offered it in the turn that made the call; undefined when the record does not say. */
function offeredTool(run: RunContext, { turnId, callId }: PendingRequest, content: ReadContent): DescribedTool | undefined {
  const turn = run.turns.get(turnId as TurnId);
  const offered = turn?.start.prompt?.tools;
  const call = turn?.calls.find((candidate) => candidate.callId === callId);
  if (turn === undefined || offered === undefined || call === undefined) return undefined;
  const wireName = turn.modelEnd?.reply?.toolCalls.find(({ callId }) => callId === call.callId)?.wireName ?? call.request.name;
  const found = readList(content, offered).find(
    (tool): tool is JsonObject => isJsonObject(tool as JsonValue) && (tool as JsonObject)['name'] === wireName,
  );
  if (found === undefined) return undefined;
  const { description, inputSchema } = found;
  return {
    ...(typeof description === 'string' ? { description } : {}),
    ...(inputSchema === undefined ? {} : { schema: inputSchema }),
  };
}
