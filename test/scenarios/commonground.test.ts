import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { ProfileSet } from '../../src/core/profile/profile.ts';
import { createEngine, type EngineOptions, loadProfiles, type Run } from '../../src/index.ts';
import { createMemoryJournal, scriptedModel, type ScriptedReply } from '../../src/testing/index.ts';
import { createDocumentTools } from '../../src/toolsets/documents/create-document-tools.ts';
import { createWebToolset } from '../../src/toolsets/web/web-toolset.ts';
import { mcpToolset } from '../../src/toolsets/mcp/mcp-toolset.ts';
import { call, resultOf, systemOf, toolsOf } from './scenario.ts';
import { verifyRun } from '../support/verify-run.ts';

const folder = path.join(import.meta.dirname, '../../agent_profiles/commonground');
const kinds = ['WebSearcher', 'Analyst', 'InsightGenerator'];
const focuses = ['Academic', 'Business', 'Technical'];
const offStage = ['Associate_GenericExecutor', 'Associate_PlaywrightExecutor'];

function scratch(files: Readonly<Record<string, string>> = {}): string {
  const made = mkdtempSync(path.join(tmpdir(), 'commonground-'));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(made, name)), { recursive: true });
    writeFileSync(path.join(made, name), text);
  }
  return made;
}

/** Runs one profile of the family by itself, over a workspace, with these replies. */
async function work(
  profile: string,
  replies: readonly ScriptedReply[],
  { files, ...options }: Partial<EngineOptions> & { readonly files?: Readonly<Record<string, string>> } = {},
): Promise<{ readonly run: Run; readonly model: ReturnType<typeof scriptedModel>; readonly workspace: string }> {
  const workspace = scratch(files);
  const documents = createDocumentTools({ root: workspace, outDir: workspace });
  const model = scriptedModel(replies);
  const store = createMemoryJournal();
  const engine = await createEngine({
    profiles: folder,
    models: { default: model },
    tools: documents.tools,
    store,
    workspace,
    env: {},
    ...options,
  });
  onTestFinished(async () => {
    await engine.close();
    documents[Symbol.dispose]();
  });
  const run = await engine.launch({ profile, input: 'Do your module.' });
  await run.settled();
  await verifyRun(run, store, { requests: model.requests });
  return { run, model, workspace };
}

describe('[A1.12.associate-family] CommonGround as a team of its own', () => {
  let set: ProfileSet;
  beforeAll(async () => {
    set = await loadProfiles(folder, { env: {} });
  });

  it('is the bundled team with the family beside it, and nothing of it is written twice', () => {
    // What a machine lacks is said, and breaks nothing.
    expect(set.warnings).toMatchObject([{ code: 'BAD_ENVIRONMENT_VALUE', message: expect.stringContaining('PLAYWRIGHT_MCP_URL') }]);
    expect(set.team).toMatchObject({ name: 'commonground', defaultProfile: 'Partner' });
    const family = [
      ...kinds.flatMap((kind) => [`Associate_${kind}`, ...focuses.map((focus) => `Associate_${kind}_${focus}`)]),
      'Associate_DocumentResearcher',
      'Associate_LocalRAG',
      'Associate_SmartRAG',
      'Associate_WebDeveloper',
    ];
    const staffable = [...set.profiles.values()].filter((profile) => profile.availableForStaffing).map(({ name }) => name);
    expect(staffable.toSorted()).toEqual(family.toSorted());
    expect(offStage.map((name) => set.profiles.get(name)?.availableForStaffing)).toEqual([false, false]);
    expect([...set.profiles.values()].map(({ type }) => type).filter((type) => type !== 'base' && type !== 'associate')).toEqual([
      'partner',
      'principal',
    ]);
    const names = [...set.profiles.values()].map(({ source }) => source.file);
    expect(new Set(names).size).toBe(names.length);
  });

  it('is not read with the folder above it', async () => {
    const bundled = await loadProfiles(path.dirname(folder), { env: {} });
    expect([...bundled.profiles.keys()].filter((name) => name.startsWith('Associate'))).toEqual(['Associate_DocumentResearcher']);
  });

  it.each(kinds.flatMap((kind) => focuses.map((focus) => [kind, focus] as const)))(
    '%s for %s questions does what its kind does, with eyes of its own',
    (kind, focus) => {
      const profile = set.profiles.get(`Associate_${kind}_${focus}`);
      const plain = set.profiles.get(`Associate_${kind}`);
      expect(profile?.segments.map(({ id }) => id)).toEqual(expect.arrayContaining(['role', 'method', 'focus', 'how_to_act']));
      expect(plain?.segments.map(({ id }) => id)).not.toContain('focus');
      expect(profile?.allowedToolsets).toEqual(plain?.allowedToolsets);
      expect(profile?.description).not.toBe(plain?.description);
      expect(profile?.resolved['deliverables_schema']).toEqual(plain?.resolved['deliverables_schema']);
    },
  );

  it('a WebSearcher searches, and hands in what fits its schema, or is told what does not', async () => {
    const asked: string[] = [];
    const web = createWebToolset({
      searchProviders: [
        {
          name: 'shelf',
          search: async (query) => {
            asked.push(query);
            return await Promise.resolve([{ title: 'Tea', url: 'https://tea.example/', snippet: 'Green tea wants 80 °C.' }]);
          },
        },
      ],
    });
    const source = { url: 'https://tea.example/', title: 'Tea', quote: 'Green tea wants 80 °C.' };
    const { run, model } = await work(
      'Associate_WebSearcher_Academic',
      [
        call('search_web', { query: 'green tea temperature' }),
        call('finish_flow', { summary: '80 °C', deliverables: { primary_summary: '80 °C' } }),
        call('finish_flow', { summary: '80 °C', deliverables: { primary_summary: '80 °C', sources: [source] } }),
      ],
      { toolsets: { web } },
    );
    expect(asked).toEqual(['green tea temperature']);
    expect(resultOf(run, 'search_web')).toContain('https://tea.example/');
    expect(resultOf(run, 'finish_flow')).toContain('sources');
    expect((await run.result).deliverables).toMatchObject({ sources: [source] });
    expect(systemOf(model.requests[0])).toMatch(/Put the question into up to five short searches[^]*Peer-reviewed/);
    expect(toolsOf(model.requests[0])).toEqual(
      expect.arrayContaining(['search_web', 'fetch_page', 'read_knowledge', 'finish_flow']),
    );
  });

  it('a SmartRAG has the kept results, the files and the web; a GenericExecutor changes files', async () => {
    const { model } = await work('Associate_SmartRAG', [
      call('finish_flow', { summary: 'x', deliverables: { primary_summary: 'x', passages: [] } }),
    ]);
    expect(toolsOf(model.requests[0])).toEqual(
      expect.arrayContaining(['list_knowledge', 'index_documents', 'search_knowledge', 'sources_read_file', 'search_web']),
    );
    expect(toolsOf(model.requests[0])).not.toContain('sources_write_file');
    const generic = await work('Associate_GenericExecutor', [
      call('write_file', { path: 'note.txt', content: 'done' }),
      call('finish_flow', { summary: 'Written.', deliverables: { primary_summary: 'Written.', files: ['note.txt'] } }),
    ]);
    expect((await generic.run.result).deliverables).toMatchObject({ files: ['note.txt'] });
    expect(readFileSync(path.join(generic.workspace, 'note.txt'), 'utf8')).toBe('done');
  });

  it('a PlaywrightExecutor has the tools of its MCP server; without one it is told so, and nobody else notices', async () => {
    const finish = call('finish_flow', { summary: 'No browser.', deliverables: { primary_summary: 'No browser.' } });
    const without = await work('Associate_PlaywrightExecutor', [finish]);
    expect(toolsOf(without.model.requests[0])).toEqual(expect.not.arrayContaining(['playwright_browser_snapshot']));
    const alone = await work('Associate_PlaywrightExecutor', [finish], { env: { PLAYWRIGHT_MCP_URL: 'http://127.0.0.1:9/mcp' } });
    expect(toolsOf(alone.model.requests[0])).not.toContain('playwright_browser_snapshot');
    expect((await alone.run.result).status).toBe('completed');
    const script = path.join(
      scratch({ 'script.json': JSON.stringify({ tools: [{ name: 'browser_snapshot', inputSchema: { type: 'object' } }] }) }),
      'script.json',
    );
    const server = path.join(import.meta.dirname, '../toolsets/mcp/scripted-server.ts');
    const playwright = mcpToolset({ command: process.execPath, args: [server, script] });
    const served = await work('Associate_PlaywrightExecutor', [finish], { toolsets: { playwright } });
    expect(toolsOf(served.model.requests[0])).toContain('playwright_browser_snapshot');
  });
});

describe('[A1.7.run-types] what a run begins with is what kind of run it is', () => {
  it('a Partner talks and waits, a Principal does its work and ends; both are on record', async () => {
    const partner = await work('Partner', [{ text: 'What may I look up?' }]);
    expect(partner.run.state.status).toBe('awaiting');
    const principal = await work('Principal', [
      call('finish_flow', { summary: 'Nothing to do.', deliverables: { primary_summary: 'x' } }),
    ]);
    expect(await principal.run.result).toMatchObject({ status: 'completed', output: 'Nothing to do.' });
    const typeOf = ({ run }: typeof partner) => run.turns()[0]?.agentInfo.profileType;
    expect([typeOf(partner), typeOf(principal)]).toEqual(['partner', 'principal']);
  });
});
