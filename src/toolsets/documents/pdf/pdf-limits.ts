/** Most pages of a PDF. */
export const maxPdfPages = 2_000;
/** Most text of a PDF, in characters. */
export const maxPdfChars = 10_000_000;
/** Longest time to extract the text of a PDF, in milliseconds. */
export const maxPdfMs = 30_000;
/** Most memory for the text of a PDF, in megabytes. */
export const maxPdfMemoryMb = 1_024;

/** Reason for leaving out a PDF without the package that reads it. */
export const pdfPackageMissing = 'PDF needs the package unpdf, which is not installed (npm install unpdf)';
/** Reason for leaving out a PDF with a password. */
export const encryptedPdf = 'the PDF is encrypted and needs a password';
/** Reason for leaving out a file that is no PDF, or a broken one. */
export const damagedPdf = 'the PDF is damaged';
/** Reason for leaving out a PDF of images. */
export const scannedPdf = 'the PDF has no text, as a scan has';

/** Returns the reason for leaving out a PDF that is too long. */
export function longPdf(what: string, most: number): string {
  return `${tooLong}${most} ${what}`;
}

/** True for a reason that `longPdf` returned. */
export function isLongPdf(reason: string): boolean {
  return reason.startsWith(tooLong);
}

const tooLong = 'the PDF has more than ';
