/**
 * Auto-run files that file tools of this process wrote with a person's agreement, as absolute paths, so that a command running at the time
 * is not blamed for planting them. Only grows, by the paths that profiles allow.
 */
// Not state of a run: files this process wrote with agreement; the journal records the agreement.
const agreed = new Set<string>();
// Not state of a run: listeners in this process.
const listeners = new Set<(place: string) => void>();

/** Records that a file or folder was written with a person's agreement. */
export function rememberAgreed(place: string): void {
  agreed.add(place);
  for (const listener of listeners) listener(place);
}

/** Calls the listener for each agreed file or folder, past ones included; returns the function that unsubscribes. */
export function onAgreed(listener: (place: string) => void): () => void {
  for (const place of agreed) listener(place);
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** True when a file or folder was written with a person's agreement. */
export function isAgreed(place: string): boolean {
  return agreed.has(place);
}
