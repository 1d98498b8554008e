import type { Ingestor } from '../core/inbox/ingestor.ts';
import { isNoteFor, peopleNotes } from '../core/events/people-note.ts';

/** Renders people's notes for the reading agent (`team.shared.notes`), under `params.title` if given; empty without notes. */
export const notes: Ingestor = {
  name: 'notes',
  ingest: (payload, params, { scope }) => {
    const { agent_id: agentId, profile } = (scope['meta'] ?? {}) as { readonly agent_id?: unknown; readonly profile?: unknown };
    const own = peopleNotes(payload).filter((note) => isNoteFor(note, agentId, profile));
    if (own.length === 0) return '';
    const { title } = params;
    const heading = typeof title === 'string' && title !== '' ? [title] : [];
    return [...heading, ...own.map((note) => `### ${note.title}\n${note.content}`)].join('\n\n');
  },
};
