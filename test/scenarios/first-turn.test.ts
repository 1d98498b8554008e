import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { createEngine } from '../../src/index.ts';
import { createDocumentTools } from '../../src/toolsets/documents/create-document-tools.ts';
import { createMemoryJournal, manualClock, scriptedModel, type ScriptedReply } from '../../src/testing/index.ts';

const shipped = fileURLToPath(new URL('../../agent_profiles', import.meta.url));
const folders = ['.', 'agent_framework', 'anges', 'commonground', 'openmanus', 'seeingeye'];

/** What an agent whose state is still empty may get from its model. */
const firstReplies: readonly ScriptedReply[] = [
  { text: 'Hello.' },
  { text: '' },
  { toolCalls: [{ name: 'no_such_tool', args: {} }] },
  { text: JSON.stringify({ analysis: '', reasoning: '', actions: [], answer: 'Hello.' }) },
];

/** What went wrong in the conditions of a profile's first turns, after each of these replies. */
async function problems(folder: string): Promise<string[]> {
  const found: string[] = [];
  for (const reply of firstReplies) {
    const folderOfDocuments = mkdtempSync(path.join(tmpdir(), 'cadre-first-turn-'));
    using documents = createDocumentTools({ root: folderOfDocuments, outDir: folderOfDocuments });
    const shell = { kind: 'shell', settings: { sandbox: false } };
    const engine = await createEngine({
      profiles: path.join(shipped, folder),
      env: { CADRE_MODEL: 'm' },
      models: { m: scriptedModel(() => reply) },
      limits: { maxTurns: 4 },
      tools: documents.tools,
      toolsets: { shell, long_shell: shell },
      clock: manualClock(),
      store: createMemoryJournal(),
      workspace: folderOfDocuments,
    });
    for (const [profile, { type }] of engine.profiles.profiles) {
      // No run starts with it; what it has is in those that inherit from it.
      if (type === 'base') continue;
      const run = await engine.launch({ profile, input: 'Say hello.' });
      await run.settled();
      for (const turn of run.turns())
        for (const { id, error } of [...turn.observers, ...turn.decision.rules])
          if (error !== undefined) found.push(`${profile} ${turn.turnId} ${id}: ${error.message}`);
    }
    await engine.close();
  }
  return found;
}

describe('no condition of a shipped profile fails while the state of its agent is still empty', () => {
  it.each(folders)('%s', async (folder) => {
    expect(await problems(folder)).toEqual([]);
  });
});
