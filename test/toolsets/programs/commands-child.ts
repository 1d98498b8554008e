// Runs commands in the shell of a sandbox, in a workspace and with settings that the arguments name; prints what each gave.
import { Resources } from '../../../src/engine/effects/resources.ts';
import type { EffectTool } from '../../../src/core/tool/tool.ts';
import { describeThrown } from '../../../src/core/error.ts';
import { readJson } from '../../../src/core/read-json.ts';
import { shellToolset } from '../../../src/toolsets/shell/shell-toolset.ts';
import type { JsonObject } from '../../../src/core/json.ts';
import { toolContext } from '../../tools/tool-context.ts';

const [, , workspace = '', settings = '{}', ...commands] = process.argv;
const live = { agent: new Resources('the agent'), run: new Resources('the run'), engine: new Resources('the engine') };
const toolset = shellToolset.create({
  name: 'shell',
  settings: readJson(settings) as JsonObject,
  toolName: (tool) => tool,
});
const tool = (toolset.tools as readonly EffectTool[]).find(({ name }) => name === 'run_command');
const said: string[] = [];
for (const command of commands)
  said.push(
    await Promise.resolve(tool?.execute({ command }, toolContext({ workspace, live }))).then(
      (returned) => JSON.stringify(returned),
      (thrown: unknown) => `refused: ${describeThrown(thrown)}`,
    ),
  );
await live.agent.closeAll();
await live.run.closeAll();
await live.engine.closeAll();
process.stdout.write(JSON.stringify(said));
