import { CadreError } from '../error.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../json.ts';

/** Note that people add to every prompt of a run's agents, or of some, besides their profiles: a text under a title. */
export interface PeopleNote {
  readonly title: string;
  /** An empty text removes the note. */
  readonly content: string;
  /** An agent id or a profile name; absent = all agents of the run. */
  readonly agent?: string;
}

/** Path of the notes in `team.shared`. */
export const notesPath = 'notes';

const mostNotes = 100;
const longest = { title: 200, content: 20_000 };

/** Returns the notes of a team, in the order they were first written. */
export function peopleNotes(notes: JsonValue | undefined): readonly PeopleNote[] {
  if (!Array.isArray(notes)) return [];
  return (notes as readonly JsonValue[]).flatMap((note) => {
    if (!isJsonObject(note)) return [];
    const { title, content, agent } = note;
    if (typeof title !== 'string' || typeof content !== 'string') return [];
    return [typeof agent === 'string' ? { title, content, agent } : { title, content }];
  });
}

/**
 * Returns the notes of a team with one more. It replaces the one with the same title for the same agents; empty content removes
 * that one.
 */
export function withNote(shared: JsonObject, note: PeopleNote): readonly PeopleNote[] {
  const notes = peopleNotes(shared[notesPath]);
  const isSame = (other: PeopleNote): boolean => other.title === note.title && other.agent === note.agent;
  if (note.content === '') return notes.filter((other) => !isSame(other));
  return notes.some(isSame) ? notes.map((other) => (isSame(other) ? note : other)) : [...notes, note];
}

/** True when a note is meant for an agent. */
export function isNoteFor({ agent }: PeopleNote, agentId: unknown, profile: unknown): boolean {
  return agent === undefined || agent === agentId || agent === profile;
}

/**
 * Rejects a note that cannot be kept.
 *
 * @throws CadreError `OPTION_INVALID`
 */
export function checkNote(shared: JsonObject, note: PeopleNote): void {
  const problem = problemOf(note);
  if (problem !== undefined) throw new CadreError('OPTION_INVALID', `the note cannot be kept: ${problem}`);
  if (withNote(shared, note).length > mostNotes)
    throw new CadreError('OPTION_INVALID', `a run keeps ${mostNotes} notes at most; remove one first`);
}

function problemOf({ title, content, agent }: PeopleNote): string | undefined {
  if (typeof title !== 'string' || title.trim() === '') return 'its title is empty';
  if (typeof content !== 'string') return 'its content is not a text';
  if (agent !== undefined && typeof agent !== 'string') return 'agent is not a text';
  for (const key of ['title', 'content'] as const)
    if ({ title, content }[key].length > longest[key]) return `its ${key} has more than ${longest[key]} characters`;
  return undefined;
}
