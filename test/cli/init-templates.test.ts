import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { templates } from '../../src/cli/starter/templates/all-templates.ts';
import { whyNoSandbox } from '../tools/toolset-under-test.ts';
import { runCli, temporaryFolder } from './cli-process.ts';

/** What the first command of each template prints, its exit code, and files that it writes. */
const expected: Readonly<Record<string, { readonly code: number; readonly out: RegExp; readonly writes?: string }>> = {
  research: { code: 0, out: /^# How do I water tomatoes\?\n\n> Water tomatoes deeply/ },
  chat: { code: 1, out: /^$/ },
  coding: { code: 0, out: /^sum subtracted where it should add; sum\.sh adds now\. The test says: passed\n$/ },
  data: { code: 0, out: /^Coffee brings the most: 6415 \(sales\.csv\)/, writes: 'data/charts/revenue_by_product.svg' },
  empty: { code: 0, out: /^You said: Hello\./ },
};

describe('cadre init --template', () => {
  it.for(templates.map(({ name }) => name))(
    '%s writes a project without warnings, whose first command does what it says',
    async (name, { skip }) => {
      skip(name === 'coding' && whyNoSandbox() !== undefined, 'there is no sandbox here');
      const cwd = await temporaryFolder();
      const written = await runCli(['init', '--template', name], { cwd });
      const template = templates.find((each) => each.name === name);
      const [first = [], ...others] = template?.next ?? [];
      expect(written.out).toContain(`${first[0]} `);
      expect((await runCli(['validate'], { cwd })).out).toContain('0 errors, 0 warnings');
      const { code, out, err } = await runCli(first, { cwd });
      expect([code, out], err).toEqual([expected[name]?.code, expect.stringMatching(expected[name]?.out ?? /^$/)]);
      const { writes } = expected[name] ?? {};
      if (writes !== undefined) expect(await readdir(path.join(cwd, path.dirname(writes)))).toContain(path.basename(writes));
      const [second = []] = others;
      expect((await runCli(second, { cwd })).out).not.toBe('');
    },
  );

  it('another name is refused with those there are', async () => {
    const { code, err } = await runCli(['init', '--template', 'nonsense'], { cwd: await temporaryFolder() });
    expect([code, err]).toEqual([2, expect.stringContaining('research, chat, coding, data, empty')]);
  });
});
