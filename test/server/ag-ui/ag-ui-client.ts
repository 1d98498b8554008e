import { type AgentSubscriber, HttpAgent, type HttpAgentConfig } from '@ag-ui/client';
import { EventSchemas } from '@ag-ui/core/schemas';

/** An event as received. */
export type WireEvent = Readonly<Record<string, unknown>> & { readonly type: string };

/** The official client of AG-UI, unchanged, and the received events, each checked against its schema. */
export interface AgUiClient {
  readonly agent: HttpAgent;
  /** The events of all runs so far. */
  readonly events: readonly WireEvent[];
  /** Returns the agent's last message. */
  readonly said: () => string;
}

/** Creates a client of a server. */
export function agUiClient(url: string, config: Partial<HttpAgentConfig> = {}): AgUiClient {
  const events: WireEvent[] = [];
  const agent = new HttpAgent({
    url: `${url}/ag-ui`,
    ...config,
    fetch: async (address, init) => {
      const response = await fetch(address, init);
      if (!response.ok || response.body === null) return response;
      return new Response(response.body.pipeThrough(keeper(events)), response);
    },
  });
  return {
    agent,
    events,
    said: () => {
      const last = agent.messages.findLast(({ role }) => role === 'assistant');
      return typeof last?.content === 'string' ? last.content : '';
    },
  };
}

/** Runs a client's agent and returns how the AG-UI run ended. */
export async function run(client: AgUiClient, parameters: Parameters<HttpAgent['runAgent']>[0] = {}): Promise<unknown> {
  let ended: unknown;
  const subscriber: AgentSubscriber = {
    onRunFinishedEvent: ({ event }) => {
      ended = event.outcome;
    },
    onRunErrorEvent: ({ event }) => {
      ended = { type: 'error', message: event.message };
    },
  };
  await client.agent.runAgent(parameters, subscriber).catch((thrown: unknown) => {
    ended ??= thrown;
  });
  return ended;
}

/** Keeps the events of an answer that passes through. */
function keeper(events: WireEvent[]): TransformStream<Uint8Array, Uint8Array> {
  const decoder = new TextDecoder();
  let text = '';
  return new TransformStream({
    transform: (piece, controller) => {
      const blocks = (text + decoder.decode(piece, { stream: true })).split('\n\n');
      text = blocks.pop() ?? '';
      for (const block of blocks) {
        if (block.startsWith('data: ')) events.push(EventSchemas.parse(JSON.parse(block.slice(6))) as WireEvent);
      }
      controller.enqueue(piece);
    },
  });
}
