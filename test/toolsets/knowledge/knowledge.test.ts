import { readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { JsonObject } from '../../../src/core/json.ts';
import { fillTokens, parseToken, readKnowledge } from '../../../src/core/team/knowledge.ts';
import { Resources } from '../../../src/engine/effects/resources.ts';
import { defineTool } from '../../../src/index.ts';
import type { ScriptedReply } from '../../../src/models/scripted/scripted-reply.ts';
import type { EffectTool, ToolContext } from '../../../src/core/tool/tool.ts';
import { knowledgeToolset } from '../../../src/toolsets/knowledge/knowledge-toolset.ts';
import { toolReturn } from '../../../src/core/tool/tool-return.ts';
import { testEngine, waitsForUser } from '../../support/test-engine.ts';
import { verifyRun } from '../../support/verify-run.ts';
import { errorOf } from '../documents/call-tool.ts';
import { makeFolder, putFile } from '../../files/temp-folder.ts';
import { toolContext } from '../../tools/tool-context.ts';

const call = (name: string, args: JsonObject = {}): ScriptedReply => ({ toolCalls: [{ name, args }] });
const page = (topic: string): string => Array.from({ length: 400 }, (_, line) => `Line ${line} about ${topic}.`).join('\n');

const visit = defineTool({
  name: 'visit',
  description: 'Visits a page.',
  effect: 'pure',
  parameters: { type: 'object', properties: { url: { type: 'string' } } },
  execute: ({ url }: JsonObject) => page(String(url)),
});
const fails = defineTool({
  name: 'fails',
  description: 'Fails at length.',
  effect: 'pure',
  execute: () => toolReturn({ content: page('failure'), isError: true }),
});

const profile = (policy: string): string => `
tool_access_policy: { allowed_toolsets: [knowledge, visit, fails] }
${policy}
${waitsForUser}`;
const previews = profile('context_policy: { result_preview: 600 }');

describe('[A1.13.knowledge-base] [B.52] long results of tools', () => {
  it('are shown as a preview with a token, and read back in parts and by words', async () => {
    const { launch, model, journal } = await testEngine({
      profile: previews,
      tools: [visit, fails],
      replies: [
        call('visit', { url: 'tea' }),
        call('read_knowledge', { token: '<#KB-00001>', from: 100, chars: 50 }),
        call('read_knowledge', { token: 'KB-1', query: 'line 317' }),
        call('list_knowledge'),
        { text: 'Read.' },
      ],
    });
    const run = await launch();
    await run.settled();
    const [first, part, found, list] = run.turns().flatMap(({ toolInteractions }) => toolInteractions);
    expect(first?.content).toMatch(
      /^Line 0 about tea\.[^]*characters cut; the full result is stored as <#KB-00001>\][^]*Line 399 about tea\.$/,
    );
    expect(String(first?.content).length).toBeLessThanOrEqual(600);
    expect(part?.content).toContain(`100 to 150; go on with from: 150\n${page('tea').slice(100, 150)}`);
    expect(found?.content).toContain('318: Line 317 about tea.');
    expect(list?.content).toContain(`1 results are kept, ${page('tea').length} characters in all.\n<#KB-00001> visit "tea"`);
    expect(JSON.stringify(model.requests.at(-1)?.prompt)).not.toContain('Line 200 about tea');
    await verifyRun(run, journal);
  });

  it('keep their token when the same text comes again, and are shared by the team', async () => {
    const { launch } = await testEngine({
      profile: previews,
      tools: [visit, fails],
      replies: [call('visit', { url: 'tea' }), call('visit', { url: 'coffee' }), call('visit', { url: 'tea' }), { text: 'ok' }],
    });
    const run = await launch();
    await run.settled();
    const contents = run
      .turns()
      .flatMap(({ toolInteractions }) => toolInteractions.map(({ content }) => /<#KB-\d+>/.exec(String(content))?.[0]));
    expect(contents).toEqual(['<#KB-00001>', '<#KB-00002>', '<#KB-00001>']);
    expect([...readKnowledge(run.state.team.shared)].map(([token, { source, seen }]) => [token, source, seen])).toEqual([
      ['KB-00001', 'tea', 2],
      ['KB-00002', 'coffee', 1],
    ]);
  });

  it('are whole when the profile asks for no previews, when the tool failed, and when they are short', async () => {
    const plain = await testEngine({
      profile: profile(''),
      tools: [visit, fails],
      replies: [call('visit', { url: 'tea' }), { text: 'ok' }],
    });
    const run = await plain.launch();
    await run.settled();
    expect(run.turns()[0]?.toolInteractions[0]?.content).toBe(page('tea'));
    const failed = await testEngine({ profile: previews, tools: [visit, fails], replies: [call('fails'), { text: 'ok' }] });
    const other = await failed.launch();
    await other.settled();
    expect(String(other.turns()[0]?.toolInteractions[0]?.content)).toContain('Line 200 about failure');
    expect(other.state.team.shared).toEqual({});
  });

  it('reach files and readers whole: tokens are filled in by write_file and by run.withKnowledge', async () => {
    const { launch } = await testEngine({
      profile: profile('context_policy: { result_preview: 600 }').replace('[knowledge,', '[workspace, knowledge,'),
      tools: [visit, fails],
      replies: [
        call('visit', { url: 'tea' }),
        call('write_file', { path: 'tea.txt', content: '# Tea\n<#KB-00001>\n' }),
        { text: 'See <#KB-00001>.' },
      ],
    });
    const workspace = await makeFolder();
    const run = await launch('Go.', { workspace });
    await run.settled();
    expect(await readFile(path.join(workspace, 'tea.txt'), 'utf8')).toBe(`# Tea\n${page('tea')}\n`);
    expect(run.withKnowledge(run.turns().at(-1)?.reply.text ?? '')).toBe(`See ${page('tea')}.`);
  });

  it('[A1.3.dehydration] [D1.26] save tokens: ten pages cost the prompt a tenth of what they cost whole', async () => {
    const replies = [...Array.from({ length: 10 }, (_, number) => call('visit', { url: `topic ${number}` })), { text: 'done' }];
    // Of a source that is trusted: the frame of an untrusted page costs the same whether the page is whole or not.
    const trusted = { ...visit, trust: 'trusted' as const };
    const size = async (text: string): Promise<number> => {
      const { launch, model } = await testEngine({ profile: text, tools: [trusted, fails], replies });
      const run = await launch();
      await run.settled();
      return JSON.stringify(model.requests.at(-1)?.prompt).length;
    };
    const [without, withPreviews] = [await size(profile('')), await size(previews)];
    expect(without).toBeGreaterThan(100_000);
    expect(withPreviews / without).toBeLessThan(0.1);
  });

  it('can be read after a restart', async () => {
    const store = path.join(await makeFolder(), 'journal.db');
    const first = await testEngine({
      profile: previews,
      tools: [visit, fails],
      store,
      replies: [call('visit', { url: 'tea' }), { text: 'Waiting.' }],
    });
    const run = await first.launch();
    await run.settled();
    await first.engine.close();
    const second = await testEngine({
      profile: previews,
      tools: [visit, fails],
      store,
      replies: [call('read_knowledge', { token: '<#KB-00001>', query: 'line 250' }), call('visit', { url: 'tea' }), { text: 'ok' }],
    });
    onTestFinished(async () => await second.engine.close());
    const again = await second.engine.resume(run.id);
    await again.send('Go on.');
    await again.settled();
    const contents = again.turns().flatMap(({ toolInteractions }) => toolInteractions.map(({ content }) => String(content)));
    expect(contents.at(-2)).toContain('251: Line 250 about tea.');
    expect(contents.at(-1)).toContain('<#KB-00001>');
  });

  it.each(['KB-00007', '<#KB-99>', 'nothing', ''])('names the tokens there are when asked for %j', async (token) => {
    const { tool } = await openKnowledge();
    expect((await errorOf(tool('read_knowledge', { token }))).message).toContain('<#KB-00001>');
  });

  it('reads tokens however models write them, and replaces those it knows', () => {
    expect(['<#KB-00012>', '#KB-12', 'see KB-012.', 'KB'].map(parseToken)).toEqual(['KB-00012', 'KB-00012', 'KB-00012', undefined]);
    const shared = { knowledge: { 'KB-00001': { hash: 'h', chars: 8 }, 'KB-00003': { hash: 'h', chars: 9e9 } } };
    expect(fillTokens('a <#KB-1> b <#KB-00002> <#KB-00003>', shared, () => '$& whole')).toBe(
      'a $& whole b <#KB-00002> <#KB-00003>',
    );
  });
});

/** The tools over a workspace, with one result kept, called without an engine. */
async function openKnowledge(files: Readonly<Record<string, string>> = {}, kept = 'Kettles are sold in Antwerp.\n') {
  const workspace = await makeFolder(files);
  const run = new Resources('the run');
  onTestFinished(async () => void (await run.closeAll()));
  const tools = knowledgeToolset.create({ name: 'knowledge', settings: {}, toolName: (name) => name })
    .tools as readonly EffectTool[];
  const entry = { hash: 'h1', chars: kept.length, tool: 'visit', call_id: 'c1', source: 'shops', seen: 1 };
  const tool = async (name: string, args: JsonObject, change: Partial<ToolContext> = {}): Promise<string> => {
    const context = toolContext({
      workspace,
      team: { shared: { knowledge: { 'KB-00001': entry } } },
      stored: (hash) => (hash === 'h1' ? kept : undefined),
      ...change,
    });
    return String(
      await tools.find((candidate) => candidate.name === name)?.execute(args, { ...context, live: { ...context.live, run } }),
    );
  };
  return { workspace, tool, run };
}

describe('documents of the workspace', () => {
  const files = {
    'docs/tea.md': '# Tea\n\nGreen tea is brewed at 70 degrees.\n\n## Pots\n\nCast iron keeps warm.\n',
    'docs/coffee.md': '# Coffee\n\nEspresso needs nine bars of pressure.\n',
    'notes/todo.txt': 'Buy espresso beans.\n',
    'src/app.ts': 'const espresso = 1;\n',
  };

  it('[A1.8.rag] [B.95] are indexed, found by words with source and lines, by tag and by folder', async () => {
    const { tool } = await openKnowledge(files);
    expect(await tool('search_knowledge', { query: 'espresso', sources: ['docs'] })).toContain('Nothing found');
    expect(await tool('index_documents', { path: 'docs', tags: ['manual'] })).toContain(
      'Indexed 2 files; 0 were unchanged, 0 are gone.',
    );
    expect(await tool('index_documents', { tags: ['all'] })).toContain('Indexed 1 files; 2 were unchanged');
    const espresso = await tool('search_knowledge', { query: 'How much pressure for an espresso?' });
    expect(espresso).toMatch(/^docs\/coffee\.md, lines 3 to 3, Coffee\nEspresso needs nine bars/);
    expect(espresso).toContain('notes/todo.txt');
    expect(await tool('search_knowledge', { query: 'espresso', tags: ['manual'] })).not.toContain('notes/todo.txt');
    expect(await tool('search_knowledge', { query: 'espresso', sources: ['notes'] })).toMatch(/^notes\/todo\.txt, lines 1 to 1/);
    expect(await tool('search_knowledge', { query: 'warm', limit: 1 })).toContain('Tea > Pots');
    expect(await tool('search_knowledge', { query: 'nonsense-word' })).toContain('Nothing found');
    expect(await tool('search_knowledge', { query: '"* OR (NEAR' })).not.toContain('Error');
  });

  it('[A1.8.rag] [B.95] are listed with their titles and tags, as they are now', async () => {
    const { tool, workspace } = await openKnowledge(files);
    expect(await tool('list_knowledge', { documents: true })).toContain('Nothing is indexed yet');
    await tool('index_documents', { path: 'docs', tags: ['manual'] });
    await tool('index_documents', { path: 'notes' });
    await tool('search_knowledge', { query: 'kettles' });
    expect(await tool('list_knowledge', { documents: true })).toBe(
      'docs/coffee.md; Coffee; 1 passages; tags manual\ndocs/tea.md; Tea; 2 passages; tags manual\nnotes/todo.txt; todo.txt; 1 passages',
    );
    await rm(path.join(workspace, 'docs/tea.md'));
    expect(await tool('list_knowledge', { documents: true })).not.toContain('docs/tea.md');
    expect(await tool('list_knowledge', {})).toContain('1 results are kept');
  });

  it('stand beside kept results of the same run, not of others', async () => {
    const { tool } = await openKnowledge(files);
    expect(await tool('search_knowledge', { query: 'kettles' })).toBe('<#KB-00001>, lines 1 to 1\nKettles are sold in Antwerp.');
    expect(await tool('search_knowledge', { query: 'kettles', sources: ['<#KB-00001>'] })).toContain('Antwerp');
    expect(await tool('search_knowledge', { query: 'kettles', tags: ['visit'] })).toContain('Antwerp');
    expect(await tool('search_knowledge', { query: 'kettles' }, { runId: 'other' as ToolContext['runId'], team: {} })).toContain(
      'Nothing found',
    );
  });

  it('[A1.13.file-monitor] are found as they are now: changed, new, moved and deleted files are noticed before the next search', async () => {
    const { tool, workspace } = await openKnowledge(files);
    await tool('index_documents', { path: 'docs' });
    await tool('search_knowledge', { query: 'tea' });
    await writeFile(path.join(workspace, 'docs/tea.md'), '# Tea\n\nOolong is half fermented.\n');
    await putFile(workspace, 'docs/new/deep.md', 'Matcha is a powder.\n');
    await rename(path.join(workspace, 'docs/coffee.md'), path.join(workspace, 'docs/drink.md'));
    expect(await tool('search_knowledge', { query: 'oolong' })).toContain('docs/tea.md, lines 3 to 3');
    expect(await tool('search_knowledge', { query: 'degrees' })).toContain('Nothing found');
    expect(await tool('search_knowledge', { query: 'matcha' })).toContain('docs/new/deep.md');
    expect(await tool('search_knowledge', { query: 'espresso' })).toMatch(/^docs\/drink\.md/);
    await writeFile(path.join(workspace, 'docs/new/deep.md'), 'Sencha is steamed.\n');
    expect(await tool('search_knowledge', { query: 'sencha' })).toContain('docs/new/deep.md');
    await rm(path.join(workspace, 'docs'), { recursive: true });
    expect(await tool('search_knowledge', { query: 'espresso' })).toContain('Nothing found');
  });

  it('stay indexed when the run is over, and are looked at again by the next', async () => {
    const { tool, workspace, run } = await openKnowledge(files);
    await tool('index_documents', { path: 'docs' });
    await run.closeAll();
    await writeFile(path.join(workspace, 'docs/tea.md'), 'Oolong.\n');
    const next = new Resources('the next run');
    onTestFinished(async () => void (await next.closeAll()));
    const live = { ...toolContext().live, run: next };
    const { tools } = knowledgeToolset.create({ name: 'knowledge', settings: {}, toolName: (name) => name });
    const search = (tools as readonly EffectTool[]).find(({ name }) => name === 'search_knowledge');
    expect(await search?.execute({ query: 'oolong' }, toolContext({ workspace, live }))).toContain('docs/tea.md');
  });

  it('survive a damaged index, which is made anew, and never use one behind a link', async () => {
    const { tool } = await openKnowledge({
      ...files,
      '.cadre/knowledge.db': 'this is no database, whatever its name says'.repeat(50),
    });
    expect(await tool('index_documents', { path: 'docs' })).toContain('Indexed 2 files');
    const other = await openKnowledge(files);
    const outside = await makeFolder();
    await symlink(outside, path.join(other.workspace, '.cadre'));
    expect((await errorOf(other.tool('index_documents', {}))).code).toBe('PATH_REFUSED');
    expect((await errorOf(other.tool('search_knowledge', { query: 'tea' }))).code).toBe('PATH_REFUSED');
  });

  it('come from inside the workspace only, and hold no secrets', async () => {
    const { tool, workspace } = await openKnowledge({ 'a.md': 'plain words', '.env': 'words', 'b.md': 'x' });
    const outside = await makeFolder({ 'secret.md': 'outside words' });
    await symlink(outside, path.join(workspace, 'link'));
    for (const hostile of ['..', 'link', '/etc', '.cadre', '.env'])
      expect((await errorOf(tool('index_documents', { path: hostile }))).code).toBe('PATH_REFUSED');
    await tool('index_documents', { glob: '**' });
    const found = await tool('search_knowledge', { query: 'words' });
    expect(found).toContain('a.md');
    expect(found).not.toMatch(/outside|\.env/);
  });
});
