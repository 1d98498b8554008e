import type { LanguageModelV4, LanguageModelV4CallOptions } from '@ai-sdk/provider';
import { createEngine, type Engine, type EngineOptions } from 'cadre';
import type { Journal } from '../../src/core/events/journal.ts';
import { addTool } from '../floor.ts';

/** A long agent: `windowed` shows its last 60 messages to the model, `whole` its whole history. */
export type LongKind = 'windowed' | 'whole';

const limits = '{ max_turns: 1000000, max_tool_calls: 1000000, max_tokens: 1000000000 }';

function profile(name: string, rest: string): { readonly path: string; readonly text: string } {
  return {
    path: `profiles/${name}.yaml`,
    text: `
name: ${name}
type: associate
llm_config_ref: bench
available_for_staffing: true
instructions: You add numbers.
tool_access_policy: { allowed_individual_tools: [add] }
limits: ${limits}
${rest}`,
  };
}

/** Opens the journal at a path or a `postgres://` URL. Like the engine it comes from the bundle, which is what users run. */
export async function openJournal(store: string): Promise<Journal> {
  if (store.startsWith('postgres://')) {
    const postgres: unknown = await import(import.meta.resolve('cadre/postgres'));
    return (postgres as typeof import('../../src/journal/postgres/postgres-journal.ts')).createPostgresJournal({ url: store });
  }
  const sqlite: unknown = await import(import.meta.resolve('cadre/sqlite'));
  return (sqlite as typeof import('../../src/journal/sqlite/sqlite-journal.ts')).createSqliteJournal(store);
}

/** Creates an engine with the profiles of long runs. */
export function longEngine(store: Journal, model: LanguageModelV4): Promise<Engine> {
  const options: EngineOptions = {
    profiles: { files: [profile('windowed', 'context_policy: { window: 60 }'), profile('whole', '')] },
    models: { bench: model },
    tools: [addTool],
    store,
    limits: { maxTurns: 1_000_000, maxToolCalls: 1_000_000, maxTokens: 1_000_000_000 },
  };
  return createEngine(options);
}

const usage = {
  inputTokens: { total: 10, noCache: 10, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 5, text: 5, reasoning: undefined },
};

/** Creates a model that calls the tool in each of its first `turns` calls, and then never answers; `onWait` hears of that. */
export function longModel(turns: number, onWait: () => void): LanguageModelV4 {
  let done = 0;
  return {
    specificationVersion: 'v4',
    provider: 'bench',
    modelId: 'long',
    supportedUrls: {},
    doGenerate: () => Promise.reject(new Error('the benchmark streams')),
    doStream: async ({ abortSignal }: LanguageModelV4CallOptions) => {
      if (done >= turns) {
        onWait();
        return await new Promise((_, reject) => {
          abortSignal?.addEventListener('abort', () => reject(abortSignal.reason as Error));
        });
      }
      done += 1;
      const input = `{"a":${done},"b":1}`;
      return {
        stream: new ReadableStream({
          start(controller) {
            controller.enqueue({ type: 'stream-start', warnings: [] });
            controller.enqueue({ type: 'text-start', id: 't' });
            controller.enqueue({ type: 'text-delta', id: 't', delta: 'Adding the two numbers now. ' });
            controller.enqueue({ type: 'text-end', id: 't' });
            controller.enqueue({ type: 'tool-call', toolCallId: `call_${done}`, toolName: 'add', input });
            controller.enqueue({ type: 'finish', usage, finishReason: { unified: 'tool-calls', raw: 'tool_calls' } });
            controller.close();
          },
        }),
      };
    },
  };
}
