import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { autoRunFiles, autoRunReaders } from '../../../src/files/guard/auto-run-files.ts';
import { makeFolder } from '../temp-folder.ts';
import { notShown, proofs, type Proof } from './proofs.ts';

const searchPath = '/usr/local/bin:/usr/bin:/bin';

function isHere(program: string): boolean {
  const [command, args] =
    program === 'python3-venv' ? ['python3', ['-c', 'import ensurepip']] : ['sh', ['-c', `command -v ${program}`]];
  return spawnSync(command, args, { env: { PATH: searchPath } }).status === 0;
}

const missing = [...new Set(Object.values(proofs).flatMap(({ needs }) => needs))].filter((program) => !isHere(program));
if (missing.length > 0) console.warn(`not shown here, since these programs are not installed: ${missing.join(', ')}`);

/** Uses a program as a person does; true when it read the file. */
async function isRead({ file, text, run, mode = 0o644 }: Proof, withFile: boolean): Promise<boolean> {
  const outside = await makeFolder();
  const [home, mark] = [join(outside, 'home'), join(outside, 'mark')];
  const place = join(home, file);
  mkdirSync(dirname(place), { recursive: true });
  // Shells and programs with variables take the mark from the environment; other formats need its path.
  const written = /touch "\$MARK"|env/i.test(text) ? text : text.replaceAll('$MARK', mark);
  if (withFile) writeFileSync(place, written, { mode });
  spawnSync('sh', ['-c', run], {
    cwd: home,
    env: { PATH: searchPath, HOME: home, MARK: mark, TERM: 'xterm', LC_ALL: 'C.UTF-8' },
    input: '',
    timeout: 80_000,
  });
  return existsSync(mark);
}

describe('F77: programs read the files of the list by themselves', () => {
  for (const [entry, proof] of Object.entries(proofs))
    it.skipIf(proof.needs.some((program) => missing.includes(program)))(`${entry} (${proof.needs.join(', ')})`, async () => {
      expect(await isRead(proof, true)).toBe(true);
      // Sweeps show that it is this file that did it. In a few, the script itself makes the file.
      if (process.env['SWEEPS'] === 'all' && proof.file !== '.keep' && proof.text !== '')
        expect(await isRead(proof, false)).toBe(false);
    });
});

describe('F77: one list', () => {
  const rows = Object.values(autoRunReaders).flat();

  it('each entry is shown to be read, or says why that cannot be shown here', () => {
    const said = new Set(Object.values(notShown).flat());
    const silent = rows.flatMap(({ program, names }) => (said.has(program) ? [] : names.filter((name) => !(name in proofs))));
    expect(silent).toEqual([]);
    expect(Object.keys(proofs).filter((entry) => !rows.some(({ names }) => names.includes(entry)))).toEqual([]);
    expect([...said].filter((program) => !rows.some((row) => row.program === program))).toEqual([]);
  });

  it('no entry is in it twice, and each can match', () => {
    const names = rows.flatMap((row) => row.names);
    expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
    for (const name of names)
      expect([name, autoRunFiles.placeIn(`a/${name.replaceAll('*', 'x')}`)?.rule !== undefined]).toEqual([name, true]);
  });
});
