import type { Ingestor } from '../core/inbox/ingestor.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../core/json.ts';
import { withoutTag } from './text/wrapper-tags.ts';

const tag = 'visible_history';

/**
 * Renders the part of other agents' history that `context_policy.visibility` selects: `{ entries }`, each with its kind, text and
 * agent (A4.4). One line per entry, in chronological order: the conversation, the team, the team's shared state.
 * `params.title` precedes them.
 */
export const visibleHistory: Ingestor = {
  name: tag,
  ingest: (payload, params) => {
    const entries = isJsonObject(payload) && Array.isArray(payload['entries']) ? (payload['entries'] as readonly JsonValue[]) : [];
    const known = entries.filter(isJsonObject);
    const parts = [
      section('The conversation with the user', known, (kind) => kind === 'user_message' || kind === 'assistant_message'),
      section('What the team did', known, (kind) => !kind.endsWith('_message') && kind !== 'global'),
      section('What the team knows', known, (kind) => kind === 'global'),
    ].filter((part) => part !== '');
    const title = typeof params['title'] === 'string' && params['title'] !== '' ? `${params['title']}\n` : '';
    return `${title}<${tag}>\n${parts.length === 0 ? '(nothing yet)' : parts.join('\n\n')}\n</${tag}>`;
  },
};

function section(title: string, entries: readonly JsonObject[], belongs: (kind: string) => boolean): string {
  const lines = entries.filter((entry) => belongs(String(entry['kind']))).map(line);
  return lines.length === 0 ? '' : `## ${title}\n${lines.join('\n')}`;
}

function line(entry: JsonObject): string {
  const cut = entry['cut'];
  const text = String(entry['text'] ?? '')
    .replace(/\s+/g, ' ')
    .trim();
  const shown = typeof cut === 'number' && cut > 0 ? `${text}… [TRUNCATED: ${cut} chars removed]` : text;
  return withoutTag(`- ${head(entry)}${shown}`, tag);
}

function head(entry: JsonObject): string {
  const who = typeof entry['profile'] === 'string' ? `[${entry['profile']} ${String(entry['agent_id'])}] ` : '';
  const name = String(entry['name'] ?? '');
  switch (entry['kind']) {
    case 'user_message':
      return 'user: ';
    case 'assistant_message':
      return `${who}to the user: `;
    case 'task':
      return `${who}was given: `;
    case 'reply':
      return `${who}said: `;
    case 'call':
      return `${who}called ${name} with `;
    case 'result':
      return `${who}got from ${name}: `;
    case 'error':
      return `${who}${name === '' ? 'failed' : `had an error from ${name}`}: `;
    case 'final':
      return `${who}ended (${name}): `;
    default:
      return who;
  }
}
