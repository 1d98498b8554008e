import { eventPieces, fullFrom, type ShownStream } from '../../core/prompt/history-stream.ts';
import type { PromptMessage } from '../../core/prompt/message.ts';
import type { CompiledProfile } from '../../core/profile/profile.ts';
import type { SubContext } from '../../core/state/sub-context.ts';
import { joinPieces, type TextProtocol } from '../../core/prompt/text-protocol.ts';
import { messageTokens } from '../../core/prompt/token-estimate.ts';
import type { EventStream, TurnInput } from '../../core/state/turn.ts';

/** Returns an agent's history as a stream of events for the next turn; results belong to the event of their calls. */
export function streamOf(
  agent: SubContext,
  { contextPolicy }: CompiledProfile,
  inputs: readonly TurnInput[],
): EventStream | undefined {
  const { rendering } = contextPolicy;
  if (rendering === undefined) return undefined;
  const coming = inputs.filter(({ persistent, role }) => persistent && role === 'user').length;
  const last = (agent.history.origins.at(-1)?.event ?? 0) + coming;
  return { full: fullFrom(last, rendering.full), lines: rendering.lines };
}

interface Saving extends Pick<EventStream, 'full' | 'lines'> {
  readonly from: number;
  readonly protocol: TextProtocol | undefined;
  /** The first message that has not been looked at. */
  readonly next: number;
  readonly tokens: number;
}

// Pure cache: keyed by an agent, and compared with all that the sum depends on; messages only grow.
const savings = new WeakMap<SubContext, Saving>();

/**
 * Returns the estimated tokens that a stream saves over the messages in view by cutting older events. Each message is examined one
 * time, when it is cut: the edge never moves back.
 */
export function savedBy(agent: SubContext, stream: EventStream, protocol: TextProtocol | undefined): number {
  const {
    context: { view },
    history: { messages, origins, released },
  } = agent;
  const known = savings.get(agent);
  const isAlike = known?.from === view.from && known.lines === stream.lines && known.protocol === protocol;
  // A profile that was edited may show more events in full: what was cut before is not cut now.
  const goesOn = isAlike && known.full <= stream.full;
  let next = goesOn ? known.next : view.from;
  let tokens = goesOn ? known.tokens : 0;
  for (; next < released + messages.length; next++) {
    const message = messages[next - released];
    const origin = origins[next - released];
    if (message === undefined || (origin?.event ?? 0) >= stream.full) break;
    tokens += savedOn(message, origin, { ...stream, protocol });
  }
  savings.set(agent, { from: view.from, full: stream.full, lines: stream.lines, protocol, next, tokens });
  return tokens;
}

function savedOn(
  message: PromptMessage,
  origin: SubContext['history']['origins'][number] | undefined,
  stream: ShownStream,
): number {
  const cut: PromptMessage = { role: 'user', content: joinPieces(eventPieces(message, origin, stream)) };
  return Math.max(0, messageTokens(message) - messageTokens(cut));
}
