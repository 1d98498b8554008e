import { defaultDeadlines, type LlmConfig } from '../../src/core/model/llm-config.ts';
import type { ModelOutcome, ModelRequest } from '../../src/core/model/model.ts';
import { createModelGateway, type CheckedModelGateway, type ModelGatewayOptions } from '../../src/models/gateway.ts';
import { ManualClock } from './manual-clock.ts';

/** Returns an LLM config for a model object given under the name `main`. */
export function config(fields: Partial<LlmConfig> = {}): LlmConfig {
  return {
    name: 'main',
    provider: '',
    model: '',
    retry: { maxRetries: 2, waitMs: 1000, maxWaitMs: 60_000 },
    deadlines: defaultDeadlines,
    fallbacks: [],
    missing: [],
    ...fields,
  };
}

/** Returns a request with one user message. */
export function request(fields: Partial<ModelRequest> = {}): ModelRequest {
  return {
    config: config(),
    messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello?' }] }],
    tools: [],
    toolChoice: { type: 'auto' },
    signal: new AbortController().signal,
    ...fields,
  };
}

/** Returns a gateway on a manual clock; waits have their longest duration unless `random` is given. */
export function gatewayFor(
  model: unknown,
  options: Partial<ModelGatewayOptions> = {},
): { gateway: CheckedModelGateway; clock: ManualClock } {
  const clock = new ManualClock();
  const models = model === undefined ? {} : { main: model };
  return { clock, gateway: createModelGateway({ models, clock, random: () => 1, env: {}, ...options }) };
}

/** Makes one call and advances the clock until it is over. */
export async function callOnce(
  model: unknown,
  fields: Partial<ModelRequest> = {},
  options: Partial<ModelGatewayOptions> = {},
): Promise<ModelOutcome> {
  const { gateway, clock } = gatewayFor(model, options);
  return clock.runUntil(gateway.call(request(fields)));
}

/** Returns the reply of an outcome; fails the test when it is an error. */
export function replyOf(outcome: ModelOutcome): Extract<ModelOutcome, { kind: 'reply' }>['reply'] {
  if (outcome.kind === 'error') throw new Error(`expected a reply, got ${outcome.error.code}: ${outcome.error.message}`);
  return outcome.reply;
}

/** Returns the error of an outcome; fails the test when it is a reply. */
export function errorOf(outcome: ModelOutcome): Extract<ModelOutcome, { kind: 'error' }>['error'] {
  if (outcome.kind === 'reply') throw new Error('expected an error, got a reply');
  return outcome.error;
}

/** Returns a model object of any spec version that streams the given parts. */
export function partsModel(
  version: string,
  parts: readonly unknown[],
): { readonly calls: unknown[] } & Readonly<Record<string, unknown>> {
  const calls: unknown[] = [];
  return {
    calls,
    specificationVersion: version,
    provider: 'test.chat',
    modelId: `test-${version}`,
    supportedUrls: {},
    doStream: (options: unknown) => {
      calls.push(options);
      return Promise.resolve({
        stream: new ReadableStream({
          start(controller) {
            for (const part of parts) controller.enqueue(part);
            controller.close();
          },
        }),
      });
    },
  };
}
