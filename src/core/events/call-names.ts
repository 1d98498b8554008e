import type { RunningCall } from './tool-parts.ts';

/** Names calls in a sentence; the text is untrusted. */
export function callNames(calls: readonly RunningCall[]): string {
  const names = calls.slice(0, 5).map(({ agentId: of, callId: id, tool }) => `${tool} (${id}) of ${of}`);
  return `${names.join(', ')}${calls.length > names.length ? ` and ${calls.length - names.length} more` : ''}`;
}
