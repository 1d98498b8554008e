import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createEngine, type Engine, type EngineOptions } from '../../src/index.ts';
import { createDocumentTools } from '../../src/toolsets/documents/create-document-tools.ts';
import { researchWords } from './words.ts';

const profiles = path.join(import.meta.dirname, '../../agent_profiles/commonground');

/**
 * Creates the team of the system CommonGround over a workspace: copies the documents to `docs/` and writes a table of word counts per
 * document. The replies of the team are scripted, its tools are real.
 */
export async function researchTeam(
  {
    documents,
    workspace,
    question,
    word,
  }: { readonly documents: string; readonly workspace: string; readonly question: string; readonly word: RegExp },
  options: Partial<EngineOptions> = {},
): Promise<{ readonly engine: Engine; readonly close: () => Promise<void> }> {
  const docs = path.join(workspace, 'docs');
  cpSync(documents, docs, { recursive: true, filter: (source) => !path.basename(source).startsWith('.') });
  const names = readdirSync(docs)
    .filter((name) => name.endsWith('.md'))
    .toSorted();
  const rows = names.map((name) => `${name},${readFileSync(path.join(docs, name), 'utf8').match(word)?.length ?? 0}`);
  writeFileSync(path.join(workspace, 'documents.csv'), `file,mentions\n${rows.join('\n')}\n`);
  const tools = createDocumentTools({ root: docs, outDir: path.join(workspace, 'reports') });
  const engine = await createEngine({
    profiles,
    models: { default: researchWords(question) },
    tools: tools.tools,
    store: 'memory',
    workspace,
    env: {},
    ...options,
  });
  const close = async (): Promise<void> => {
    await engine.close();
    tools[Symbol.dispose]();
  };
  return { engine, close };
}
