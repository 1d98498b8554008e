import { describe, expect, it } from 'vitest';
import { javascriptToolset } from '../../../src/toolsets/javascript/javascript-toolset.ts';
import { runInQuickJs } from '../../../src/toolsets/javascript/run-in-quickjs.ts';
import { toolsetUnderTest } from '../../tools/toolset-under-test.ts';

const javascript = toolsetUnderTest(javascriptToolset, { timeout: '1s', max_memory_mb: 16 });
const run = (code: string): Promise<string> => javascript.run('run_javascript', { code });

/** Runs code as the process does, in this one. */
async function here(code: string): Promise<string> {
  const { console, dropped, value, error } = await runInQuickJs({ code, timeoutMs: 150, memoryMb: 16 });
  return JSON.stringify({ console: console.slice(0, 100), dropped, value, error });
}

describe('run_javascript', () => {
  it('gives the console and the value of the last expression', async () => {
    expect(await run('console.log("a", 1, { b: [2] }); console.error("bad"); ({ sum: [1, 2, 3].reduce((a, b) => a + b) })')).toBe(
      '--- console\na 1 { b: [ 2 ] }\nerror: bad\n\n--- value\n{ sum: 6 }',
    );
    expect(await run('let x = 1; undefined')).toBe('(no output)');
    expect(await run('Promise.resolve(6).then((six) => six * 7)')).toBe('--- value\n42');
    const { content, isError } = await javascript.call('run_javascript', { code: 'console.log("before"); while (true);' });
    expect([content, isError]).toEqual(['--- console\nbefore\n\n--- error\nit took longer than its timeout', true]);
    expect(await run('const x = await Promise.resolve(7); console.log(x)')).toContain('--- console\n7\n');
  });

  it.each([
    ['a loop that never ends', 'console.log("before"); while (true);', /before[^]*took longer than its timeout/],
    ['a loop that catches everything', 'for (;;) { try { for (;;); } catch {} }', /took longer than its timeout/],
    [
      'memory without end',
      'const all = []; for (;;) all.push({ a: 1 })',
      /out of memory|It has 16 MB of memory|longer than its timeout/,
    ],
    ['a text that doubles', 'let s = "x"; for (;;) s += s', /out of memory|invalid string length|string too long/i],
    ['calls without end', 'function f() { return f() + 1 } f()', /stack overflow|Maximum call stack/i],
    ['deep nesting', `${'['.repeat(50_000)}${']'.repeat(50_000)}`, /stack/i],
    ['promises without end', '(function f() { Promise.resolve().then(f) })()', /took longer than its timeout/],
    ['a promise nobody settles', 'new Promise(() => {})', /a promise that nothing can settle/],
    ['a flood of output', 'for (let i = 0; i < 1e5; i++) console.log("x".repeat(100))', /"dropped":[1-9]|timeout/],
    ['an error', 'function inner() { throw new TypeError("no") }\ninner()', /TypeError: no\\n\s+at inner \(<code>/],
    ['something thrown that is no error', 'throw { odd: 1 }', /thrown: \{ odd: 1 \}/],
    ['a pattern that takes for ever', '/^(a+)+$/.test("a".repeat(40) + "b")', /took longer than its timeout|interrupted/],
    ['no syntax', 'let let = ;', /SyntaxError/],
    ['a value that is itself', 'const a = {}; a.a = a; a', /"value"/],
    ['a getter that throws', '({ get x() { throw new Error("got") } })', /"(value|error)"/],
  ])('X7: %s is over soon, and said', async (_what, code, said) => {
    expect(await here(code)).toMatch(said);
  });

  it('has neither files nor network nor the process', async () => {
    const names = ['process', 'require', 'fetch', 'XMLHttpRequest', 'WebAssembly', 'Deno', 'Bun', 'setTimeout', 'std', 'os'];
    expect(await run(`${JSON.stringify(names)}.filter((name) => name in globalThis).join() || "none"`)).toBe('--- value\nnone');
    expect(await run('await import("node:fs")')).toContain('--- error');
    expect(await run('(function () { return this.constructor.constructor("return typeof process")() })()')).toBe(
      '--- value\nundefined',
    );
  });

  it('keeps nothing of this thread waiting, and is over when its call is aborted', async () => {
    const abort = new AbortController();
    const calling = javascript.call(
      'run_javascript',
      { code: 'while (true);', timeout: 60 },
      { ...javascript.context, signal: abort.signal },
    );
    let ticks = 0;
    const ticking = setInterval(() => (ticks += 1), 10);
    setTimeout(() => abort.abort(new Error('enough')), 300);
    await expect(calling).rejects.toThrow('enough');
    clearInterval(ticking);
    expect(ticks).toBeGreaterThan(3);
  });
});
