/**
 * Files that make other programs run something and that file tools of this process wrote because a person had agreed, as absolute paths: a
 * command that runs at the time did not plant them. Only ever grows, by what profiles name.
 */
// Not state of a run: which files this process wrote with agreement; the journal has the agreement.
const agreed = new Set<string>();
// Not state of a run: who in this process hears of them.
const listeners = new Set<(place: string) => void>();

/** Remembers that a file or folder was written with a person's agreement. */
export function rememberAgreed(place: string): void {
  agreed.add(place);
  for (const listener of listeners) listener(place);
}

/** Hears of each file or folder that is written with a person's agreement, and of those that were; the returned function ends that. */
export function onAgreed(listener: (place: string) => void): () => void {
  for (const place of agreed) listener(place);
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** Whether a file or folder was written with a person's agreement. */
export function isAgreed(place: string): boolean {
  return agreed.has(place);
}
