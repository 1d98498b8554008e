import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { createProgram } from '../../src/cli/program.ts';
import { codeWords, readPage, readPages, readText, root } from './read-markdown.ts';

const pages = readPages();

describe('commands', () => {
  const scripts = (JSON.parse(readText('package.json')) as { readonly scripts: Readonly<Record<string, string>> }).scripts;
  const program = createProgram(() => undefined);
  const commandOf = (name: string | undefined): Command | undefined => program.commands.find((command) => command.name() === name);

  /** What is wrong with a shell command of the docs; undefined when all it names exists. */
  function fault(words: readonly string[]): string | undefined {
    const [first, second, third, ...rest] = words.filter((word) => !/^[A-Z_]+=/.test(word));
    // Variables alone.
    if (first === undefined) return undefined;
    if (first === 'npm' && (second === 'ci' || second === 'install')) return undefined;
    if (first === 'npm' && second === 'test') return undefined;
    if (first === 'npm' && second === 'start') return cadreFault('run', third === '--' ? rest : []);
    if (first === 'npm' && second === 'run' && third !== undefined) {
      if (scripts[third] === undefined) return `there is no npm script ${third}`;
      return third === 'cadre' && rest.length > 1 ? cadreFault(rest[1], rest.slice(2)) : undefined;
    }
    if (first === 'npx' && second === 'node')
      return existsSync(path.join(root, third ?? '')) || third === 'FILE.ts' ? undefined : `there is no file ${third}`;
    if (first === 'npx' && existsSync(path.join(root, 'node_modules', '.bin', second ?? ''))) return undefined;
    if (first === 'cadre') return cadreFault(second, [third ?? '', ...rest]);
    if (first === 'npx' && second === 'cadre') return cadreFault(third, rest);
    return `the command ${first} is not known here`;
  }

  function cadreFault(name: string | undefined, words: readonly string[]): string | undefined {
    if (name === '--help') return undefined;
    const found = commandOf(name);
    // A command of a command, as in `cadre import commonground`, has options of its own besides.
    const inner = found?.commands.find((each) => each.name() === words[0]);
    const command = inner ?? found;
    if (command === undefined) return `cadre has no command ${name}`;
    const options = new Set(command.options.map((option) => option.long));
    return words
      .filter((word) => word.startsWith('--') && !options.has(word))
      .map((word) => `cadre ${name} has no option ${word}`)[0];
  }

  /** Words of a command, quoted ones as one. */
  const split = (line: string): readonly string[] => [...line.matchAll(/"[^"]*"|\S+/g)].map((match) => match[0]);

  it('every command in a shell block exists, with its options', () => {
    const lines = pages
      .flatMap((page) => page.blocks)
      .filter((block) => block.info === 'sh')
      .flatMap((block) =>
        block.text
          .trim()
          .split('\n')
          .flatMap((line) => line.split(' && ').map((part) => [`${block.file}:${block.line}`, part] as const)),
      );
    expect(lines.length).toBeGreaterThan(8);
    expect(lines.flatMap(([place, line]) => (fault(split(line)) === undefined ? [] : [`${place} ${fault(split(line))}`]))).toEqual(
      [],
    );
  });

  it('every command in the text exists, with its options', () => {
    const words = pages.flatMap((page) => codeWords(page.prose).map((word) => [page.file, word] as const));
    const commands = words.filter(([, word]) => /^(?:npm|npx|cadre) /.test(word));
    expect(commands.length).toBeGreaterThan(8);
    expect(
      commands.flatMap(([file, word]) => (fault(split(word)) === undefined ? [] : [`${file} \`${word}\`: ${fault(split(word))}`])),
    ).toEqual([]);
  });

  it('the changelog names every command of the command line', () => {
    const named = new Set(codeWords(readPage('CHANGELOG.md').prose));
    expect(program.commands.map((command) => command.name()).filter((name) => !named.has(name))).toEqual([]);
  });
});
