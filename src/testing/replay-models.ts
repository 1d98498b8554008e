import { parseRecording, type Recording } from '../core/recording/recording.ts';
import type { AiSdkModel } from '../models/adapter/ai-sdk-model.ts';
import { createReplayModel } from '../models/replay/replay-model.ts';

/** Models that answer as those of a recorded run did, for `createEngine({ models })`: the tools of the team run for real. */
export function replayModels(recording: string | Recording): Readonly<Record<'default', AiSdkModel>> {
  return { default: createReplayModel(typeof recording === 'string' ? parseRecording(recording) : recording) };
}
