import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { JsonObject } from '../../src/core/json.ts';
import type { EffectTool, ToolContext } from '../../src/core/tool/tool.ts';
import { toolReturn, type ToolReturn } from '../../src/core/tool/tool-return.ts';
import type { ToolsetKind } from '../../src/core/tool/toolset.ts';
import { Resources } from '../../src/engine/effects/resources.ts';
import { toolContext } from './tool-context.ts';

/** The tools of a toolset, run directly, with a workspace and live scopes of their own. */
export interface ToolsetUnderTest {
  readonly workspace: string;
  readonly context: ToolContext;
  /** Runs a tool and gives its text; what it throws is thrown. */
  run(tool: string, args: JsonObject, context?: ToolContext): Promise<string>;
  /** Runs a tool and gives all it returns. */
  call(tool: string, args: JsonObject, context?: ToolContext): Promise<ToolReturn>;
  close(): Promise<void>;
}

/** Makes a toolset of a kind, in a workspace made for it. */
export function toolsetUnderTest(
  kind: ToolsetKind,
  settings: JsonObject = {},
  live = { agent: new Resources('the agent'), run: new Resources('the run'), engine: new Resources('the engine') },
): ToolsetUnderTest {
  const workspace = realpathSync(mkdtempSync(path.join(tmpdir(), 'cadre-workspace-')));
  const context = toolContext({ workspace, live });
  const tools = new Map(
    (kind.create({ name: kind.kind, settings, toolName: (tool) => tool }).tools as readonly EffectTool[]).map((tool) => [
      tool.name,
      tool,
    ]),
  );
  const call = async (name: string, args: JsonObject, given = context): Promise<ToolReturn> => {
    const tool = tools.get(name);
    if (tool === undefined) throw new Error(`no tool ${name}`);
    const returned: unknown = await tool.execute(args, given);
    return typeof returned === 'string' ? toolReturn({ content: returned }) : (returned as ToolReturn);
  };
  return {
    workspace,
    context,
    call,
    run: async (tool, args, given) => {
      const { content } = await call(tool, args, given);
      if (typeof content !== 'string') throw new Error('not a text');
      return content;
    },
    close: async () => {
      await Promise.all([live.agent.closeAll(), live.run.closeAll()]);
      await live.engine.closeAll();
    },
  };
}

/** True while a process runs; a zombie does not count. */
export function isAlive(pid: string): boolean {
  const file = `/proc/${pid.trim()}/stat`;
  return existsSync(file) && !/\) [ZX] /.test(readFileSync(file, 'utf8'));
}

/** True when a program is installed. */
export function isInstalled(program: string): boolean {
  return spawnSync('/bin/sh', ['-c', 'command -v "$1"', 'sh', program]).status === 0;
}

/** Returns why no sandbox is available here, checked without the code under test; undefined when one is. */
export function whyNoSandbox(): string | undefined {
  const missing = ['bwrap', 'socat', 'rg'].filter((program) => !isInstalled(program));
  if (missing.length > 0) return `${missing.join(', ')} not installed (apt-get install bubblewrap socat ripgrep)`;
  const flags = ['--unshare-user', '--unshare-pid', '--unshare-net', '--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc'];
  const { status, stderr } = spawnSync('bwrap', [...flags, 'true'], { encoding: 'utf8' });
  return status === 0 ? undefined : `the system does not allow it (${stderr.trim()})`;
}
