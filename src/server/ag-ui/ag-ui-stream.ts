import type { CadreEvent, EventOf } from '../../core/events/event.ts';
import type { AgentId, CallId, TurnId } from '../../core/ids.ts';
import type { JsonObject, JsonValue } from '../../core/json.ts';
import { contentText } from '../../core/prompt/message.ts';
import { userText } from '../../inspect/conversation.ts';
import type { RunNews } from '../threads/follow-run.ts';
import { type ReplyStep, stepForDelta, stepForReply, nothingSent } from '../threads/reply-text.ts';
import type { AgUiEvent } from './ag-ui-event.ts';
import { MessageLog } from './message-log.ts';
import { Subagents } from './subagents.ts';
import { ReplyMessage } from './reply-message.ts';

/**
 * Converts the news of a run to AG-UI events: each turn of the root agent is a step, its reply and calls are messages of the thread,
 * and agents below it are subagents. Calls of subagents appear only when a person must decide about them.
 *
 * 1. Everything opened is closed before the AG-UI run ends.
 * 2. The messages a client ends up with are those of the journal: a reply that was retried is taken back.
 * 3. The output depends only on the news, from the beginning of an exchange or of the run.
 */
export class AgUiStream {
  readonly #root: AgentId | undefined;
  readonly #log = new MessageLog();
  readonly #subagents = new Subagents();
  readonly #calls = new Map<CallId, { readonly request: EventOf<'tool.request'>; readonly isShown: boolean }>();
  #step: TurnId | undefined;
  #message: ReplyMessage | undefined;
  /** Turn whose reply is complete: later deltas of it are ignored. */
  #over: TurnId | undefined;

  constructor(root: AgentId | undefined) {
    this.#root = root;
  }

  /** All messages so far. */
  get messages(): readonly JsonObject[] {
    return this.#log.messages;
  }

  /** Begins an AG-UI run for a client that has these messages; undefined when it was sent all of them. */
  beginRun(messages: readonly JsonObject[] | undefined): readonly AgUiEvent[] {
    if (messages !== undefined) this.#log.reset(messages);
    this.#step = undefined;
    this.#message = undefined;
    return this.#subagents.beginRun();
  }

  /** Returns the events that close everything open before the AG-UI run ends. */
  endRun(): readonly AgUiEvent[] {
    return [...(this.#message?.close() ?? []), ...this.#endStep(), ...this.#subagents.suspend()];
  }

  /** Returns the AG-UI events for a piece of news. */
  take(news: RunNews): readonly AgUiEvent[] {
    switch (news.kind) {
      case 'event':
        return this.#take(news.event);
      case 'delta': {
        if (news.agentId !== this.#root || news.turnId === this.#over) return [];
        const step = stepForDelta(this.#sentOf(news.turnId), news.delta);
        return step === undefined ? [] : this.#send(news.turnId, step);
      }
      case 'reply': {
        const { agentId, turnId } = news.reply;
        if (agentId !== this.#root || turnId === this.#over) return [];
        return this.#send(turnId, stepForReply(this.#sentOf(turnId), news.reply));
      }
    }
  }

  #sentOf(turnId: TurnId) {
    return this.#message?.turnId === turnId ? this.#message.sent : nothingSent;
  }

  #take(event: CadreEvent): readonly AgUiEvent[] {
    switch (event.type) {
      case 'inbox.add':
        this.#noteUser(event);
        return [];
      case 'turn.start':
        return event.agentId === this.#root && event.prompt !== undefined ? this.#beginStep(event.turnId) : [];
      case 'model.end':
        return event.agentId === this.#root ? this.#endReply(event) : [];
      case 'turn.end':
        return event.agentId === this.#root ? [...(this.#message?.close() ?? []), ...this.#endStep()] : [];
      case 'tool.request':
        this.#calls.set(event.callId, { request: event, isShown: false });
        return event.agentId === this.#root ? this.#show(event.callId) : [];
      case 'tool.suspend':
        return event.on.kind === 'agents' ? [] : this.#show(event.callId);
      case 'tool.end':
        return this.#endCall(event);
      case 'note.add':
        return event.code === 'NOTICE' ? [custom('notice', { level: event.level, message: event.message })] : [];
      default:
        return this.#subagents.note(event);
    }
  }

  #noteUser({ agentId, item }: EventOf<'inbox.add'>): void {
    if (agentId !== this.#root || item.source !== 'USER_PROMPT' || item.from !== undefined) return;
    this.#log.put({ id: item.itemId, role: 'user', content: userText(item.payload, undefined) });
  }

  #beginStep(turnId: TurnId): readonly AgUiEvent[] {
    const ending = this.#endStep();
    this.#step = turnId;
    return [...ending, { type: 'STEP_STARTED', stepName: turnId }];
  }

  #endStep(): readonly AgUiEvent[] {
    const step = this.#step;
    this.#step = undefined;
    return step === undefined ? [] : [{ type: 'STEP_FINISHED', stepName: step }];
  }

  #send(turnId: TurnId, step: ReplyStep): readonly AgUiEvent[] {
    return this.#messageOf(turnId).send(step);
  }

  #messageOf(turnId: TurnId): ReplyMessage {
    if (this.#message?.turnId !== turnId) this.#message = new ReplyMessage(turnId, this.#log);
    return this.#message;
  }

  #endReply({ turnId, reply }: EventOf<'model.end'>): readonly AgUiEvent[] {
    this.#over = turnId;
    const message = this.#messageOf(turnId);
    if (reply === undefined) return message.takeBack();
    const rest = message.send(stepForReply(message.sent, reply));
    const files = (reply.files ?? []).map(({ mediaType, data, filename }) =>
      custom('file', { mediaType, data: { ...data }, filename: filename ?? null, messageId: message.messageId }),
    );
    return [...rest, ...message.close(), ...files];
  }

  /** Sends a call with its arguments, once. */
  #show(callId: CallId): readonly AgUiEvent[] {
    const call = this.#calls.get(callId);
    if (call === undefined || call.isShown) return [];
    this.#calls.set(callId, { ...call, isShown: true });
    const { name, args, agentId, turnId } = call.request;
    const owner = this.#ownerOf(agentId);
    const parentMessageId = agentId === this.#root ? this.#messageOf(turnId).messageId : undefined;
    const text = JSON.stringify(args ?? {});
    this.#log.putCall(parentMessageId ?? callId, { id: callId, type: 'function', function: { name, arguments: text } }, owner);
    return [
      {
        type: 'TOOL_CALL_START',
        toolCallId: callId,
        toolCallName: name,
        ...owner,
        ...(parentMessageId === undefined ? {} : { parentMessageId }),
      },
      { type: 'TOOL_CALL_ARGS', toolCallId: callId, delta: text, ...owner },
      { type: 'TOOL_CALL_END', toolCallId: callId, ...owner },
    ];
  }

  #ownerOf(agentId: AgentId): { readonly subagentRunId?: string } {
    const subagentRunId = this.#subagents.idOf(agentId);
    return subagentRunId === undefined ? {} : { subagentRunId };
  }

  #endCall({ callId, agentId, status, content }: EventOf<'tool.end'>): readonly AgUiEvent[] {
    const call = this.#calls.get(callId);
    this.#calls.delete(callId);
    if (call?.isShown !== true) return [];
    const owner = this.#ownerOf(agentId);
    const result = { toolCallId: callId, role: 'tool', content: contentText(content), metadata: { status }, ...owner } as const;
    this.#log.put({ id: `${callId}.result`, ...result });
    return [{ type: 'TOOL_CALL_RESULT', messageId: `${callId}.result`, ...result }];
  }
}

function custom(name: string, value: JsonValue): AgUiEvent {
  return { type: 'CUSTOM', name: `cadre.${name}`, value };
}
