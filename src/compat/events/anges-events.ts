import type { CadreEvent, EventOf } from '../../core/events/event.ts';
import type { AgentId, CallId } from '../../core/ids.ts';
import type { JsonObject } from '../../core/json.ts';
import { type Content, contentText } from '../../core/prompt/message.ts';
import type { Dialect, ForeignEvent } from './dialect.ts';

/** What ends an agent's stretch of work there. */
const endings = ['task_completion', 'agent_requested_help', 'agent_text_response', 'task_interrupted'] as const;

type Ending = (typeof endings)[number];

const names = [
  'new_request',
  'follow_up_request',
  'new_request_from_parent',
  'follow_up_request_from_parent',
  'action',
  'edit_file',
  'READ_MIME_FILES',
  'mcp_tool_call',
  ...endings,
  'new_child_agent',
  'resume_child_agent',
  'child_agent_running',
  'child_agent_task_completion',
  'child_agent_agent_requested_help',
  'child_agent_agent_text_response',
  'child_agent_task_interrupted',
] as const;

type Name = (typeof names)[number];

/** The event types of Anges, each with its reasoning and content, and the agent in whose stream it stands. */
export const anges: Dialect = {
  names,
  create: () => {
    const teller = new AngesTeller();
    return (event) => teller.take(event);
  },
};

/** Names of tools that change files; a toolset may put a word of its own in front. */
const editing = /(?:^|_)(?:edit_file|write_file|move_file|delete_file)$/;

/** How an agent's outcome is called there; every other one is an interruption. */
const outcomes: ReadonlyMap<string, Ending> = new Map([
  ['success', 'task_completion'],
  ['needs_help', 'agent_requested_help'],
  ['help_needed', 'agent_requested_help'],
  ['responded', 'agent_text_response'],
  ['checkpoint', 'task_completion'],
]);

interface Stream {
  readonly parent: AgentId | undefined;
  readonly profile: string;
  /** Events that were told of it, and since its last request. */
  told: number;
  /** It was put to work and has not read by whom. */
  expects: 'new_request_from_parent' | 'follow_up_request_from_parent' | undefined;
  isAsked: boolean;
  reasoning: string;
  said: string;
  tokens: { readonly input: number; readonly output: number };
}

interface Told {
  readonly content: string;
  readonly title?: string;
  readonly reasoning?: string;
  readonly message?: string;
}

/** Tells one run; knows of it what it was told. */
class AngesTeller {
  readonly #streams = new Map<AgentId, Stream>();
  readonly #calls = new Map<CallId, EventOf<'tool.request'>>();
  /** Calls that only ask a person. */
  readonly #questions = new Set<CallId>();

  take(event: CadreEvent): readonly ForeignEvent[] {
    switch (event.type) {
      case 'agent.start':
        return this.#startAgent(event);
      case 'agent.restart':
        return this.#goOn(event);
      case 'inbox.add':
        return this.#receive(event);
      case 'model.end':
        return this.#hear(event);
      case 'tool.request':
        this.#calls.set(event.callId, event);
        return [];
      case 'tool.suspend':
        return this.#ask(event);
      case 'tool.start':
        this.#questions.delete(event.callId);
        return [];
      case 'tool.end':
        return this.#act(event);
      case 'agent.await':
        return this.#await(event);
      case 'agent.end':
        return this.#endAgent(event);
      default:
        return [];
    }
  }

  #startAgent(event: EventOf<'agent.start'>): readonly ForeignEvent[] {
    const { agentId, parentAgentId: parent, profile } = event;
    const expects = parent === undefined ? undefined : 'new_request_from_parent';
    const stream: Stream = {
      parent,
      profile,
      told: 0,
      expects,
      isAsked: false,
      reasoning: '',
      said: '',
      tokens: { input: 0, output: 0 },
    };
    this.#streams.set(agentId, stream);
    return this.#sendChild(event, 'new_child_agent', stream);
  }

  #goOn(event: EventOf<'agent.restart'>): readonly ForeignEvent[] {
    const stream = this.#streams.get(event.agentId);
    if (stream === undefined) return [];
    stream.expects = stream.parent === undefined ? undefined : 'follow_up_request_from_parent';
    return this.#sendChild(event, 'resume_child_agent', stream);
  }

  /** Says in the parent's stream that a child was put to work, and from where on in its own stream it is at it. */
  #sendChild(
    event: CadreEvent & { readonly agentId: AgentId },
    name: Name,
    { parent, profile, told }: Stream,
  ): readonly ForeignEvent[] {
    if (parent === undefined) return [];
    const running = JSON.stringify({ agent_id: event.agentId, starting_from: told });
    return [
      this.#tell(event, parent, name, { content: `${profile} ${event.agentId}`, title: profile }),
      this.#tell(event, parent, 'child_agent_running', { content: '', reasoning: running }),
    ];
  }

  #receive(event: EventOf<'inbox.add'>): readonly ForeignEvent[] {
    const stream = this.#streams.get(event.agentId);
    if (stream === undefined) return [];
    const content = wordsOf(event.item.payload);
    const expected = stream.expects;
    if (expected !== undefined) {
      stream.expects = undefined;
      return [this.#tell(event, event.agentId, expected, { content })];
    }
    if (event.item.source !== 'USER_PROMPT' && event.item.source !== 'HUMAN_ANSWER') return [];
    const name = stream.isAsked || stream.parent !== undefined ? 'follow_up_request' : 'new_request';
    stream.isAsked = true;
    return [this.#tell(event, event.agentId, name, { content })];
  }

  #hear(event: EventOf<'model.end'>): readonly ForeignEvent[] {
    const stream = this.#streams.get(event.agentId);
    if (stream === undefined || event.reply === undefined) return [];
    stream.said = event.reply.text;
    stream.reasoning = event.reply.reasoning;
    stream.tokens = { input: event.usage.inputTokens ?? 0, output: event.usage.outputTokens ?? 0 };
    return [];
  }

  /** A tool that asks a person: the agent needs help until it is answered. */
  #ask(event: EventOf<'tool.suspend'>): readonly ForeignEvent[] {
    if (event.on.kind !== 'question') return [];
    this.#questions.add(event.callId);
    return [this.#tell(event, event.agentId, 'agent_requested_help', { content: event.on.prompt })];
  }

  #act(event: EventOf<'tool.end'>): readonly ForeignEvent[] {
    const call = this.#calls.get(event.callId);
    this.#calls.delete(event.callId);
    if (call === undefined) return [];
    if (this.#questions.delete(event.callId) && event.status === 'ok')
      return [this.#tell(event, event.agentId, 'follow_up_request', { content: contentText(event.content) })];
    const content = `${call.name} ${JSON.stringify(call.args ?? {})}\n${contentText(event.content)}`;
    return [this.#tell(event, event.agentId, kindOf(call, event.content), { content, title: call.name })];
  }

  /** An agent that waits has said something, or is asked after. */
  #await(event: EventOf<'agent.await'>): readonly ForeignEvent[] {
    const stream = this.#streams.get(event.agentId);
    if (stream === undefined) return [];
    return event.checkpoint === undefined
      ? [this.#tell(event, event.agentId, 'agent_text_response', { content: stream.said })]
      : [this.#tell(event, event.agentId, 'agent_requested_help', { content: event.checkpoint.prompt })];
  }

  #endAgent(event: EventOf<'agent.end'>): readonly ForeignEvent[] {
    const parent = this.#streams.get(event.agentId)?.parent;
    const ending = outcomes.get(event.outcome) ?? 'task_interrupted';
    const content = event.error === undefined ? event.output : `${event.error.message}\n${event.output}`.trim();
    const own = this.#tell(event, event.agentId, ending, { content, message: event.output });
    return parent === undefined
      ? [own]
      : [own, this.#tell(event, parent, `child_agent_${ending}`, { content, title: event.agentId })];
  }

  #tell(event: CadreEvent, of: AgentId, name: Name, { content, title = '', reasoning, message = '' }: Told): ForeignEvent {
    const stream = this.#streams.get(of);
    if (stream !== undefined) stream.told += 1;
    return {
      event: name,
      seq: event.seq,
      type: name,
      stream: of,
      title,
      // What people are shown; the analysis is the model's own.
      reasoning: reasoning ?? stream?.said ?? '',
      content,
      message,
      analysis: stream?.reasoning ?? '',
      est_input_token: stream?.tokens.input ?? 0,
      est_output_token: stream?.tokens.output ?? 0,
      created_at: event.at / 1000,
    };
  }
}

function kindOf({ name, toolset }: EventOf<'tool.request'>, content: Content): Name {
  if (typeof content !== 'string' && content.some(({ type }) => type !== 'text')) return 'READ_MIME_FILES';
  if (editing.test(name)) return 'edit_file';
  return toolset?.startsWith('mcp') === true || name.startsWith('mcp_') ? 'mcp_tool_call' : 'action';
}

/** What somebody said, without the form it is kept in; anything else as JSON. */
function wordsOf(payload: JsonObject[string]): string {
  if (typeof payload === 'string') return payload;
  const fields = typeof payload === 'object' && payload !== null && !Array.isArray(payload) ? (payload as JsonObject) : {};
  const words = [fields['prompt'], fields['content']].find((field) => typeof field === 'string');
  return words ?? JSON.stringify(payload);
}
