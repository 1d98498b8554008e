import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { collectFiles, withFiles } from '../../src/cli/options/attachments-option.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'cadre-option-'));
  await writeFile(path.join(folder, 'a.txt'), 'words');
  await writeFile(path.join(folder, 'empty.txt'), '');
  await writeFile(path.join(folder, 'huge.bin'), '');
  await truncate(path.join(folder, 'huge.bin'), 2 ** 30);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('--attach', () => {
  it('brings files along with the question, in order', async () => {
    expect(collectFiles('b', collectFiles('a', undefined))).toEqual(['a', 'b']);
    expect(await withFiles('Why?', undefined)).toBe('Why?');
    expect(await withFiles('Why?', [path.join(folder, 'a.txt')])).toEqual({
      prompt: 'Why?',
      attachments: [{ data: Buffer.from('words').toString('base64'), filename: 'a.txt' }],
    });
  });

  it.each([
    ['no.png', /ENOENT/],
    ['empty.txt', /it is empty/],
    ['huge.bin', /larger than 20000000 bytes \(1073741824\)/],
    ['.', /no regular file/],
  ])('says which file it cannot read, and why: %s', async (name, reason) => {
    const file = path.join(folder, name);
    await expect(withFiles('Why?', [file])).rejects.toMatchObject({
      code: 'OPTION_INVALID',
      message: expect.stringMatching(reason),
    });
  });
});
