import { binaryKind, generatedKind } from './parse/document-kinds.ts';
import { damagedPdf, encryptedPdf, isLongPdf, pdfPackageMissing, scannedPdf } from './pdf/pdf-limits.ts';
import type { LeftOutFile, SkippedFile } from './walk-documents.ts';

/** Number of unread files of one kind. */
export interface LeftOutKind {
  /** An ending such as `.pdf`, or the reason, such as `too large`. */
  readonly kind: string;
  readonly files: number;
}

/** Counts unread files by kind. */
export class LeftOutCount {
  readonly #counts = new Map<string, number>();

  add({ kind }: Pick<LeftOutFile, 'kind'>): void {
    this.#counts.set(kind, (this.#counts.get(kind) ?? 0) + 1);
  }

  /** Returns the kinds, most files first, including the files skipped for individual reasons. */
  kinds(skipped: readonly SkippedFile[]): readonly LeftOutKind[] {
    const counts = new Map(this.#counts);
    for (const { reason } of skipped) counts.set(kindOfReason(reason), (counts.get(kindOfReason(reason)) ?? 0) + 1);
    return [...counts]
      .map(([kind, files]) => ({ kind, files }))
      .toSorted((left, right) => right.files - left.files || (left.kind < right.kind ? -1 : 1));
  }
}

const shownKinds = 8;

/** Describes the unread files by kind, such as `3 .pdf, 1 too large`; undefined when all are read. */
export function describeLeftOut(kinds: readonly LeftOutKind[]): string | undefined {
  if (kinds.length === 0) return undefined;
  const more = kinds.slice(shownKinds).reduce((sum, { files }) => sum + files, 0);
  const shown = kinds
    .slice(0, shownKinds)
    .map(
      ({ kind, files }) =>
        `${files} ${files === 1 ? kind.replace(/^(binary |generated |symbolic |)(file|link)s\b/, '$1$2') : kind}`,
    );
  return [...shown, ...(more === 0 ? [] : [`${more} of other kinds`])].join(', ');
}

/** True when a file was not read because it is not text. */
export function isNoText(reason: string): boolean {
  return reason.includes('binary file') || reason.includes('UTF-8');
}

/** True when a file was not read because of what it holds, so that it need not be read again until it changes. */
export function isLasting(reason: string): boolean {
  const isOfContent = isNoText(reason) || reason.startsWith('it is larger than') || reason.includes('minified');
  return isOfContent || reason === encryptedPdf || reason === damagedPdf || reason === scannedPdf || isLongPdf(reason);
}

const pdfKinds: ReadonlyMap<string, string> = new Map([
  [pdfPackageMissing, '.pdf (npm install unpdf)'],
  [encryptedPdf, 'encrypted PDF'],
  [damagedPdf, 'damaged PDF'],
  [scannedPdf, 'PDF without text'],
]);

function kindOfReason(reason: string): string {
  if (reason.startsWith('it is larger than')) return 'too large';
  if (reason.includes('symbolic link')) return 'symbolic links';
  const ofPdf = pdfKinds.get(reason);
  if (ofPdf !== undefined) return ofPdf;
  if (reason.includes('minified')) return generatedKind;
  if (reason.includes('binary file')) return binaryKind;
  if (reason.includes('UTF-8')) return 'not UTF-8 text';
  if (/more than|deeper than|longer than/.test(reason)) return 'beyond the limits';
  return 'unreadable';
}
