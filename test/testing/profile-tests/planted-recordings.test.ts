import { link, symlink } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { readSuite } from '../../../src/testing/evals/suite/read-suite.ts';
import { readGroups } from '../../../src/testing/cases/read-groups.ts';
import { findRecorded } from '../../../src/testing/play/recorded-source.ts';
import { homeSecret, plant } from '../../files/planted-links.ts';

const refused = { code: 'PATH_REFUSED' };

describe('F72: what a test reads shows nothing from outside its project', () => {
  it('a recording that a test names lies in the project, and behind no link', async () => {
    const { project, home } = await plant({ '.git/HEAD': '', 'tests/a.json': 'no bundle' });
    const folder = path.join(project, 'tests');
    await symlink(path.join(home, '.profile'), path.join(folder, 'b.json'));
    for (const reference of ['../../home/.profile/t1', `${home}/.profile/t1`, 'b.json/t1']) {
      const failure = await findRecorded(reference, { folder, records: undefined }).catch((thrown: unknown) => thrown);
      expect(failure).toMatchObject(refused);
      expect(String(failure)).not.toContain(homeSecret);
    }
    for (const reference of ['a.json/t1', '../tests/a.json/t1'])
      await expect(findRecorded(reference, { folder, records: undefined })).rejects.toMatchObject({ code: 'BUNDLE_INVALID' });
  });

  it('a test file and an eval suite are no links out of the project, whose text a message would quote', async () => {
    const { project, home } = await plant({ '.git/HEAD': '' });
    for (const name of ['a.test.yaml', 'a.eval.yaml']) await symlink(path.join(home, '.profile'), path.join(project, name));
    await expect(readGroups({ testFiles: [path.join(project, 'a.test.yaml')], profileFiles: [] })).rejects.toMatchObject(refused);
    await expect(readSuite(path.join(project, 'a.eval.yaml'))).rejects.toMatchObject(refused);
    // A hard link cannot be told from a file.
    await link(path.join(home, '.profile'), path.join(project, 'b.eval.yaml'));
    await expect(readSuite(path.join(project, 'b.eval.yaml'))).rejects.toMatchObject({ code: 'PROFILE_INVALID' });
  });
});
