import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/core/json.ts';
import { pythonToolset } from '../../../src/toolsets/python/python-toolset.ts';
import { isInstalled, isAlive, toolsetUnderTest } from '../../tools/toolset-under-test.ts';

const usable = isInstalled('python3');
if (!usable) console.warn('tests of python are skipped: python3 is not installed (apt-get install python3)');

const python = toolsetUnderTest(pythonToolset, {
  sandbox: false,
  grace: '200ms',
  max_memory_mb: 512,
  // The system's own first: one that is chosen by a script takes several times as long to start.
  env: { PATH: `/usr/bin:${process.env['PATH'] ?? ''}` },
});
const { workspace } = python;
const run = (code: string, more: JsonObject = {}): Promise<string> => python.run('run_python', { code, ...more });

afterAll(async () => {
  await python.close();
  rmSync(workspace, { recursive: true, force: true });
});

/** One pixel. */
const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

describe.skipIf(!usable)('run_python', () => {
  it('[A2.3.python] [B.90] gives what is printed, the value of the last expression, and both streams apart', async () => {
    const text = await run('import sys\nprint("out")\nprint("err", file=sys.stderr)\n[x * x for x in range(4)]');
    expect(text).toMatch(
      /^exit code 0 after \d+\.\d\d s\n--- stdout \(\d+ bytes\)\nout\n\[0, 1, 4, 9\]\n\n--- stderr \(4 bytes\)\nerr\n$/,
    );
  });

  it('shows the error as Python does, without what is not the code', async () => {
    const { content, isError } = await python.call('run_python', { code: 'def f():\n  return 1 / 0\nprint("before")\nf()' });
    expect(isError).toBe(true);
    expect(content).toContain('before');
    expect(content).toContain('Traceback (most recent call last):\n  File "<code>", line 4, in <module>\n    f()');
    expect(content).toContain('ZeroDivisionError: division by zero');
    expect(content).not.toContain('ast.parse');
    expect(await run('def f(:\n  pass')).toContain('SyntaxError');
    expect((await python.call('run_python', { code: 'import sys; sys.exit(3)' })).content).toContain('exit code 3');
  });

  it('works in the workspace, lists the files it writes and shows small images', async () => {
    writeFileSync(path.join(workspace, 'helper.py'), 'VALUE = 41\n');
    writeFileSync(path.join(workspace, 'json.py'), 'raise SystemExit("a file stood in for a module")\n');
    const { content } = await python.call('run_python', {
      code: `import base64, json, os, helper\nos.makedirs("out", exist_ok=True)\nopen("out/plot.png", "wb").write(base64.b64decode("${png}"))\nopen("text.csv", "w").write("a,b")\nprint(helper.VALUE + 1)`,
    });
    expect(content).toMatchObject([
      {
        type: 'text',
        text: expect.stringMatching(/42[^]*--- files written\n"out\/plot.png" \(70 bytes\)\n"text.csv" \(3 bytes\)$/) as unknown,
      },
      { type: 'file', mediaType: 'image/png', filename: 'plot.png', data: { type: 'data', data: png } },
    ]);
    expect(await run('1')).not.toContain('files written');
  });

  it('[A2.3.python] [B.90] X2: is ended at its timeout with all it started, and bounded in memory', async () => {
    const { content, isError } = await python.call('run_python', {
      code: 'import os, signal, subprocess\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\nchild = subprocess.Popen(["sleep", "1000"], start_new_session=True)\nopen("child.pid", "w").write(str(child.pid))\nwhile True: pass',
      timeout: 0.6,
    });
    expect(isError).toBe(true);
    expect(content).toContain('took longer than its timeout');
    expect(isAlive(readFileSync(path.join(workspace, 'child.pid'), 'utf8'))).toBe(false);
    expect(await run('x = "a" * (2 << 30)')).toContain('MemoryError');
  });

  it('sees no variables of the engine, and reads no settings of a user', async () => {
    process.env['CADRE_TEST_SECRET'] = 'canary-5';
    const text = await run('import os, sys\nprint(dict(os.environ), sys.flags.isolated, input if False else "")');
    delete process.env['CADRE_TEST_SECRET'];
    expect(text).not.toContain('canary-5');
    expect(text).toContain('} 1 ');
    expect(await run('input()')).toContain('EOFError');
  });
});

describe('a Python that is not there', () => {
  it('is named, with what to install', async () => {
    const missing = toolsetUnderTest(pythonToolset, { sandbox: false, python: 'python-that-is-not-there' });
    await expect(missing.run('run_python', { code: '1' })).rejects.toMatchObject({
      code: 'DEPENDENCY_MISSING',
      message: expect.stringMatching(/apt-get install -y python3|brew install python/) as unknown,
    });
    await missing.close();
  });
});
