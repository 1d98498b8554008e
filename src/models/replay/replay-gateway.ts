import type { Clock } from '../../core/clock.ts';
import type { CheckedModelGateway } from '../gateway.ts';
import type { Replay } from './replay.ts';

/** A gateway that answers every call from a recording: no model is loaded, no key is needed, nothing is sent. */
export function createReplayGateway(replay: Replay, clock: Clock): CheckedModelGateway {
  return {
    call: (request) => replay.model(request, () => clock.now()),
    resolves: (config) => ({ ok: true, config }),
  };
}
