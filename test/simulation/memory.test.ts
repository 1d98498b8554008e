import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';

it('a simulated world that is over is let go, and all its engines with it', () => {
  const simulation = new URL('simulation.ts', import.meta.url).href;
  // Runs in a separate process, since it measures the heap after a collection.
  const program = `
    const { simulate } = await import(${JSON.stringify(simulation)});
    const heap = async () => {
      await new Promise((resolve) => setTimeout(resolve, 50));
      gc();
      return process.memoryUsage().heapUsed / 1e6;
    };
    let seed = 1;
    for (; seed <= 20; seed += 1) await simulate({ seed });
    const before = await heap();
    for (; seed <= 60; seed += 1) await simulate({ seed });
    process.stdout.write(JSON.stringify((await heap()) - before));
  `;
  const grown = execFileSync(process.execPath, ['--expose-gc', '--no-warnings', '--input-type=module', '-e', program], {
    encoding: 'utf8',
  });
  // One world that is kept is 0.8 MB: forty are 29 to 35.
  expect(Number(grown)).toBeLessThan(12);
});
