import type { ModelReply, Usage } from '../../core/model/model.ts';
import type { ModelFailure } from './model-failure.ts';

/** Result of a stream: a reply, or the reason there is none. */
export type StreamResult =
  | { readonly kind: 'reply'; readonly reply: ModelReply; readonly warnings: readonly string[] }
  | { readonly kind: 'failure'; readonly failure: ModelFailure };

/** Result of an attempt. */
export type AttemptEnd = (
  | { readonly kind: 'reply'; readonly reply: ModelReply; readonly warnings: readonly string[] }
  | { readonly kind: 'failure'; readonly failure: ModelFailure; readonly partialText: string }
) & {
  readonly usage: Usage;
  readonly firstTokenMs: number | undefined;
  /** True when the provider took the request and worked on it. */
  readonly wasTaken: boolean;
  /** Estimate of everything that arrived. */
  readonly received: { readonly tokens: number };
};
