import type { Toolset } from '../../core/tool/toolset.ts';
import type { EngineOptions } from '../../engine/engine-options.ts';
import { loadProfiles } from '../../profiles/load-profiles.ts';
import type { DeclaredTool } from '../cases/test-case.ts';

/** Kinds of toolsets that connect to a server or load code. */
const connecting: ReadonlySet<string> = new Set(['mcp', 'module']);

/**
 * Returns stand-ins for the toolsets that would connect to a server or load code, and for those that a test declares tools of: each has
 * the declared tools, and connects to nothing.
 */
export async function declaredToolsets(
  profiles: EngineOptions['profiles'],
  { env, declared }: { readonly env: Readonly<Record<string, string>>; readonly declared: Readonly<Record<string, DeclaredTool>> },
): Promise<NonNullable<EngineOptions['toolsets']>> {
  const names = new Set(Object.values(declared).map(({ toolset }) => toolset));
  // The engine reports what does not compile, with more context.
  const input = typeof profiles === 'object' && 'profiles' in profiles ? { files: profiles.files } : profiles;
  const set = await loadProfiles(input, { env }).catch(() => undefined);
  for (const { name, kind } of set?.toolsets.values() ?? []) if (connecting.has(kind)) names.add(name);
  return Object.fromEntries([...names].map((name) => [name, () => standIn(name, declared)]));
}

function standIn(toolset: string, declared: Readonly<Record<string, DeclaredTool>>): Toolset {
  const own = Object.entries(declared).filter(([, tool]) => tool.toolset === toolset);
  return {
    tools: own.map(([name, { description = '', parameters = { type: 'object' }, effect = 'unsafe' }]) => ({
      name,
      toolset,
      description,
      parameters,
      effect,
      execute: () => {
        throw new Error(`${name} is declared by a test and cannot be run`);
      },
    })),
  };
}
