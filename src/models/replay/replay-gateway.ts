import type { Clock } from '../../core/clock.ts';
import type { CheckedModelGateway } from '../gateway.ts';
import type { Replay } from './replay.ts';

/** Creates a gateway that answers every call from a recording: it loads no model, needs no key and sends nothing. */
export function createReplayGateway(replay: Replay, clock: Clock): CheckedModelGateway {
  return {
    call: (request) => replay.model(request, () => clock.now()),
    resolves: (config) => ({ ok: true, config }),
  };
}
