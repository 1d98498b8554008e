import type { UIMessageChunk } from 'ai';
import type { AgentId, CallId } from '../../core/ids.ts';
import type { JsonObject, JsonValue } from '../../core/json.ts';
import { type Asked, askingId, type AskingRun } from '../../core/state/asking.ts';

/** A question to a person. */
export interface AskedQuestion {
  /** The event that asks it, and the hash of what it shows. */
  readonly asked: Asked;
  readonly agentId: AgentId;
  /** The call that asks; absent when the profile does. */
  readonly callId?: CallId;
  readonly message: string;
  /** Describes the answer. */
  readonly schema?: JsonObject | null | undefined;
}

/** A question that waits. */
interface OpenQuestion {
  readonly data: JsonObject;
  /** True when the current message has it. */
  isShown: boolean;
}

/** The `data-question` parts of a chat: one for each question to a person, replaced when it is settled. */
export class QuestionParts {
  readonly #run: AskingRun;
  /** Questions that wait, by their calls, or by the agents whose profiles ask. */
  readonly #open = new Map<CallId | AgentId, OpenQuestion>();

  constructor(run: AskingRun) {
    this.#run = run;
  }

  /** Begins another message, which shows none of the questions yet. */
  beginMessage(): void {
    for (const question of this.#open.values()) question.isShown = false;
  }

  /** Returns the part of a new question. */
  ask({ asked, agentId, callId, message, schema = null }: AskedQuestion): UIMessageChunk {
    const id = askingId(this.#run, asked);
    const question = { data: { id, agentId, message, schema, answer: null, isOpen: true }, isShown: true };
    this.#open.set(callId ?? agentId, question);
    return toPart(question.data);
  }

  /** Returns the part of the question of a call, or of an agent's profile, now that it is settled; undefined when none is open. */
  settle(by: CallId | AgentId, answer: JsonValue): UIMessageChunk | undefined {
    const question = this.#open.get(by);
    this.#open.delete(by);
    return question === undefined ? undefined : toPart({ ...question.data, answer, isOpen: false });
  }

  /** Returns the parts of questions that still wait, and that only earlier messages show. */
  showOpen(): readonly UIMessageChunk[] {
    const hidden = [...this.#open.values()].filter(({ isShown }) => !isShown);
    for (const question of hidden) question.isShown = true;
    return hidden.map(({ data }) => toPart(data));
  }
}

function toPart(data: JsonObject): UIMessageChunk {
  return { type: 'data-question', id: String(data['id']), data };
}
