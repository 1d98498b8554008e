import { driveRun } from '../../src/cli/runs/drive-run.ts';
import { finishRun } from '../../src/cli/runs/finish-run.ts';
import { Interruption } from '../../src/cli/terminal/interruption.ts';
import { openTerminal } from '../../src/cli/terminal/terminal.ts';
import { watchRun } from '../../src/cli/terminal/watcher.ts';
import { createEngine, defineTool } from '../../src/index.ts';
import { scriptedModel } from '../../src/testing/index.ts';

// Runs `cadre run` as on a terminal, with a pipe as its keyboard; the first argument is the time in which an approval expires.
const [expiresAfter = '1s'] = process.argv.slice(2);

const text = `name: Payer
type: associate
llm_config_ref: m
instructions: You pay.
tool_access_policy: { allowed_individual_tools: [pay] }
tool_gates: [{ id: money, tools: [pay], verdict: ask, expires_after: ${expiresAfter} }]
`;

const terminal = { ...openTerminal({}), isInteractive: true };
using interruption = new Interruption();
const engine = await createEngine({
  profiles: { files: [{ path: 'profiles/Payer.yaml', text }] },
  models: {
    m: scriptedModel(({ prompt }) =>
      JSON.stringify(prompt).includes('"tool"') ? { text: 'the report' } : { toolCalls: [{ name: 'pay', args: {} }] },
    ),
  },
  tools: [
    defineTool({
      name: 'pay',
      description: 'Pays.',
      parameters: { type: 'object', properties: { amount: { type: 'number' } } },
      execute: () => 'paid',
    }),
  ],
  team: false,
});
const run = await engine.launch({ profile: 'Payer', input: 'Pay.' });
const driven = await driveRun(run, {
  terminal,
  watcher: watchRun(run, terminal, { mode: 'quiet' }),
  interruption,
  canAsk: true,
});
await engine.close();
process.exitCode = await finishRun(run, driven, { terminal, mode: 'quiet', store: 'memory' });
