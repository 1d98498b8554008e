import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { knownDocumentTools } from '../../src/cli/options/known-document-tools.ts';
import { unreadFilesLine, runDocs, servedDocs, worksOnDocuments } from '../../src/cli/options/docs-folder.ts';
import { profilesFolder } from '../../src/cli/options/profiles-folder.ts';
import { createEngine } from '../../src/engine/create-engine.ts';
import { createDocumentTools } from '../../src/toolsets/documents/create-document-tools.ts';
import { runCli, temporaryFolder } from './cli-process.ts';

it('serving needs no documents: the tools say what is missing when they are called', async () => {
  const root = await servedDocs(undefined, { shipped: () => undefined });
  using documents = createDocumentTools({ root });
  expect(documents.tools.map(({ name }) => name)).toContain('search_documents');
  await expect(documents.stats()).rejects.toMatchObject({
    code: 'OPTION_INVALID',
    message: expect.stringContaining('--docs PATH') as string,
  });
});

it('a folder that is named must hold documents', async () => {
  await expect(servedDocs(await temporaryFolder())).rejects.toMatchObject({ code: 'DOCS_UNREADABLE' });
});

it('only teams that name the tools of documents need some', async () => {
  expect((await runDocs(undefined, { shipped: () => undefined })).docs).toBeUndefined();
  await expect(runDocs(await temporaryFolder())).rejects.toMatchObject({ code: 'DOCS_UNREADABLE' });
  const needs = async (team: string): Promise<boolean> => {
    const tools = knownDocumentTools();
    await using engine = await createEngine({ profiles: profilesFolder(team), tools, store: 'memory' });
    return worksOnDocuments(engine.profiles, tools);
  };
  expect(await needs('commonground')).toBe(true);
  for (const team of ['openmanus', 'seeingeye', 'agent_framework', 'anges']) expect(await needs(team)).toBe(false);
});

it('documents that no tool has looked at are not read', async () => {
  using documents = createDocumentTools({ root: 'docs' });
  expect(documents.isRead).toBe(false);
  await documents.stats();
  expect(documents.isRead).toBe(true);
});

it('F33: what will not be read is said when a run begins, to teams that work on documents', async () => {
  const docs = await temporaryFolder();
  for (const name of ['a.md', 'b.docx', 'c.docx']) await writeFile(path.join(docs, name), 'text');
  const tools = knownDocumentTools();
  const lineOf = async (team: string | undefined, folder: string): Promise<string> => {
    await using engine = await createEngine({ profiles: profilesFolder(team), tools, store: 'memory' });
    return await unreadFilesLine(folder, engine.profiles, tools);
  };
  expect(await lineOf('commonground', docs)).toBe(`Documents in ${docs} that are not read: 2 .docx.\n`);
  expect(await lineOf('commonground', path.join(docs, 'a.md'))).toBe('');
  expect(await lineOf('openmanus', docs)).toBe('');
});

it('F26: a folder docs beside a team that has no use for it may be empty, and one that works on documents says what is wrong with it', async () => {
  const cwd = await temporaryFolder();
  const write = async (file: string, text: string): Promise<void> => {
    await mkdir(path.dirname(path.join(cwd, file)), { recursive: true });
    await writeFile(path.join(cwd, file), text);
  };
  await write('docs/drawing.pdf', '%PDF');
  await write(
    'agent_profiles/llm_configs/default.yaml',
    'name: default\ntype: llm_config\nconfig: { provider: scripted, script: s.yaml }\n',
  );
  await write('agent_profiles/s.yaml', 'rules: []\notherwise: { text: Done. }\n');
  const solo = 'name: Solo\ntype: partner\ninstructions: You work.\n';
  await write('agent_profiles/profiles/Solo.yaml', solo);
  expect(await runCli(['run', 'Go.'], { cwd })).toMatchObject({ code: 0, out: expect.stringContaining('Done.') as string });
  await write('agent_profiles/profiles/Solo.yaml', `${solo}tool_access_policy: { allowed_individual_tools: [search_documents] }\n`);
  const { code, err } = await runCli(['run', 'Go.'], { cwd });
  expect([code, err]).toEqual([2, expect.stringMatching(/docs" holds no readable document.*\.pdf/)]);
});
