import { expect, it } from 'vitest';
import { servedDocs } from '../../src/cli/docs-folder.ts';
import { createDocumentTools } from '../../src/tools/documents/create-document-tools.ts';
import { temporaryFolder } from './cli-process.ts';

it('serving needs no documents: the tools say what is missing when they are called', async () => {
  const root = await servedDocs(undefined, () => undefined);
  using documents = createDocumentTools({ root });
  expect(documents.tools.map(({ name }) => name)).toContain('search_documents');
  await expect(documents.stats()).rejects.toMatchObject({
    code: 'OPTION_INVALID',
    message: expect.stringContaining('--docs DIR') as string,
  });
});

it('a folder that is named must hold documents', async () => {
  await expect(servedDocs(await temporaryFolder(), () => undefined)).rejects.toMatchObject({ code: 'DOCS_UNREADABLE' });
});
