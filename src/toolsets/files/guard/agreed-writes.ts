/**
 * Files that make other programs run something and that file tools of this process wrote because a person had agreed, as absolute paths: a
 * command that runs at the time did not plant them. Only ever grows, by what profiles name.
 */
// Not state of a run: which files this process wrote with agreement; the journal has the agreement.
const agreed = new Set<string>();

/** Remembers that a file or folder was written with a person's agreement. */
export function rememberAgreed(place: string): void {
  agreed.add(place);
}

/** Whether a file or folder was written with a person's agreement. */
export function isAgreed(place: string): boolean {
  return agreed.has(place);
}
