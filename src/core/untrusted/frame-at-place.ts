import { frameNonce, frameUntrusted } from './frame-untrusted.ts';
import type { ContentHash } from '../ids.ts';
import type { SubContext } from '../state/sub-context.ts';
import type { RunContext } from '../state/run-context.ts';

/** Frames untrusted text for a prompt; `from` names its source. */
export type FrameText = (from: string, text: string) => string;

/**
 * Creates a framing function for a place of an agent's prompt, such as a segment: frames of different places have different
 * nonces, and the same text has the same nonce in every turn.
 */
export function frameAtPlace(run: RunContext, agent: SubContext, hash: (text: string) => ContentHash, place: string): FrameText {
  return (from, text) => {
    const nonce = frameNonce(hash, run.frameSeed, `${agent.meta.agentId}\n${place}\n${text}`);
    return frameUntrusted(text, { from, nonce }).content;
  };
}
