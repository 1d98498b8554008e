import { toVisibleText } from '../kit/visible-text.ts';

/** Tone of each status, for readers who look for trouble. */
const tones: Readonly<Record<string, string>> = {
  running: 'busy',
  in_turn: 'busy',
  awaiting_tools: 'busy',
  ongoing: 'busy',
  ready: 'busy',
  awaiting: 'waits',
  'waits for you': 'waits',
  idle: 'calm',
  awaiting_input: 'waits',
  awaiting_approval: 'waits',
  suspended: 'waits',
  pending_review: 'waits',
  completed: 'good',
  success: 'good',
  ok: 'good',
  ended: 'calm',
  pending: 'calm',
  deprecated: 'calm',
  cancelled: 'calm',
  interrupted: 'waits',
  failed: 'bad',
  error: 'bad',
  denied: 'bad',
  timeout: 'bad',
  unknown: 'bad',
  damaged: 'bad',
  limit: 'bad',
};

/** A status as a word, with a colour that shows whether it needs attention. */
export function Badge({ status }: { readonly status: string }) {
  return <span class={`badge tone-${tones[status] ?? 'calm'}`}>{toVisibleText(status).replaceAll('_', ' ')}</span>;
}
