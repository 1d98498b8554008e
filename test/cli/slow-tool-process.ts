import { appendFileSync } from 'node:fs';
import path from 'node:path';
import { closeInterrupted } from '../../src/cli/runs/close-interrupted.ts';
import { driveRun } from '../../src/cli/runs/drive-run.ts';
import { finishRun, interruptedText } from '../../src/cli/runs/finish-run.ts';
import { Interruption } from '../../src/cli/terminal/interruption.ts';
import { openTerminal } from '../../src/cli/terminal/terminal.ts';
import { watchRun } from '../../src/cli/terminal/watcher.ts';
import { createEngine, defineTool } from '../../src/index.ts';
import { scriptedModel } from '../../src/testing/index.ts';

// Drives a run as the command line does, with a tool whose duration is the first argument.
const [ms = '0', runId] = process.argv.slice(2);

const pay = defineTool({
  name: 'pay',
  description: 'Pays, slowly.',
  execute: async () => {
    appendFileSync('ledger', 'begun\n');
    await new Promise((resolve) => setTimeout(resolve, Number(ms)));
    appendFileSync('ledger', 'paid\n');
    return 'paid';
  },
});

const text = `name: Payer
type: associate
llm_config_ref: m
instructions: You pay.
tool_access_policy: { allowed_individual_tools: [pay] }
`;

const terminal = openTerminal({});
using interruption = new Interruption();
const engine = await createEngine({
  profiles: { files: [{ path: 'profiles/Payer.yaml', text }] },
  models: {
    m: scriptedModel(({ prompt }) =>
      JSON.stringify(prompt).includes('"tool"') ? { text: 'done' } : { toolCalls: [{ name: 'pay', args: {} }] },
    ),
  },
  tools: [pay],
  team: false,
  store: path.resolve('journal.db'),
});
const run = runId === undefined ? await engine.launch({ profile: 'Payer', input: 'Pay.' }) : await engine.resume(runId);
interruption.exitMessage = interruptedText(run, undefined);
const watcher = watchRun(run, terminal, { mode: 'lines' });
terminal.tell(`run ${run.id}\n`);
const driven = await driveRun(run, { terminal, watcher, interruption, canAsk: false });
if (driven === 'interrupted') await closeInterrupted(run, { engine, reading: () => undefined }, terminal);
else await engine.close();
process.exitCode = await finishRun(run, driven, { terminal, mode: 'lines', store: undefined });
