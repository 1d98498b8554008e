import { CadreError } from '../../core/error.ts';
import type { PromptMessage } from '../../core/prompt/message.ts';
import type { ModelRequest, OfferedTool } from '../../core/model/model.ts';
import { type Recording, parseRecording } from '../../core/recording/recording.ts';
import type { AiSdkModel } from '../adapter/ai-sdk-model.ts';
import { Replay } from './replay.ts';
import { createScriptedStream, toReplyParts } from '../scripted/scripted-stream.ts';

/**
 * Creates a model that repeats a recording's replies: an AI SDK model like any other, for teams whose tools run for real. A call
 * that differs from the recorded one fails with REPLAY_MISMATCH.
 */
export function createReplayModel(recording: Recording): AiSdkModel {
  const replay = new Replay(recording);
  return {
    specificationVersion: 'v4',
    provider: 'replay',
    modelId: recording.source,
    wantsRequest: true,
    async doStream({ request, prompt, tools, abortSignal }) {
      const outcome = await replay.model(request ?? soleRequest(recording, prompt, tools), () => 0);
      if (outcome.kind === 'error')
        throw new CadreError(outcome.error.code, outcome.error.message, { details: { isRecorded: true } });
      const { text, reasoning, finishReason, toolCalls } = outcome.reply;
      const calls = toolCalls.map(({ providerCallId, toolName, input, problem }) => ({
        id: providerCallId,
        name: toolName,
        input,
        ...(problem !== undefined && { problem }),
      }));
      const parts = toReplyParts({ text, reasoning, finishReason, toolCalls: calls, usage: outcome.usage });
      const stream = createScriptedStream({ parts, ending: { kind: 'close' }, delayMs: 0, signal: abortSignal });
      return { stream };
    },
  };
}

/** Builds the request of a call from outside a run, which must be one of the recording's first agent. */
function soleRequest(recording: Recording, prompt: unknown, tools: unknown): ModelRequest {
  const path = recording.entries.find((entry) => entry.kind === 'model')?.agent ?? '';
  return {
    messages: prompt as readonly PromptMessage[],
    tools: (tools ?? []) as readonly OfferedTool[],
    toolChoice: { type: 'auto' },
    signal: new AbortController().signal,
    caller: { runId: '' as never, path },
    config: undefined as never,
  };
}

/** Creates models that repeat the replies of a recorded run, for `createEngine({ models })`: the team's tools run for real. */
export function replayModels(recording: string | Recording): Readonly<Record<'default', AiSdkModel>> {
  return { default: createReplayModel(typeof recording === 'string' ? parseRecording(recording) : recording) };
}
