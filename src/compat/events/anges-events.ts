import type { CadreEvent, EventOf } from '../../core/events/event.ts';
import type { AgentId, CallId } from '../../core/ids.ts';
import type { JsonObject } from '../../core/json.ts';
import { type Content, contentText } from '../../core/prompt/message.ts';
import type { Dialect, ForeignEvent } from './dialect.ts';

/** Events that end a period of work of an agent. */
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

/** Event types of Anges, each with its reasoning and content, and the agent whose stream contains it. */
export const anges: Dialect = {
  names,
  create: () => {
    const translator = new AngesTranslator();
    return (event) => translator.translate(event);
  },
};

/** Matches tools that change files, with or without a toolset's prefix. */
const editing = /(?:^|_)(?:edit_file|write_file|move_file|delete_file)$/;

/** Anges's names of agent outcomes; any other outcome is an interruption. */
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
  /** Number of events in its stream. */
  length: number;
  /** Request event to emit when it reads its task. */
  expects: 'new_request_from_parent' | 'follow_up_request_from_parent' | undefined;
  isAsked: boolean;
  reasoning: string;
  reply: string;
  tokens: { readonly input: number; readonly output: number };
}

interface EventParts {
  readonly name: Name;
  readonly content: string;
  readonly title?: string;
  readonly reasoning?: string;
  readonly message?: string;
}

/** Translates the events of one run; depends only on the events it received. */
class AngesTranslator {
  readonly #streams = new Map<AgentId, Stream>();
  readonly #calls = new Map<CallId, EventOf<'tool.request'>>();
  /** Calls that only ask a person. */
  readonly #questions = new Set<CallId>();

  translate(event: CadreEvent): readonly ForeignEvent[] {
    switch (event.type) {
      case 'agent.start':
        return this.#startAgent(event);
      case 'agent.restart':
        return this.#restartAgent(event);
      case 'inbox.add':
        return this.#receive(event);
      case 'model.end':
        return this.#endModelCall(event);
      case 'tool.request':
        this.#calls.set(event.callId, event);
        return [];
      case 'tool.suspend':
        return this.#ask(event);
      case 'tool.start':
        this.#questions.delete(event.callId);
        return [];
      case 'tool.end':
        return this.#endTool(event);
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
      length: 0,
      expects,
      isAsked: false,
      reasoning: '',
      reply: '',
      tokens: { input: 0, output: 0 },
    };
    this.#streams.set(agentId, stream);
    return this.#sendChild(event, 'new_child_agent', stream);
  }

  #restartAgent(event: EventOf<'agent.restart'>): readonly ForeignEvent[] {
    const stream = this.#streams.get(event.agentId);
    if (stream === undefined) return [];
    stream.expects = stream.parent === undefined ? undefined : 'follow_up_request_from_parent';
    return this.#sendChild(event, 'resume_child_agent', stream);
  }

  /** Emits to the parent's stream that a child started work, and the position in the child's stream where that work begins. */
  #sendChild(
    event: CadreEvent & { readonly agentId: AgentId },
    name: Name,
    { parent, profile, length }: Stream,
  ): readonly ForeignEvent[] {
    if (parent === undefined) return [];
    const running = JSON.stringify({ agent_id: event.agentId, starting_from: length });
    return [
      this.#emit(event, parent, { name, content: `${profile} ${event.agentId}`, title: profile }),
      this.#emit(event, parent, { name: 'child_agent_running', content: '', reasoning: running }),
    ];
  }

  #receive(event: EventOf<'inbox.add'>): readonly ForeignEvent[] {
    const stream = this.#streams.get(event.agentId);
    if (stream === undefined) return [];
    const content = wordsOf(event.item.payload);
    const expected = stream.expects;
    if (expected !== undefined) {
      stream.expects = undefined;
      return [this.#emit(event, event.agentId, { name: expected, content })];
    }
    if (event.item.source !== 'USER_PROMPT' && event.item.source !== 'HUMAN_ANSWER') return [];
    const name = stream.isAsked || stream.parent !== undefined ? 'follow_up_request' : 'new_request';
    stream.isAsked = true;
    return [this.#emit(event, event.agentId, { name, content })];
  }

  #endModelCall(event: EventOf<'model.end'>): readonly ForeignEvent[] {
    const stream = this.#streams.get(event.agentId);
    if (stream === undefined || event.reply === undefined) return [];
    stream.reply = event.reply.text;
    stream.reasoning = event.reply.reasoning;
    stream.tokens = { input: event.usage.inputTokens ?? 0, output: event.usage.outputTokens ?? 0 };
    return [];
  }

  /** Translates a question to a person: the agent needs help until it is answered. */
  #ask(event: EventOf<'tool.suspend'>): readonly ForeignEvent[] {
    if (event.on.kind !== 'question') return [];
    this.#questions.add(event.callId);
    return [this.#emit(event, event.agentId, { name: 'agent_requested_help', content: event.on.prompt })];
  }

  #endTool(event: EventOf<'tool.end'>): readonly ForeignEvent[] {
    const call = this.#calls.get(event.callId);
    this.#calls.delete(event.callId);
    if (call === undefined) return [];
    if (this.#questions.delete(event.callId) && event.status === 'ok')
      return [this.#emit(event, event.agentId, { name: 'follow_up_request', content: contentText(event.content) })];
    const content = `${call.name} ${JSON.stringify(call.args ?? {})}\n${contentText(event.content)}`;
    return [this.#emit(event, event.agentId, { name: kindOf(call, event.content), content, title: call.name })];
  }

  /** Translates an agent that waits: it has replied, or reached a checkpoint. */
  #await(event: EventOf<'agent.await'>): readonly ForeignEvent[] {
    const stream = this.#streams.get(event.agentId);
    if (stream === undefined) return [];
    return event.checkpoint === undefined
      ? [this.#emit(event, event.agentId, { name: 'agent_text_response', content: stream.reply })]
      : [this.#emit(event, event.agentId, { name: 'agent_requested_help', content: event.checkpoint.prompt })];
  }

  #endAgent(event: EventOf<'agent.end'>): readonly ForeignEvent[] {
    const parent = this.#streams.get(event.agentId)?.parent;
    const ending = outcomes.get(event.outcome) ?? 'task_interrupted';
    const content = event.error === undefined ? event.output : `${event.error.message}\n${event.output}`.trim();
    const own = this.#emit(event, event.agentId, { name: ending, content, message: event.output });
    return parent === undefined
      ? [own]
      : [own, this.#emit(event, parent, { name: `child_agent_${ending}`, content, title: event.agentId })];
  }

  #emit(event: CadreEvent, of: AgentId, { name, content, title = '', reasoning, message = '' }: EventParts): ForeignEvent {
    const stream = this.#streams.get(of);
    if (stream !== undefined) stream.length += 1;
    return {
      event: name,
      seq: event.seq,
      type: name,
      stream: of,
      title,
      // Text shown to people; `analysis` contains the model's reasoning.
      reasoning: reasoning ?? stream?.reply ?? '',
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

/** Returns the text of a message without its wrapper; anything else as JSON. */
function wordsOf(payload: JsonObject[string]): string {
  if (typeof payload === 'string') return payload;
  const fields = typeof payload === 'object' && payload !== null && !Array.isArray(payload) ? (payload as JsonObject) : {};
  const words = [fields['prompt'], fields['content']].find((field) => typeof field === 'string');
  return words ?? JSON.stringify(payload);
}
