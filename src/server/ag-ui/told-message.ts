import type { TurnId } from '../../core/ids.ts';
import { type ReplyStep, type ToldReply, untold } from '../threads/reply-text.ts';
import type { AgUiEvent } from './ag-ui-event.ts';
import type { MessageLog } from './message-log.ts';

type Kind = 'TEXT' | 'REASONING';

/** The reply of one turn as messages of a thread: one for its reasoning, one for its text. */
export class ToldMessage {
  readonly turnId: TurnId;
  readonly #log: MessageLog;
  /** Number of times the reply was started; each start gets new message ids. */
  #begun = 1;
  #told: ToldReply = untold;
  readonly #open = new Set<Kind>();

  constructor(turnId: TurnId, log: MessageLog) {
    this.turnId = turnId;
    this.#log = log;
  }

  get told(): ToldReply {
    return this.#told;
  }

  /** Id of the message with the text and the calls of the turn. */
  get messageId(): string {
    return this.#begun === 1 ? this.turnId : `${this.turnId}.${this.#begun}`;
  }

  /** Continues the reply. When it starts over, first takes back the earlier text with a snapshot of the thread without it. */
  tell({ startsOver, reasoning, text, told }: ReplyStep): readonly AgUiEvent[] {
    const takenBack = startsOver ? this.takeBack() : [];
    this.#told = told;
    return [
      ...takenBack,
      ...this.#say('REASONING', reasoning),
      ...(text === '' ? [] : this.#end('REASONING')),
      ...this.#say('TEXT', text),
    ];
  }

  /** Ends the complete reply and adds it to the thread. */
  close(): readonly AgUiEvent[] {
    const { reasoning, text } = this.#told;
    if (reasoning !== '') this.#log.put({ id: this.#idOf('REASONING'), role: 'reasoning', content: reasoning });
    if (text !== '') this.#log.put({ id: this.messageId, role: 'assistant', content: text });
    return this.#endAll();
  }

  /** Takes back the reply so far. A client can lose a message only through a snapshot of all of them. */
  takeBack(): readonly AgUiEvent[] {
    const hasSaid = this.#told.text !== '' || this.#told.reasoning !== '';
    const ending = this.#endAll();
    this.#told = untold;
    if (!hasSaid) return ending;
    this.#begun += 1;
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
