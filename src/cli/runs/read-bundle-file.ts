import { readFile, stat } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { CadreError, describeThrown } from '../../core/error.ts';
import { createContentHash } from '../../engine/recovery/content-hash.ts';
import type { RunBundle } from '../../inspect/bundle.ts';
import { bundleLimits, readBundle } from '../../inspect/bundle/read-bundle.ts';

/** Reads the bundle in a file written by `cadre export`: JSON, or a page with the run inside. Fails with BUNDLE_INVALID. */
export async function readBundleFile(file: string): Promise<RunBundle> {
  const say = (what: string, cause?: unknown): CadreError => new CadreError('BUNDLE_INVALID', `${file}: ${what}`, { cause });
  let text: string;
  try {
    const { size } = await stat(file);
    if (size > bundleLimits.chars) throw say(`the file has ${size} bytes; the maximum is ${bundleLimits.chars}`);
    text = await readFile(file, 'utf8');
  } catch (thrown) {
    throw thrown instanceof CadreError ? thrown : say(`the file cannot be read: ${describeThrown(thrown)}`, thrown);
  }
  const json = text.trimStart().startsWith('<') ? await inPage(text, say) : text.replace(/^\uFEFF/, '');
  return readBundle(json, { hash: createContentHash(), source: file });
}

const element = /<script type="application\/json" id="cadre-run"( data-encoding="gzip")?>([^<]*)<\/script>/;

async function inPage(page: string, say: (what: string, cause?: unknown) => CadreError): Promise<string> {
  const found = element.exec(page);
  if (found === null) throw say('this page contains no run; write one with: cadre export RUN -o run.html');
  const [, packed, data = ''] = found;
  if (packed === undefined) return data;
  try {
    return (await promisify(gunzip)(Buffer.from(data, 'base64'), { maxOutputLength: bundleLimits.chars })).toString('utf8');
  } catch (thrown) {
    throw say(`the run in this page cannot be unpacked: ${describeThrown(thrown)}; the file may be truncated`, thrown);
  }
}
