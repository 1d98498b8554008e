import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { EffectTool } from '../../src/core/tool/tool.ts';
import { prepareEngine } from '../../src/engine/create-engine.ts';
import type { Engine } from '../../src/engine/engine.ts';
import type { Run } from '../../src/engine/run.ts';
import { createSqliteJournal } from '../../src/journal/sqlite/sqlite-journal.ts';
import { createDocumentTools } from '../../src/toolsets/documents/create-document-tools.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import { killingJournal, type KillPoint } from './killing-journal.ts';
import { note, readLedger } from './ledger.ts';
import { sweepEffects } from './sweep-effects.ts';

const question = 'How do I water tomatoes in pots?';
const verifier = 'was_it_done';

/** The bundled team in one process: its offline script, its real tools, and a ledger they write to. */
export interface SweepTeam extends Disposable {
  /** Opens the engine over the journal of a folder; closing it is the caller's. */
  open(folder: string, point?: KillPoint): Promise<Engine>;
  /** Goes on with the run of the folder's journal, or begins it when there is none yet; resolves when it has nothing to do. */
  play(engine: Engine, folder: string): Promise<Run>;
}

/** Prepares the team over the documents of `root`; compiled once, it serves any number of folders one after the other. */
export async function prepareSweep(root: string): Promise<SweepTeam> {
  const documents = createDocumentTools({ root: path.join(root, 'docs'), outDir: path.join(root, `reports-${process.pid}`) });
  const tools = documents.tools.map((tool) => ledgered(tool));
  const finds = defineTool({
    name: verifier,
    description: 'Finds out whether a call was done.',
    effect: 'pure',
    execute: (_args, { toolCallId, context }) => {
      const done = readLedger(deskOf(context)).find((line) => line.kind === 'end' && line.callId === toolCallId);
      return done?.kind === 'end' ? { happened: true, result: done.result } : { happened: false };
    },
  });
  const profiles = path.join(import.meta.dirname, '..', '..', 'agent_profiles');
  const prepared = await prepareEngine({ profiles, tools: [...tools, finds], env: {} });
  return {
    open: async (folder, point) => {
      const journal = createSqliteJournal(path.join(folder, 'journal.db'));
      const store = killingJournal(journal, point, (seq) => note(folder, { kind: 'acknowledged', pid: process.pid, seq }));
      return await prepared.open({ store, graceMs: 50 });
    },
    play: async (engine, folder) => {
      const context = { folder };
      const [taken] = await engine.recover({ context });
      if (taken?.error !== undefined) throw taken.error;
      const run = taken?.run ?? (await engine.launch({ profile: 'Partner', input: question }, { context }));
      await run.settled();
      return run;
    },
    [Symbol.dispose]: () => documents[Symbol.dispose](),
  };
}

/** The tool with another effect, and with a line in the ledger when it begins and when it has done its work. */
function ledgered(tool: EffectTool): EffectTool {
  const effect = sweepEffects[tool.name] ?? 'pure';
  return {
    ...tool,
    effect,
    ...(effect === 'verifiable' ? { verify: verifier } : {}),
    execute: async (args, context) => {
      const line = { pid: process.pid, tool: tool.name, callId: context.toolCallId, attempt: context.attempt };
      note(deskOf(context.context), { kind: 'begin', ...line });
      await delay(2);
      const result = await tool.execute(args, context);
      note(deskOf(context.context), { kind: 'end', ...line, result });
      return result;
    },
  };
}

/** The folder of the run a tool works for. */
function deskOf(context: Readonly<Record<string, unknown>>): string {
  return String(context['folder']);
}
