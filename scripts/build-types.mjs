// Writes the types of the package's entry points into dist/: the declarations they reach, and no others.
import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..');
const { exports } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
const compiler = path.join(path.dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc');
const all = mkdtempSync(path.join(tmpdir(), 'cadre-types-'));
try {
  execFileSync(process.execPath, [compiler, '-p', path.join(root, 'tsconfig.build.json'), '--outDir', all], { stdio: 'inherit' });
  const entries = Object.values(exports).flatMap((to) => (typeof to === 'string' ? [] : [to.types.replace('./dist/', '')]));
  for (const name of reached(entries)) {
    const to = path.join(root, 'dist', name);
    mkdirSync(path.dirname(to), { recursive: true });
    copyFileSync(path.join(all, name), to);
  }
} finally {
  rmSync(all, { recursive: true, force: true });
}

function reached(entries) {
  const found = new Set(entries);
  for (const name of found) {
    const text = readFileSync(path.join(all, name), 'utf8');
    for (const [, to] of text.matchAll(/(?:from|import\(|import)\s*['"](\.[^'"]+)['"]/g)) {
      const next = path.join(path.dirname(name), to.replace(/\.(?:js|ts)$/, '.d.ts'));
      if (!existsSync(path.join(all, next))) throw new Error(`${name} imports ${to}, which has no declaration`);
      found.add(next);
    }
  }
  return found;
}
