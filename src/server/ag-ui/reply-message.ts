import type { TurnId } from '../../core/ids.ts';
import { type ReplyStep, type SentReply, nothingSent } from '../threads/reply-text.ts';
import type { AgUiEvent } from './ag-ui-event.ts';
import type { MessageLog } from './message-log.ts';

type Kind = 'TEXT' | 'REASONING';

/** The reply of one turn as messages of a thread: one for its reasoning, one for its text. */
export class ReplyMessage {
  readonly turnId: TurnId;
  readonly #log: MessageLog;
  /** Number of times the reply was started; each start gets new message ids. */
  #starts = 1;
  #sent: SentReply = nothingSent;
  readonly #open = new Set<Kind>();

  constructor(turnId: TurnId, log: MessageLog) {
    this.turnId = turnId;
    this.#log = log;
  }

  get sent(): SentReply {
    return this.#sent;
  }

  /** Id of the message with the text and the calls of the turn. */
  get messageId(): string {
    return this.#starts === 1 ? this.turnId : `${this.turnId}.${this.#starts}`;
  }

  /** Continues the reply. When it starts over, first takes back the earlier text with a snapshot of the thread without it. */
  send({ startsOver, reasoning, text, sent }: ReplyStep): readonly AgUiEvent[] {
    const takenBack = startsOver ? this.takeBack() : [];
    this.#sent = sent;
    return [
      ...takenBack,
      ...this.#say('REASONING', reasoning),
      ...(text === '' ? [] : this.#end('REASONING')),
      ...this.#say('TEXT', text),
    ];
  }

  /** Ends the complete reply and adds it to the thread. */
  close(): readonly AgUiEvent[] {
    const { reasoning, text } = this.#sent;
    if (reasoning !== '') this.#log.put({ id: this.#idOf('REASONING'), role: 'reasoning', content: reasoning });
    if (text !== '') this.#log.put({ id: this.messageId, role: 'assistant', content: text });
    return this.#endAll();
  }

  /** Takes back the reply so far. A client can lose a message only through a snapshot of all of them. */
  takeBack(): readonly AgUiEvent[] {
    const hasSaid = this.#sent.text !== '' || this.#sent.reasoning !== '';
    const ending = this.#endAll();
    this.#sent = nothingSent;
    if (!hasSaid) return ending;
    this.#starts += 1;
    return [...ending, { type: 'MESSAGES_SNAPSHOT', messages: this.#log.messages }];
  }

  #endAll(): readonly AgUiEvent[] {
    return [...this.#end('REASONING'), ...this.#end('TEXT')];
  }

  #idOf(kind: Kind): string {
    return kind === 'TEXT' ? this.messageId : `${this.messageId}.thought`;
  }

  #say(kind: Kind, delta: string): readonly AgUiEvent[] {
    if (delta === '') return [];
    const messageId = this.#idOf(kind);
    const isOpen = this.#open.has(kind);
    this.#open.add(kind);
    if (kind === 'TEXT')
      return [
        ...(isOpen ? [] : [{ type: 'TEXT_MESSAGE_START', messageId, role: 'assistant' } as const]),
        { type: 'TEXT_MESSAGE_CONTENT', messageId, delta },
      ];
    return [
      ...(isOpen
        ? []
        : [
            { type: 'REASONING_START', messageId } as const,
            { type: 'REASONING_MESSAGE_START', messageId, role: 'reasoning' } as const,
          ]),
      { type: 'REASONING_MESSAGE_CONTENT', messageId, delta },
    ];
  }

  #end(kind: Kind): readonly AgUiEvent[] {
    if (!this.#open.delete(kind)) return [];
    const messageId = this.#idOf(kind);
    return kind === 'TEXT'
      ? [{ type: 'TEXT_MESSAGE_END', messageId }]
      : [
          { type: 'REASONING_MESSAGE_END', messageId },
          { type: 'REASONING_END', messageId },
        ];
  }
}
