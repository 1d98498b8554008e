import { CadreError } from '../../../core/error.ts';
import { runChild } from '../../worker/run-child.ts';
import { damagedPdf, maxPdfMemoryMb, maxPdfMs, pdfPackageMissing } from './pdf-limits.ts';
import type { PdfText } from './pdf-text.ts';

/**
 * Reads the text of a PDF in a separate process, which cannot write files and ends at a limit of time and memory.
 *
 * @throws the reason of the signal on abort
 */
export async function readPdf(bytes: Uint8Array, signal: AbortSignal, timeoutMs: number = maxPdfMs): Promise<PdfText> {
  const problem = pdfProblem(bytes);
  if (problem !== undefined) return { reason: problem };
  const job = {
    file: new URL('./pdf-worker', import.meta.url),
    // pdf.js refuses the subclass Buffer.
    input: new Uint8Array(bytes),
    timeoutMs,
    maxMemoryMb: maxPdfMemoryMb,
    signal,
    what: 'the PDF',
  };
  try {
    return (await runChild(job)) as PdfText;
  } catch (thrown) {
    signal.throwIfAborted();
    if (!(thrown instanceof CadreError)) throw thrown;
    return { reason: thrown.code === 'DEPENDENCY_MISSING' ? pdfPackageMissing : thrown.message.replace(/\.$/, '') };
  }
}

/** Returns what is wrong with a PDF at first sight: its package is missing, or the file is no PDF. */
export function pdfProblem(bytes: Uint8Array): string | undefined {
  if (!hasPdfPackage()) return pdfPackageMissing;
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return file.subarray(0, 1024).includes('%PDF-') && file.includes(' obj') ? undefined : damagedPdf;
}

function hasPdfPackage(): boolean {
  try {
    import.meta.resolve('unpdf');
    return true;
  } catch {
    // Not installed: the files are counted with the install command.
    return false;
  }
}
