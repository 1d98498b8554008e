import { deflateRawSync, constants } from 'node:zlib';

/** Parts of a small PDF: lines per page (an empty line is a wider gap), its title, and whether it needs a password. */
export interface PdfParts {
  readonly pages: readonly (readonly string[])[];
  readonly title?: string;
  readonly encrypted?: boolean;
  /** The content stream of the first page, and its filter, in place of its lines. */
  readonly stream?: { readonly bytes: Uint8Array; readonly filter: string };
}

/** Makes a real PDF 1.4 by hand: pages of text in Helvetica, with a cross-reference table. */
export function makePdf({ pages, title, encrypted = false, stream }: PdfParts): Uint8Array {
  const objects: Buffer[] = [];
  const add = (text: string, rest: Uint8Array = new Uint8Array()): number => {
    objects.push(Buffer.concat([Buffer.from(text, 'latin1'), rest]));
    return objects.length;
  };
  const kids = pages.map((_, index) => `${4 + index * 2} 0 R`).join(' ');
  add('<< /Type /Catalog /Pages 2 0 R >>');
  add(`<< /Type /Pages /Kids [${kids}] /Count ${pages.length} >>`);
  add('<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>');
  pages.forEach((lines, index) => {
    add(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 3 0 R >> >> /Contents ${5 + index * 2} 0 R >>`,
    );
    const text = Buffer.from(
      `BT /F1 12 Tf 14 TL 50 800 Td ${lines.map((line) => `(${escape(line)}) Tj T*`).join('\n')} ET`,
      'latin1',
    );
    const { bytes, filter } = index === 0 && stream !== undefined ? stream : { bytes: text, filter: '' };
    add(`<< /Length ${bytes.length} ${filter} >>\nstream\n`, Buffer.concat([bytes, Buffer.from('\nendstream')]));
  });
  const info = title === undefined ? '' : `/Info ${add(`<< /Title (${escape(title)}) >>`)} 0 R`;
  const key = 'ab'.repeat(32);
  const lock = encrypted
    ? `/Encrypt ${add(`<< /Filter /Standard /V 1 /R 2 /O <${key}> /U <${key}> /P -4 >>`)} 0 R /ID [<00> <00>]`
    : '';
  const parts: Buffer[] = [Buffer.from('%PDF-1.4\n')];
  const offsets: number[] = [];
  for (const [index, body] of objects.entries()) {
    offsets.push(parts.reduce((sum, { length }) => sum + length, 0));
    parts.push(Buffer.from(`${index + 1} 0 obj\n`), body, Buffer.from('\nendobj\n'));
  }
  const start = parts.reduce((sum, { length }) => sum + length, 0);
  const table = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  const size = objects.length + 1;
  parts.push(Buffer.from(`xref\n0 ${size}\n0000000000 65535 f \n${table}`));
  parts.push(Buffer.from(`trailer\n<< /Size ${size} /Root 1 0 R ${info} ${lock} >>\nstartxref\n${start}\n%%EOF\n`));
  return Buffer.concat(parts);
}

/** Makes a PDF whose page unpacks to this many times 16 MB. */
export function makeBomb(times: number): Uint8Array {
  const block = deflateRawSync(Buffer.alloc(16_000_000, ' '), { finishFlush: constants.Z_FULL_FLUSH });
  const bytes = Buffer.concat([Buffer.from([0x78, 0x9c]), ...Array.from({ length: times }, () => block), Buffer.from([3, 0])]);
  return makePdf({ pages: [['never']], stream: { bytes, filter: '/Filter /FlateDecode' } });
}

function escape(text: string): string {
  return text.replace(/[\\()]/g, '\\$&');
}
