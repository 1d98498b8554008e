import { toVisibleText } from '../kit/visible-text.ts';

/** What a status means to somebody who looks for trouble. */
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

/** A status in a word, with a colour that says whether it needs somebody. */
export function Badge({ status }: { readonly status: string }) {
  return <span class={`badge tone-${tones[status] ?? 'calm'}`}>{toVisibleText(status).replaceAll('_', ' ')}</span>;
}
