import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { createEngine, type CadreEvent, type ToolContext } from '../../src/index.ts';
import { checkJournal, countingIds, createMemoryJournal, manualClock } from '../../src/testing/index.ts';
import { allow, tool } from '../support/tools.ts';
import { closingReply, type Protocol } from './recordings.ts';

/** One stream a provider answers with: its bytes in two pieces that part at `splitAt`, then a polite end or a reset. */
export interface Trial {
  readonly protocol: Protocol;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly ending: 'end' | 'reset';
  readonly splitAt: number;
}

/** What a run made of a trial. */
export interface Witness {
  /** The calls that ran, with the arguments the tools saw, as JSON. */
  readonly ran: readonly { readonly name: string; readonly args: string; readonly repaired: boolean }[];
  readonly events: readonly CadreEvent[];
  readonly status: string;
  readonly output: string;
  readonly errorCode: string | undefined;
  /** Requests the provider package sent. */
  readonly requests: number;
  /** What the independent check of the journal found. */
  readonly problems: readonly string[];
}

/** An engine over real provider packages whose network is in this process. */
export interface SweepTeam {
  /** Launches a run whose first model call is answered with the trial, and every later one with words. */
  play(trial: Trial): Promise<Witness>;
  close(): Promise<void>;
}

// Any argument will do, so that no schema hides a wrong call; only a call that lost all of them is one nobody means.
const anything = { parameters: { type: 'object', minProperties: 1 } };

/** Makes an engine for one trial after the other. */
export async function createSweepTeam(): Promise<SweepTeam> {
  let trial: Trial | undefined;
  let requests = 0;
  const ran: { readonly name: string; readonly callId: string; readonly args: string }[] = [];
  const fetch = (): Promise<Response> => {
    requests += 1;
    if (trial === undefined) throw new Error('a request without a trial');
    const body = requests === 1 ? streamOf(trial) : new TextEncoder().encode(closingReply[trial.protocol]);
    return Promise.resolve(new Response(body, { headers: { 'content-type': 'text/event-stream' } }));
  };
  const provider = { baseURL: 'http://localhost/v1', apiKey: 'none', fetch };
  const remember = (name: string) => (args: object, context: ToolContext) => {
    ran.push({ name, callId: context.toolCallId, args: JSON.stringify(args) });
    return 'done';
  };
  const journal = createMemoryJournal();
  const engine = await createEngine({
    profiles: {
      files: (['chat', 'responses'] as const).flatMap((name) => [
        {
          path: `profiles/${name}.yaml`,
          text: `name: ${name}\ntype: associate\nllm_config_ref: ${name}_once\ninstructions: You work.\n${allow('pay', 'note', 'look')}`,
        },
        {
          path: `llm_configs/${name}.yaml`,
          text: `name: ${name}_once\ntype: llm_config\nconfig: { model: test/${name}, max_retries: 1 }\n`,
        },
      ]),
    },
    models: {
      chat_once: createOpenAICompatible({ name: 'local', ...provider })('served'),
      responses_once: createOpenAI(provider).responses('served'),
    },
    tools: [
      tool('pay', remember('pay'), anything),
      tool('note', remember('note'), anything),
      tool('look', remember('look'), { effect: 'pure' }),
    ],
    store: journal,
    clock: manualClock(),
    ids: countingIds(),
    // The wait between attempts is drawn from zero up: none at all.
    random: () => 0,
    team: false,
  });
  return {
    play: async (next) => {
      trial = next;
      requests = 0;
      ran.length = 0;
      const run = await engine.launch({ profile: next.protocol, input: 'Go.' });
      const { status, output, error } = await run.result;
      const events = await journal.read(run.id);
      const repaired = new Set(
        events.flatMap((event) => (event.type === 'tool.request' && event.repaired === true ? [event.callId as string] : [])),
      );
      return {
        ran: ran.map(({ name, callId, args }) => ({ name, args, repaired: repaired.has(callId) })),
        events,
        status,
        output,
        errorCode: error?.code,
        requests,
        problems: checkJournal(events).map(({ invariant, seq, message }) => `${invariant} at ${seq}: ${message}`),
      };
    },
    close: () => engine.close(),
  };
}

function streamOf(trial: Trial): ReadableStream<Uint8Array<ArrayBuffer>> {
  const { bytes, splitAt, ending } = trial;
  const pieces = [bytes.slice(0, splitAt), bytes.slice(splitAt)].filter((piece) => piece.length > 0);
  return new ReadableStream({
    pull(controller) {
      const piece = pieces.shift();
      if (piece !== undefined) controller.enqueue(piece);
      else if (ending === 'end') controller.close();
      else controller.error(new TypeError('terminated', { cause: Object.assign(new Error('reset'), { code: 'ECONNRESET' }) }));
    },
  });
}
