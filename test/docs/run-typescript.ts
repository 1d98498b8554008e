import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { onTestFinished } from 'vitest';
import { root, type Block } from './read-markdown.ts';

const run = promisify(execFile);

/** Where Node keeps sources it has compiled: every program loads the same ones. */
export const compileCache = { NODE_COMPILE_CACHE: path.join(root, 'test-results', 'compiled') };

/** Runs a program of the project in its folder and returns what it printed. */
export async function runProgram(file: string, args: readonly string[] = []): Promise<string> {
  const { stdout } = await run(process.execPath, [file, ...args], { cwd: root, env: { ...process.env, ...compileCache } });
  return stdout;
}

/** Writes blocks as files into a fresh folder inside the project, with imports of the package led to its sources. */
export async function writeBlocks(
  blocks: readonly Block[],
): Promise<{ readonly folder: string; readonly files: readonly string[] }> {
  await mkdir(path.join(root, 'test-results'), { recursive: true });
  const folder = await mkdtemp(path.join(root, 'test-results', 'docs-'));
  onTestFinished(async () => await rm(folder, { recursive: true, force: true }));
  const sources = await packageSources();
  const files: string[] = [];
  for (const block of blocks) {
    const file = path.join(folder, `${block.file.replace(/\.md$/, '').replaceAll(/\W/g, '-')}-${block.line}.ts`);
    await writeFile(
      file,
      block.text.replaceAll(/from '(cadre(?:\/[\w-]+)?)'/g, (_, name: string) => `from '${sourceOf(sources, name, block)}'`),
    );
    files.push(file);
  }
  return { folder, files };
}

/** What the type checker says of the files in a folder, one line per error. */
export async function typeErrors(folder: string): Promise<readonly string[]> {
  await writeFile(path.join(folder, 'tsconfig.json'), JSON.stringify({ extends: '../../tsconfig.json', include: ['*.ts'] }));
  const compiler = path.join(root, 'node_modules', '.bin', 'tsc');
  const output = await run(compiler, ['-p', folder], { cwd: folder }).then(
    ({ stdout }) => stdout,
    (failure: { readonly stdout: string }) => failure.stdout,
  );
  // Errors elsewhere in the project are not the documentation's.
  return output.split('\n').filter((line) => line.includes('error') && !line.startsWith('..'));
}

/** The source file behind each entry point of the package. */
async function packageSources(): Promise<ReadonlyMap<string, string>> {
  const { exports } = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8')) as {
    readonly exports: Readonly<Record<string, string | { readonly default: string }>>;
  };
  return new Map(
    Object.entries(exports).flatMap(([key, target]) => {
      if (typeof target === 'string') return [];
      const source = target.default.replace(/^\.\/dist\//, '../../src/').replace(/\.js$/, '.ts');
      return [[key === '.' ? 'cadre' : `cadre/${key.slice(2)}`, source]];
    }),
  );
}

function sourceOf(sources: ReadonlyMap<string, string>, name: string, block: Block): string {
  const source = sources.get(name);
  if (source === undefined) throw new Error(`${block.file}:${block.line}: package.json exports no '${name}'`);
  return source;
}
