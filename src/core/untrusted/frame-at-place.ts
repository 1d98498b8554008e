import { frameNonce, frameUntrusted } from './frame-untrusted.ts';
import type { ContentHash } from '../ids.ts';
import type { SubContext } from '../state/sub-context.ts';
import type { RunContext } from '../state/run-context.ts';

/** Frames a text of a prompt that is from outside; `from` says whose it is. */
export type FrameText = (from: string, text: string) => string;

/**
 * Makes frames for texts at a place of an agent's prompt, such as a segment: frames of different places have different nonces, and the same text has
 * the same one in every turn.
 */
export function frameAtPlace(run: RunContext, agent: SubContext, hash: (text: string) => ContentHash, place: string): FrameText {
  return (from, text) => {
    const nonce = frameNonce(hash, run.frameSeed, `${agent.meta.agentId}\n${place}\n${text}`);
    return frameUntrusted(text, { from, nonce }).content;
  };
}
