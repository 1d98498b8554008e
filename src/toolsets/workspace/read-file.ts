import { CadreError } from '../../core/error.ts';
import { toolReturn, type ToolReturn } from '../../core/tool/tool-return.ts';
import type { OpenFile } from '../../files/open-file.ts';
import { readWhole, useInside } from '../../files/read-inside.ts';
import { insideFile, onDisk, readablePath, showSize, type ReadContext } from './workspace-files.ts';

/** Arguments of `read_file`. */
export interface ReadFileRequest {
  readonly path: string;
  readonly fromLine: number | undefined;
  readonly toLine: number | undefined;
  readonly lineNumbers: boolean;
  readonly encoding: string | undefined;
}

/** Maximum length of one answer, in characters. */
const maxChars = 60_000;
/** Maximum number of bytes scanned for the requested lines. */
const maxScanBytes = 64_000_000;
/** Maximum size of an image or PDF that is passed to the model, in bytes. */
const maxMediaBytes = 10_000_000;
const probeBytes = 8_192;

/** Media types of files that are passed to models unchanged, by ending. */
const mediaTypes: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  pdf: 'application/pdf',
};

/**
 * Reads a file of the workspace: text as numbered lines, images and PDFs as a part of the message.
 *
 * @throws CadreError `PATH_REFUSED`; `TOOL_FAILED` for folders, binary files and files that are too long, with advice on what to do instead
 */
export async function readFile(request: ReadFileRequest, context: ReadContext): Promise<string | ToolReturn> {
  const inside = await readablePath(context.workspace, request.path, context.settings);
  if (inside.found === 'folder') throw failed(inside.path, 'is a folder. list_files shows what is in it.');
  return await onDisk(
    inside.path,
    async () =>
      await useInside(insideFile(inside), async (opened) => {
        const mediaType = mediaTypeOf(inside.path);
        if (mediaType !== undefined) return await mediaPart(opened, inside.path, mediaType);
        const encoding = request.encoding ?? (await detectEncoding(opened, inside.path));
        return await readText(opened, { ...request, path: inside.path, encoding }, context);
      }),
  );
}

/** Returns the media type of an image or PDF; undefined for every other file. */
function mediaTypeOf(path: string): string | undefined {
  const ending = path.slice(path.lastIndexOf('.') + 1).toLowerCase();
  return Object.hasOwn(mediaTypes, ending) ? mediaTypes[ending] : undefined;
}

async function readText(
  opened: OpenFile,
  request: ReadFileRequest & { readonly encoding: string },
  { settings, signal }: ReadContext,
): Promise<string> {
  const { path, fromLine = 1, toLine, encoding, lineNumbers } = request;
  const { maxFileBytes } = settings;
  if (opened.size > maxFileBytes && request.fromLine === undefined && toLine === undefined)
    throw failed(
      path,
      `is ${showSize(opened.size)} long; files of up to ${showSize(maxFileBytes)} are read whole. Read a part with from_line and to_line, or find the place with search_files.`,
    );
  if (toLine !== undefined && toLine < fromLine)
    throw failed(path, `was not read: to_line ${toLine} is before from_line ${fromLine}.`);
  const scan = { from: fromLine, to: toLine ?? Infinity, maxChars, maxBytes: maxScanBytes, encoding, signal };
  const scanned = await scanLines(opened, scan).catch((error: unknown) => {
    throw error instanceof TypeError ? notText(path, encoding) : error;
  });
  const last = fromLine + scanned.lines.length - 1;
  if (scanned.lines.length === 0) {
    if (scanned.total === 0 && scanned.isEnd) return `${path}: an empty file`;
    const reach = scanned.isEnd
      ? `has ${scanned.total} lines`
      : `was searched for ${showSize(maxScanBytes)} (${scanned.total} lines)`;
    throw failed(path, `${reach}; there is no line ${fromLine} in that.`);
  }
  const of = scanned.isEnd ? `of ${scanned.total}` : `of a file of ${showSize(opened.size)}`;
  const more = scanned.isCut ? `; the answer was full, go on with from_line ${last + 1}` : '';
  const body = lineNumbers ? scanned.lines.map((line, index) => `${fromLine + index}: ${line}`) : scanned.lines;
  return `${path}: lines ${fromLine} to ${last} ${of}${more}\n${body.join('\n')}`;
}

/** Detects UTF-16 by its byte order mark and otherwise assumes UTF-8; throws for a binary file (a NUL near the start). */
async function detectEncoding({ handle, size }: OpenFile, path: string): Promise<string> {
  const probe = new Uint8Array(probeBytes);
  const { bytesRead } = await handle.read(probe, 0, probeBytes, 0);
  const [first, second] = probe;
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  if (probe.subarray(0, bytesRead).includes(0))
    throw failed(
      path,
      `is a binary file of ${showSize(size)}, not text. Of such files only images and PDFs can be read; others need a program that knows their format.`,
    );
  return 'utf-8';
}

async function mediaPart(opened: OpenFile, path: string, mediaType: string): Promise<ToolReturn> {
  if (opened.size > maxMediaBytes)
    throw failed(
      path,
      `is ${showSize(opened.size)} long; images and PDFs of up to ${showSize(maxMediaBytes)} can be shown. Make a smaller one.`,
    );
  const bytes = await readWhole(opened);
  if (bytes === undefined) throw failed(path, 'changed while it was being read. Read it again.');
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64');
  return toolReturn({
    content: [
      { type: 'text', text: `${path}: ${mediaType}, ${showSize(opened.size)}` },
      { type: 'file', mediaType, filename: path.slice(path.lastIndexOf('/') + 1), data: { type: 'data', data } },
    ],
  });
}

function notText(path: string, encoding: string): CadreError {
  return failed(
    path,
    encoding === 'utf-8'
      ? 'is not UTF-8 text. Give its encoding, for example "windows-1252" or "utf-16le".'
      : `is not text in the encoding ${encoding}.`,
  );
}

function failed(path: string, why: string): CadreError {
  return new CadreError('TOOL_FAILED', `${JSON.stringify(path)} ${why}`);
}

/** Lines of a file, and the state of the scan. */
interface ScannedLines {
  readonly lines: readonly string[];
  /** The scan reached the end, so `total` counts all lines. */
  readonly isEnd: boolean;
  /** Number of lines seen. */
  readonly total: number;
  /** A limit was reached before the last requested line. */
  readonly isCut: boolean;
}

/** Lines to read (1-based, inclusive), and limits. */
interface ScanRequest {
  readonly from: number;
  readonly to: number;
  readonly maxChars: number;
  /** Maximum number of bytes scanned. */
  readonly maxBytes: number;
  readonly encoding: string;
  readonly signal: AbortSignal;
}

const chunkBytes = 256 * 1024;

/**
 * Reads lines of an open file piece by piece, so that a part of a huge file costs no more than the bytes before it.
 *
 * @throws TypeError when the bytes are not text in the encoding
 */
async function scanLines({ handle }: OpenFile, request: ScanRequest): Promise<ScannedLines> {
  const { from, to, maxChars, maxBytes, encoding, signal } = request;
  const decoder = new TextDecoder(encoding, { fatal: true });
  const buffer = new Uint8Array(chunkBytes);
  const lines: string[] = [];
  let [number, room, rest, at] = [0, maxChars, '', 0];
  const take = (line: string): 'more' | 'cut' | 'done' => {
    number += 1;
    if (number < from) return 'more';
    if (number > to) return 'done';
    const text = line.endsWith('\r') ? line.slice(0, -1) : line;
    if (text.length + 1 > room) {
      if (lines.length > 0) return 'cut';
      lines.push(`${text.slice(0, room)}… (a line of ${text.length} characters)`);
      return 'cut';
    }
    room -= text.length + 1;
    lines.push(text);
    return 'more';
  };
  for (;;) {
    signal.throwIfAborted();
    const { bytesRead } = await handle.read(buffer, 0, chunkBytes, at);
    at += bytesRead;
    const isLast = bytesRead === 0;
    const pieces = decoder.decode(buffer.subarray(0, bytesRead), { stream: !isLast }).split('\n');
    // Only new bytes are split: otherwise a line of many pieces would be scanned again with each of them.
    pieces[0] = rest + (pieces[0] ?? '');
    rest = isLast ? '' : (pieces.pop() ?? '');
    if (isLast && pieces.at(-1) === '') pieces.pop();
    for (const piece of pieces) {
      const taken = take(piece);
      if (taken !== 'more') return { lines, isEnd: false, total: number - 1, isCut: taken === 'cut' };
    }
    if (isLast) return { lines, isEnd: true, total: number, isCut: false };
    if (at >= maxBytes) return { lines, isEnd: false, total: number, isCut: true };
  }
}
