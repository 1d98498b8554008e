// Loads code in a process of its own, as Node imports it: test runners replace `import()`.
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { folderCode } from '../../../src/engine/toolsets/folder-code.ts';
import { codeLines } from '../../../src/engine/launch/reach-of-profiles.ts';

/** What is done with the code of a folder, in order. */
export type Step =
  | { readonly do: 'read'; readonly file?: string }
  | { readonly do: 'load'; readonly file?: string }
  | { readonly do: 'call'; readonly name: string }
  | { readonly do: 'write'; readonly file: string; readonly text: string };

/** Does the steps, and returns what each returned or the message of its error. */
async function run(root: string, steps: readonly Step[]): Promise<readonly unknown[]> {
  const codes = new Map<string, ReturnType<typeof folderCode>>();
  const codeOf = (file = 'check.mjs'): ReturnType<typeof folderCode> => {
    const code = codes.get(file) ?? folderCode(root, file);
    codes.set(file, code);
    return code;
  };
  let exports: Readonly<Record<string, unknown>> = {};
  const doStep = async (step: Step): Promise<unknown> => {
    switch (step.do) {
      case 'read':
        return await codeLines(await codeOf(step.file).read());
      case 'load':
        exports = await codeOf(step.file).load();
        return Object.keys(exports).toSorted();
      case 'call':
        return await (exports[step.name] as () => unknown)();
      case 'write':
        return await writeFile(path.join(root, step.file), step.text);
    }
  };
  const results: unknown[] = [];
  for (const step of steps)
    results.push(
      await doStep(step).catch((thrown: unknown) => `failed: ${thrown instanceof Error ? thrown.message : String(thrown)}`),
    );
  return results;
}

const [root = '', steps = '[]'] = process.argv.slice(2);
process.stdout.write(JSON.stringify(await run(root, JSON.parse(steps) as readonly Step[])));
