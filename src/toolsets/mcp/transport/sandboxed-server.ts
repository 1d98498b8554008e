import type { ResourceScope, Resource } from '../../../core/tool/resource-scope.ts';
import { openSandbox } from '../../sandbox/sandbox.ts';
import type { SandboxPolicy } from '../../sandbox/sandbox-policy.ts';

/** A server's command line in a sandbox, until it is released. */
export interface SandboxedServer {
  readonly argv: readonly [string, ...string[]];
  /** Called once the server runs; `end` is called when it must be ended. */
  watch(end: () => void): void;
  /** Call once no part of the server runs. Returns lines about the files it left that the operator must know. */
  release(): Promise<readonly string[]>;
}

/**
 * Wraps the command of a server in a sandbox in which it may read and write `folder`.
 *
 * @throws CadreError `SANDBOX_UNAVAILABLE` with the missing parts and the commands that install them
 */
export async function sandboxServer(
  argv: readonly [string, ...string[]],
  policy: SandboxPolicy,
  folder: string,
): Promise<SandboxedServer> {
  const opened: Resource<unknown>[] = [];
  // The sandbox belongs to this server alone, and is released with it.
  const scope: ResourceScope = {
    open: async (_name, open) => {
      const resource = await open();
      opened.push(resource);
      return resource.value;
    },
    close: () => Promise.resolve(),
  };
  const closeAll = async (): Promise<void> => {
    for (const resource of opened) await resource.close();
  };
  try {
    const sandbox = await openSandbox({ agent: scope, run: scope, engine: scope });
    const wrapped = await sandbox.wrap({ argv, policy, workspace: folder });
    return {
      argv: wrapped.argv,
      watch: wrapped.watch,
      release: async () => {
        try {
          return await wrapped.release();
        } finally {
          await closeAll();
        }
      },
    };
  } catch (thrown) {
    await closeAll();
    throw thrown;
  }
}
