import type { CadreEvent, EventOf } from '../core/events/event.ts';
import { changesText } from '../core/events/profile-edit.ts';
import type { JsonValue } from '../core/json.ts';
import { contentText } from '../core/prompt/message.ts';
import type { ApprovalWait } from '../core/tool/wait-for.ts';
import { changedText } from './approval-text.ts';
import { countText } from './format/text/quantity-text.ts';
import { beforeAfter, stateChanges } from './turn/state-changes.ts';

/** Describes an event in one short sentence; the text is untrusted. */
export function describeEvent(event: CadreEvent): string {
  switch (event.type) {
    case 'run.start':
      return `the run began with profile ${event.profile}: ${inOneLine(event.input)}`;
    case 'run.status':
      return `the run is ${event.status}${event.pending === undefined ? '' : `; ${countText(event.pending, 'request')} for a person`}`;
    case 'run.resume':
      return `the run was taken up again after ${event.downMs} ms${event.profiles === undefined ? '' : ', with other profiles'}${revokedText(event)}`;
    case 'profiles.update':
      return `profiles were changed: ${changesText(event.changes)}${revokedText(event)}`;
    case 'toolset.update':
      return `the run has the tools of ${event.toolset} as they are from here on`;
    case 'clock.jump':
      return `the wall clock jumped by ${event.ms} ms`;
    case 'run.title':
      return event.title === undefined
        ? `no title was found: ${event.error?.message ?? ''}`
        : `a model called the run ${inOneLine(event.title)}`;
    case 'run.end':
      return `the run ended ${event.status} (${event.outcome})`;
    case 'agent.start':
    case 'agent.release':
    case 'agent.await':
    case 'agent.restart':
    case 'agent.end':
      return describeAgentEvent(event);
    case 'limit.reach':
      return `${event.agentId} ${event.stage === 1 ? 'nears' : 'has reached'} a limit: ${event.reason}`;
    case 'stagnation.act':
      return describeAct(event);
    case 'inbox.add':
      return `${event.item.source} reached ${event.agentId} from ${posterOf(event.item, event)}: ${inOneLine(event.item.payload)}`;
    case 'inbox.fail':
      return `item ${event.itemId} could not be read: ${event.error.message}`;
    case 'inbox.drop':
      return `item ${event.itemId} was dropped (${event.reason})`;
    case 'turn.start':
      return `${event.turnId} began and read ${event.inputs.map((input) => input.source).join(', ') || 'nothing'}`;
    case 'model.end':
      if (event.error?.code === 'MODEL_INTERRUPTED') return 'the model call was interrupted';
      return event.reply === undefined
        ? `the model call failed: ${event.error?.message ?? 'no reply'}`
        : `the model replied: ${replyInOneLine(event.reply)}`;
    case 'turn.decide':
      return `${event.turnId} was decided: ${event.action.type}${event.action.ruleId === undefined ? '' : ` (rule ${event.action.ruleId})`}`;
    case 'turn.end':
      return `${event.turnId} ended ${event.status}`;
    case 'tool.request':
    case 'tool.start':
    case 'tool.suspend':
    case 'tool.answer':
    case 'tool.verify':
    case 'tool.end':
    case 'tool.late':
      return describeToolEvent(event);
    case 'context.trim':
    case 'compaction.start':
    case 'compaction.end':
      return describeContextEvent(event);
    case 'module.update':
      return `module ${event.moduleId} changed: ${inOneLine(Object.keys(event.patch).join(', '))}`;
    case 'dispatch.update':
      return `dispatch ${event.dispatchId} ${event.patch.status ?? 'changed'}`;
    case 'state.patch':
    case 'state.update':
      return describeChanges(event);
    case 'note.add':
      return `${event.level} ${event.code}: ${event.message}`;
  }
}

function describeAgentEvent(event: Extract<CadreEvent, { readonly type: `agent.${string}` }>): string {
  switch (event.type) {
    case 'agent.start':
      return `${event.agentId} was started${event.parentAgentId === undefined ? '' : ` by ${event.parentAgentId}`}`;
    case 'agent.release':
      return `${event.agentId} got a free slot`;
    case 'agent.await':
      return `${event.agentId} waits${event.checkpoint === undefined ? '' : ` at checkpoint '${event.checkpoint.id}'`}${event.on === undefined ? '' : ` for ${event.on.join(', ')}`}`;
    case 'agent.restart':
      return `${event.agentId} ${event.keepsHistory === true ? 'goes on with its history' : 'was restarted'} (iteration ${event.iteration})`;
    case 'agent.end':
      return `${event.agentId} ended (${event.outcome})`;
  }
}

function describeContextEvent(event: EventOf<'context.trim' | 'compaction.start' | 'compaction.end'>): string {
  switch (event.type) {
    case 'context.trim':
      return event.reason === 'nothing_kept'
        ? `${event.agentId} is shown a note in the place of what its conversation began with`
        : `${event.agentId} is shown its messages from ${event.to} on (${event.reason})`;
    case 'compaction.start':
      return `${summarised(event)} of ${event.agentId}${event.previous === undefined ? '' : ', with the summary before them,'} go to a summariser (${event.reason}, about ${event.tokens} tokens)`;
    case 'compaction.end':
      return event.error === undefined
        ? `a summary stands for ${summarised(event)} of ${event.agentId}`
        : `${summarised(event)} of ${event.agentId} could not be summarised: ${event.error.message}`;
  }
}

/** The messages a summary covers; the record's end is exclusive. */
function summarised({ from, to }: EventOf<'compaction.start' | 'compaction.end'>): string {
  return `messages ${from} to ${to - 1}`;
}

function describeToolEvent(event: Extract<CadreEvent, { readonly type: `tool.${string}` }>): string {
  switch (event.type) {
    case 'tool.request':
      return `${event.turnId} called ${event.name}(${inOneLine(event.args)})`;
    case 'tool.start':
      return `call ${event.callId} began to run (attempt ${event.attempt})`;
    case 'tool.suspend':
      return `call ${event.callId} waits for ${event.on.kind}${event.on.kind === 'approval' ? changedWords(event.on) : ''}`;
    case 'tool.answer':
      return event.expired === true
        ? `nobody decided over call ${event.callId} in time: it counts as ${event.verdict}`
        : answerText(event);
    case 'tool.verify':
      return `${event.by} was asked whether call ${event.callId} happened: ${event.answer.replace('_', ' ')}`;
    case 'tool.end':
      return `call ${event.callId} ended ${event.status}: ${inOneLine(contentText(event.content))}`;
    case 'tool.late':
      return `a late result of call ${event.callId} was kept aside`;
  }
}

function revokedText({ revoked }: { readonly revoked?: readonly number[] }): string {
  return revoked === undefined ? '' : `; what events ${revoked.join(', ')} allowed once and for all ends`;
}

function changedWords({ changed }: ApprovalWait): string {
  return changed === undefined ? '' : `: a person is asked again, since ${changedText(changed)}`;
}

function answerText({ verdict, callId, args, always, standing }: Extract<CadreEvent, { readonly type: 'tool.answer' }>): string {
  if (standing !== undefined) return `call ${callId} was allowed once and for all by event ${standing}`;
  const edit = args === undefined ? '' : ` with ${inOneLine(args)}`;
  return `a person ${verdict} call ${callId}${edit}${always === true ? ', and all others like it' : ''}`;
}

/** Fields of an item that identify its origin. */
export interface Posted {
  readonly source: string;
  readonly observerId?: string;
  readonly ruleId?: string;
  readonly from?: string;
}

/**
 * Returns the origin of an item: an observer, a rule, an agent, the outside, or the engine. Only the `inbox.add` event tells the
 * last two apart: an item from outside has no cause but the run's start.
 */
export function posterOf(item: Posted, event?: { readonly cause?: number }): string {
  if (item.observerId !== undefined) return `observer ${item.observerId}`;
  if (item.ruleId !== undefined) return `rule ${item.ruleId}`;
  if (item.from !== undefined) return item.from;
  if (item.source === 'USER_PROMPT') return 'outside';
  if (event === undefined) return item.source === 'TOOL_RESULT' ? 'the engine' : 'outside or the engine';
  return event.cause === undefined || event.cause === 1 ? 'outside' : 'the engine';
}

function replyInOneLine(reply: { readonly text: string; readonly toolCalls: readonly { readonly name: string }[] }): string {
  const calls = reply.toolCalls.map((call) => call.name).join(', ');
  return [inOneLine(reply.text), calls === '' ? '' : `calls ${calls}`].filter((part) => part !== '').join('; ');
}

/** A value as one line of at most 120 characters. */
function describeChanges(event: EventOf<'state.patch' | 'state.update'>): string {
  const changes = stateChanges(event);
  const shown = changes.slice(0, 3).map((change) => `${change.path} ${inOneLine(beforeAfter(change))}`);
  const more = changes.length - shown.length;
  return `state: ${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

function inOneLine(value: JsonValue): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const line = text.slice(0, 400).replace(/\s+/gu, ' ').trim();
  const shown = line.slice(0, 119);
  return shown.length < line.length || text.length > 400 ? `${shown}…` : shown;
}

function describeAct(event: EventOf<'stagnation.act'>): string {
  const more = event.tools ?? (event.llmConfig === undefined ? [] : [event.llmConfig]);
  const what = more.length === 0 ? '' : ` (${more.join(', ')})`;
  return `${event.agentId} got nowhere (${event.on} = ${event.count}), rung '${event.rung}': ${event.action}${what}`;
}
