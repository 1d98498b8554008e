import { CadreError } from '../error.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../json.ts';

/** What people want agents of a run to know always, beside their profiles: a text under a title, for all agents or for some. */
export interface PeopleNote {
  readonly title: string;
  /** Empty takes the note away. */
  readonly content: string;
  /** The id of an agent, or the name of a profile; all agents of the run when absent. */
  readonly agent?: string;
}

/** Where notes stand in `team.shared`. */
export const notesPath = 'notes';

const mostNotes = 100;
const longest = { title: 200, content: 20_000 };

/** The notes of a team, in the order they were first written. */
export function peopleNotes(notes: JsonValue | undefined): readonly PeopleNote[] {
  if (!Array.isArray(notes)) return [];
  return (notes as readonly JsonValue[]).flatMap((note) => {
    if (!isJsonObject(note)) return [];
    const { title, content, agent } = note;
    if (typeof title !== 'string' || typeof content !== 'string') return [];
    return [typeof agent === 'string' ? { title, content, agent } : { title, content }];
  });
}

/** The notes of a team with one more; one with its title, for the same agents, is replaced, or taken away when it is empty. */
export function withNote(shared: JsonObject, note: PeopleNote): readonly PeopleNote[] {
  const notes = peopleNotes(shared[notesPath]);
  const isSame = (other: PeopleNote): boolean => other.title === note.title && other.agent === note.agent;
  if (note.content === '') return notes.filter((other) => !isSame(other));
  return notes.some(isSame) ? notes.map((other) => (isSame(other) ? note : other)) : [...notes, note];
}

/** Tells whether an agent is to know a note. */
export function isNoteFor({ agent }: PeopleNote, agentId: unknown, profile: unknown): boolean {
  return agent === undefined || agent === agentId || agent === profile;
}

/**
 * Refuses a note that cannot be kept.
 *
 * @throws CadreError `OPTION_INVALID`
 */
export function checkNote(shared: JsonObject, note: PeopleNote): void {
  const problem = problemOf(note);
  if (problem !== undefined) throw new CadreError('OPTION_INVALID', `the note cannot be kept: ${problem}`);
  if (withNote(shared, note).length > mostNotes)
    throw new CadreError('OPTION_INVALID', `a run keeps ${mostNotes} notes at most; take one away first`);
}

function problemOf({ title, content, agent }: PeopleNote): string | undefined {
  if (typeof title !== 'string' || title.trim() === '') return 'its title is empty';
  if (typeof content !== 'string') return 'its content is no text';
  if (agent !== undefined && typeof agent !== 'string') return 'agent is no text';
  for (const key of ['title', 'content'] as const)
    if ({ title, content }[key].length > longest[key]) return `its ${key} has more than ${longest[key]} characters`;
  return undefined;
}
