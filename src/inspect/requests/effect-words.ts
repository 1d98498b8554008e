import type { ToolEffect } from '../../core/tool/tool-effect.ts';

/** What a person must know about a call whose outcome gets lost, by the effect that its tool declares. */
export const effectWords: Readonly<Record<ToolEffect, string>> = {
  pure: 'changes nothing',
  idempotent: 'may be repeated safely',
  verifiable: 'can be checked afterwards',
  unsafe: 'cannot be repeated or undone safely',
};
