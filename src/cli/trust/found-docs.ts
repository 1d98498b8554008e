import { CadreError } from '../../core/error.ts';
import { isFarFrom } from './outside-reads.ts';

/**
 * Documents of a command that the user may not have named. Those that were found outside the working folder, beside a team's folder, are
 * read only once the user agreed to it.
 */
export class FoundDocs {
  /** Documents that need consent; undefined when there are none, or the user named them. */
  readonly unnamed: string | undefined;
  #isOpen: boolean;

  private constructor(unnamed: string | undefined) {
    this.unnamed = unnamed;
    this.#isOpen = unnamed === undefined;
  }

  /** Checks documents that were found beside a folder of profiles; `docs` is undefined when the user named some, or none were found. */
  static async beside(docs: string | undefined, profiles: unknown): Promise<FoundDocs> {
    const isFar = docs !== undefined && typeof profiles === 'string' && (await isFarFrom(docs, profiles));
    return new FoundDocs(isFar ? docs : undefined);
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Lets the document tools read, after the user has agreed. */
  open(): void {
    this.#isOpen = true;
  }

  /** Returns a root for document tools, which fails with FOLDER_UNTRUSTED until the user has agreed. */
  root(docs: string | (() => string)): string | (() => string) {
    if (this.unnamed === undefined) return docs;
    return () => {
      if (!this.#isOpen)
        throw new CadreError(
          'FOLDER_UNTRUSTED',
          `the documents in ${this.unnamed} lie outside the team's folder, and you did not name them; name them with --docs PATH`,
          { details: { place: this.unnamed } },
        );
      return typeof docs === 'string' ? docs : docs();
    };
  }
}
