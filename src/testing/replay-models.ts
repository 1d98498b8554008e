import { parseRecording, type Recording } from '../core/recording/recording.ts';
import type { AiSdkModel } from '../models/adapter/ai-sdk-model.ts';
import { createReplayModel } from '../models/replay/replay-model.ts';

/** Creates models that repeat the replies of a recorded run, for `createEngine({ models })`: the team's tools run for real. */
export function replayModels(recording: string | Recording): Readonly<Record<'default', AiSdkModel>> {
  return { default: createReplayModel(typeof recording === 'string' ? parseRecording(recording) : recording) };
}
