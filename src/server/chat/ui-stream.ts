import type { FileUIPart, UIMessageChunk } from 'ai';
import type { CadreEvent, EventOf } from '../../core/events/event.ts';
import type { AgentId, AskingId, CallId, TurnId } from '../../core/ids.ts';
import type { JsonValue } from '../../core/json.ts';
import { contentText, type FilePart } from '../../core/prompt/message.ts';
import { askingId, type AskingRun } from '../../core/state/asking.ts';
import { checkpointChoices } from '../../core/state/own-question.ts';
import { toWire } from '../../core/tool/to-wire.ts';
import { warningText } from '../../inspect/approval-text.ts';
import { AgentCards, cardData } from '../threads/agent-cards.ts';
import type { RunNews } from '../threads/follow-run.ts';
import { type ReplyStep, stepForDelta, stepForReply, nothingSent } from '../threads/reply-text.ts';
import { type AskedQuestion, QuestionParts } from './question-parts.ts';
import { UiStep } from './ui-step.ts';

/** A call that the client knows of, or may learn of. */
interface ShownCall {
  readonly request: EventOf<'tool.request'>;
  isShown: boolean;
  /** Id of the last request to let it run, if a person was asked. */
  asking: AskingId | undefined;
  isApproved: boolean | undefined;
}

/**
 * Converts the news of a run to chunks of UI messages: the root agent's turns are steps, its text and calls are parts, and agents
 * below it are data parts, replaced as they work. Calls of other agents appear only when a person must decide about them.
 *
 * 1. The message a client ends up with is that of the journal, whatever was streamed before: a reply that was retried takes back
 *    its earlier text.
 * 2. The output depends only on the news: two streams that read an exchange from its beginning agree.
 */
export class UiStream {
  readonly #run: AskingRun;
  readonly #root: AgentId;
  readonly #cards = new AgentCards();
  readonly #calls = new Map<CallId, ShownCall>();
  readonly #questions: QuestionParts;
  #step: UiStep | undefined;
  /** Turn that ended last: later deltas of its reply are ignored. */
  #over: TurnId | undefined;

  constructor(run: AskingRun, root: AgentId) {
    this.#run = run;
    this.#questions = new QuestionParts(run);
    this.#root = root;
  }

  /** Returns the chunks for a piece of news. */
  take(news: RunNews): readonly UIMessageChunk[] {
    switch (news.kind) {
      case 'event':
        return this.#take(news.event);
      case 'delta': {
        if (news.agentId !== this.#root || news.turnId === this.#over) return [];
        const step = stepForDelta(this.#step?.turnId === news.turnId ? this.#step.sent : nothingSent, news.delta);
        return step === undefined ? [] : this.#send(news.turnId, step);
      }
      case 'reply': {
        const { agentId, turnId } = news.reply;
        if (agentId !== this.#root || turnId === this.#over) return [];
        return this.#send(turnId, stepForReply(this.#step?.turnId === turnId ? this.#step.sent : nothingSent, news.reply));
      }
    }
  }

  /** Begins another message: nothing sent so far is part of it. */
  beginMessage(): void {
    this.#step = undefined;
    for (const call of this.#calls.values()) call.isShown = false;
    this.#questions.beginMessage();
  }

  /** Shows the questions that still wait and that only earlier messages have: the next message of the user answers what this one shows. */
  showOpen(): readonly UIMessageChunk[] {
    return this.#keep(...this.#questions.showOpen());
  }

  /** Ends whatever is open: the answer is complete. */
  close(): readonly UIMessageChunk[] {
    return this.#step?.close() ?? [];
  }

  #take(event: CadreEvent): readonly UIMessageChunk[] {
    switch (event.type) {
      case 'model.end':
        return event.agentId === this.#root ? this.#endReply(event) : this.#noteAgent(event);
      case 'turn.end':
        return event.agentId === this.#root ? this.#endTurn(event) : [];
      case 'tool.request':
        this.#calls.set(event.callId, { request: event, isShown: false, asking: undefined, isApproved: undefined });
        return event.agentId === this.#root && event.args !== null ? this.#show(event) : this.#noteAgent(event);
      case 'tool.suspend':
        return this.#suspend(event);
      case 'tool.answer':
        return this.#answer(event);
      case 'tool.end':
        return this.#endCall(event);
      case 'stagnation.act':
        return this.#askOwn(event);
      case 'agent.await':
        return [...this.#noteAgent(event), ...this.#askAtCheckpoint(event)];
      case 'inbox.add':
        return event.item.source === 'HUMAN_ANSWER' ? this.#settleQuestion(event.agentId, event.item.payload) : [];
      case 'turn.start':
      case 'agent.end':
        // A message answers a question of the profile, too, and an agent that has ended asks none.
        return [...this.#settleQuestion(event.agentId, null), ...this.#noteAgent(event)];
      case 'note.add':
        return event.code === 'NOTICE' ? [{ type: 'data-notice', data: { level: event.level, message: event.message } }] : [];
      default:
        return this.#noteAgent(event);
    }
  }

  #send(turnId: TurnId, step: ReplyStep): readonly UIMessageChunk[] {
    const opening = this.#open(turnId);
    return [...opening, ...(this.#step?.send(step) ?? [])];
  }

  /** Begins the step of a turn, unless it has begun. */
  #open(turnId: TurnId): readonly UIMessageChunk[] {
    if (this.#step?.turnId === turnId) return [];
    const ending = this.#step === undefined ? [] : [...this.#step.close(), { type: 'finish-step' } as const];
    this.#step = new UiStep(turnId);
    return [...ending, { type: 'start-step' }];
  }

  #keep(...chunks: readonly UIMessageChunk[]): readonly UIMessageChunk[] {
    return this.#step?.keep(...chunks) ?? chunks;
  }

  #endReply({ turnId, reply }: EventOf<'model.end'>): readonly UIMessageChunk[] {
    if (reply === undefined) return this.#step?.turnId === turnId ? this.#step.takeBack() : [];
    const hasContent = reply.text !== '' || reply.reasoning !== '' || reply.toolCalls.length > 0 || (reply.files ?? []).length > 0;
    if (!hasContent && this.#step?.turnId !== turnId) return [];
    const opening = this.#open(turnId);
    const step = this.#step;
    if (step === undefined) return opening;
    const rest = step.send(stepForReply(step.sent, reply));
    step.hasReply = true;
    return [...opening, ...rest, ...step.close(), ...this.#keep(...(reply.files ?? []).map(toFilePart))];
  }

  #endTurn({ turnId }: EventOf<'turn.end'>): readonly UIMessageChunk[] {
    this.#over = turnId;
    const step = this.#step;
    if (step?.turnId !== turnId) return [];
    this.#step = undefined;
    // Text that is in no record is taken back.
    return [...(step.hasReply ? step.close() : step.takeBack()), { type: 'finish-step' }];
  }

  #noteAgent(event: CadreEvent): readonly UIMessageChunk[] {
    const card = this.#cards.note(event);
    return card === undefined ? [] : this.#keep({ type: 'data-agent', id: card.agentId, data: cardData(card) });
  }

  /** Shows a call to the client, which answers it (a question) or waits for its result. */
  #show({ callId, name, args, agentId, turnId }: EventOf<'tool.request'>, asking?: AskingId): readonly UIMessageChunk[] {
    const call = this.#calls.get(callId);
    if (call !== undefined) call.isShown = true;
    const chunk: UIMessageChunk = {
      type: 'tool-input-available',
      toolCallId: callId,
      toolName: name,
      input: args ?? {},
      dynamic: true,
      providerExecuted: asking === undefined,
      toolMetadata: { agentId, ...(asking === undefined ? {} : { asking }) },
    };
    return [...(agentId === this.#root ? this.#open(turnId) : []), ...this.#keep(chunk)];
  }

  #suspend({ seq, callId, agentId, on }: EventOf<'tool.suspend'>): readonly UIMessageChunk[] {
    const call = this.#calls.get(callId);
    if (call === undefined || on.kind === 'agents') return [];
    if (on.kind === 'question') {
      const asked = { seq, fingerprint: on.fingerprint };
      const shown = this.#show(call.request, askingId(this.#run, asked));
      return [...shown, ...this.#ask({ asked, agentId, callId, message: on.prompt, schema: on.schema })];
    }
    const approvalId = askingId(this.#run, { seq, fingerprint: on.capability.fingerprint });
    call.asking = approvalId;
    call.isApproved = undefined;
    const words = warningText(on);
    const reason = words === '' ? {} : { reason: words };
    const shown = call.isShown ? [] : this.#show(call.request);
    return [...shown, ...this.#keep({ type: 'tool-approval-request', approvalId, toolCallId: callId, ...reason })];
  }

  #ask(question: AskedQuestion): readonly UIMessageChunk[] {
    return this.#keep(this.#questions.ask(question));
  }

  #askOwn({ seq, agentId, prompt, fingerprint }: EventOf<'stagnation.act'>): readonly UIMessageChunk[] {
    if (prompt === undefined || fingerprint === undefined) return [];
    return this.#ask({ asked: { seq, fingerprint }, agentId, message: prompt });
  }

  #askAtCheckpoint({ seq, agentId, checkpoint }: EventOf<'agent.await'>): readonly UIMessageChunk[] {
    if (checkpoint === undefined) return [];
    const { prompt, fingerprint } = checkpoint;
    return this.#ask({ asked: { seq, fingerprint }, agentId, message: prompt, schema: { enum: [...checkpointChoices] } });
  }

  /** Settles the question of a call, or of the profile of an agent, if it asks one. */
  #settleQuestion(by: CallId | AgentId, answer: JsonValue): readonly UIMessageChunk[] {
    const settled = this.#questions.settle(by, answer);
    return settled === undefined ? [] : this.#keep(settled);
  }

  #answer({ callId, verdict, message, value }: EventOf<'tool.answer'>): readonly UIMessageChunk[] {
    if (verdict === 'answered') return this.#settleQuestion(callId, value ?? null);
    const call = this.#calls.get(callId);
    if (call === undefined) return [];
    call.isApproved = verdict === 'approved';
    // A call shown in an earlier message gets its verdict there.
    return call.asking !== undefined && call.isShown ? this.#keep(decision(call.asking, call.isApproved, message)) : [];
  }

  #endCall({ callId, status, content, error }: EventOf<'tool.end'>): readonly UIMessageChunk[] {
    const call = this.#calls.get(callId);
    this.#calls.delete(callId);
    if (call === undefined) return [];
    const settled = this.#settleQuestion(callId, null);
    const errorText = error?.message ?? contentText(content);
    const { request, isShown, asking, isApproved } = call;
    if (!isShown && request.agentId !== this.#root) return settled;
    // Arguments could not be used: shows the call together with its error.
    if (request.args === null) return [...settled, ...this.#open(request.turnId), ...this.#keep(badInput(request, errorText))];
    const shown = isShown ? [] : this.#show(request);
    const dynamic = true;
    // Without the id of a question that is over now: the output is no longer an answer.
    const toolMetadata = { agentId: request.agentId };
    const end: readonly UIMessageChunk[] =
      status === 'ok'
        ? [{ type: 'tool-output-available', toolCallId: callId, output: toWire(content), dynamic, toolMetadata }]
        : asking !== undefined && isShown && isApproved !== true
          ? [
              // The message schema has no state for a call that failed before its verdict.
              ...(isApproved === undefined ? [decision(asking, false, errorText)] : []),
              { type: 'tool-output-denied', toolCallId: callId },
            ]
          : [{ type: 'tool-output-error', toolCallId: callId, errorText, dynamic, toolMetadata }];
    return [...settled, ...shown, ...this.#keep(...end)];
  }
}

function decision(approvalId: AskingId, approved: boolean, reason: string | undefined): UIMessageChunk {
  return { type: 'tool-approval-response', approvalId, approved, ...(reason === undefined ? {} : { reason }) };
}

function badInput({ callId, name }: EventOf<'tool.request'>, errorText: string): UIMessageChunk {
  return {
    type: 'tool-input-error',
    toolCallId: callId,
    toolName: name,
    input: {},
    errorText,
    dynamic: true,
    providerExecuted: true,
  };
}

/** Returns a file as a message part, which is also the chunk that shows it. */
export function toFilePart({ mediaType, data }: FilePart): FileUIPart {
  switch (data.type) {
    case 'url':
      return { type: 'file', url: data.url, mediaType };
    case 'data':
      return { type: 'file', url: `data:${mediaType};base64,${data.data}`, mediaType };
    case 'text':
      return { type: 'file', url: `data:${mediaType};base64,${Buffer.from(data.text).toString('base64')}`, mediaType };
  }
}
