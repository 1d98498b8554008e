import { createHash } from 'node:crypto';
import path from 'node:path';
import { CadreError } from '../../core/error.ts';
import type { EvalSuite } from '../../testing/evals/suite/eval-suite.ts';
import { readModuleFiles } from '../../toolsets/module/read-module-files.ts';
import type { FolderTrust } from './folder-trust.ts';

/** Checks that the code which a suite's checks run, with its local imports, is trusted. Fails with FOLDER_UNTRUSTED. */
export async function checkSuiteCode({ file, folder, cases }: EvalSuite, trust: FolderTrust): Promise<void> {
  const named = new Set(cases.flatMap(({ checks }) => checks.flatMap(({ code }) => code ?? [])));
  const lines: string[] = [];
  for (const each of [...named].toSorted()) {
    const name = path.relative(folder, each).replaceAll(path.sep, '/');
    const read = await readModuleFiles({ root: folder, from: '.', path: name });
    if ('reason' in read)
      throw new CadreError('OPTION_INVALID', `${file}: the code ${name} of a check cannot be used: ${read.reason}`);
    const hash = createHash('sha256');
    for (const { path: own, text } of read.files) hash.update(JSON.stringify([own, text]));
    const others = read.files.flatMap((code) => (code.path === name ? [] : [code.path]));
    lines.push(`${name}${others.length === 0 ? '' : ` with ${others.join(', ')}`}, SHA-256 ${hash.digest('hex')}`);
  }
  await trust.checkCode(file, lines);
}
