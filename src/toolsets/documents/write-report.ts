import { resolve } from 'node:path';
import { CadreError } from '../../core/error.ts';
import { refusePath, toInsidePath } from '../../files/inside-path.ts';
import { errorCode } from '../../files/error-code.ts';
import { makeFolders } from '../../files/make-folder.ts';
import { writeInside } from '../../files/write-inside.ts';

/** Path of a written report, relative to the output folder, and its size. */
export interface WrittenReport {
  readonly path: string;
  readonly bytes: number;
  readonly lines: number;
}

const folderName = 'the output folder';
const maxReportBytes = 5_000_000;

/**
 * Writes a Markdown report into the output folder, atomically (to a new file that then takes the name). Creates the folder and folders
 * below it when they are missing; never writes through a symbolic link.
 *
 * @throws CadreError `PATH_REFUSED` for a path outside, hidden, through a link, onto a folder, or not ending in .md; `TOOL_FAILED` when
 * the content is too large or the disk fails
 */
export async function writeReport(outDir: string, requested: string, content: string): Promise<WrittenReport> {
  const path = toInsidePath(requested, folderName);
  const parts = path.split('/');
  if (!/\.(?:md|markdown)$/i.test(path)) throw refusePath(requested, 'a report ends in .md', folderName);
  if (parts.some((part) => part.startsWith('.')))
    throw refusePath(requested, 'hidden files and folders are not written to', folderName);
  if (parts.includes('agent_profiles')) throw refusePath(requested, 'profiles are not written by tools', folderName);
  const bytes = Buffer.from(content, 'utf8');
  if (bytes.length > maxReportBytes) {
    throw new CadreError(
      'TOOL_FAILED',
      `The report is too large: ${bytes.length} bytes, ${maxReportBytes} are allowed. Write less, or several reports.`,
    );
  }
  try {
    await writeInside({ root: makeFolders(resolve(outDir)).path, file: path, what: folderName, bytes });
  } catch (error) {
    if (error instanceof CadreError) throw error;
    const reason = errorCode(error) ?? String(error);
    throw new CadreError('TOOL_FAILED', `The report "${path}" could not be written: ${reason}. Check the output folder.`, {
      cause: error,
    });
  }
  return { path, bytes: bytes.length, lines: content.split('\n').length - (content.endsWith('\n') ? 1 : 0) };
}
