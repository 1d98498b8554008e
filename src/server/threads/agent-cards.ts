import { callNames } from '../../core/events/call-names.ts';
import type { CadreEvent } from '../../core/events/event.ts';
import type { AgentId } from '../../core/ids.ts';
import type { JsonObject } from '../../core/json.ts';

/** Summary of an agent below the root, for chat clients. */
export interface AgentCard {
  readonly agentId: AgentId;
  readonly parentAgentId: string | null;
  readonly profile: string;
  readonly role: string | null;
  readonly moduleId: string | null;
  readonly status: 'working' | 'waiting' | 'ended';
  readonly turns: number;
  /** Tool it called last. */
  readonly tool: string | null;
  /** Beginning of its last reply, or of its output once it has ended. */
  readonly text: string;
  readonly outcome: string | null;
  /** Why it ended without success, with the calls that may have happened nevertheless. */
  readonly problem: string | null;
}

/** Maximum length of a card's text, in characters; the run has the whole text. */
const longestText = 2_000;

/** Cards of the agents below the root, built from events. */
export class AgentCards {
  readonly #cards = new Map<AgentId, AgentCard>();

  /** Records an event and returns the card it changed. */
  note(event: CadreEvent): AgentCard | undefined {
    if (event.type === 'agent.start') return event.parentAgentId === undefined ? undefined : this.#set(newCard(event));
    if (!('agentId' in event) || event.agentId === undefined) return undefined;
    const card = this.#cards.get(event.agentId);
    const changes = card === undefined ? undefined : changesOf(card, event);
    return card === undefined || changes === undefined ? undefined : this.#set({ ...card, ...changes });
  }

  #set(card: AgentCard): AgentCard {
    this.#cards.set(card.agentId, card);
    return card;
  }
}

/** Converts a card to plain data. */
export function cardData(card: AgentCard): JsonObject {
  return { ...card };
}

function problemOf({ error, unknown }: Extract<CadreEvent, { type: 'agent.end' }>): string | null {
  const parts = [error?.message, unknown === undefined ? undefined : `may have happened: ${callNames(unknown)}`];
  const said = parts.filter((part) => part !== undefined);
  return said.length === 0 ? null : said.join('; ').slice(0, longestText);
}

function newCard(event: Extract<CadreEvent, { readonly type: 'agent.start' }>): AgentCard {
  return {
    agentId: event.agentId,
    parentAgentId: event.parentAgentId ?? null,
    profile: event.profile,
    role: event.roleName ?? null,
    moduleId: event.moduleId ?? null,
    status: event.held === true ? 'waiting' : 'working',
    turns: 0,
    tool: null,
    text: '',
    outcome: null,
    problem: null,
  };
}

function changesOf(card: AgentCard, event: CadreEvent): Partial<AgentCard> | undefined {
  switch (event.type) {
    case 'turn.start':
      return { status: 'working', turns: card.turns + 1 };
    case 'model.end': {
      const text = event.reply?.text ?? '';
      return text === '' ? undefined : { text: text.slice(0, longestText) };
    }
    case 'tool.request':
      return { tool: event.name };
    case 'agent.await':
      return { status: 'waiting' };
    case 'agent.restart':
      return { status: 'working', outcome: null, problem: null };
    case 'agent.end':
      return {
        status: 'ended',
        outcome: event.outcome,
        problem: problemOf(event),
        text: (event.output === '' ? card.text : event.output).slice(0, longestText),
      };
    default:
      return undefined;
  }
}
