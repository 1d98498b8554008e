import type { ModelReply, Usage } from '../../core/model/model.ts';
import type { ModelFailure } from './model-failure.ts';

/** Result of an attempt. */
export type AttemptEnd = (
  | { readonly kind: 'reply'; readonly reply: ModelReply; readonly warnings: readonly string[] }
  | { readonly kind: 'failure'; readonly failure: ModelFailure; readonly partialText: string }
) & { readonly usage: Usage; readonly firstTokenMs: number | undefined };
