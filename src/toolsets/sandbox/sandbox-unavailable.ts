import { CadreError, describeThrown } from '../../core/error.ts';

/** Package that makes sandboxes. */
export const sandboxPackage = '@anthropic-ai/sandbox-runtime';

const insteadOff = 'Or set `sandbox: false` in the settings of the toolset; its commands may then do whatever the engine may do.';

/** Creates the error for a sandbox package that cannot be loaded. */
export function missingSandboxPackage(cause: unknown): CadreError {
  return unavailable(`the package ${sandboxPackage} cannot be loaded`, `npm install ${sandboxPackage}`, cause);
}

/** Creates the error for an operating system without a sandbox. */
export function unsupportedPlatform(): CadreError {
  return unavailable(`there is none for ${process.platform}`, undefined);
}

/** Creates the error for missing programs of the sandbox. */
export function missingSandboxPrograms(problems: readonly string[]): CadreError {
  const install =
    process.platform === 'darwin' ? 'brew install ripgrep' : 'apt-get install -y bubblewrap socat ripgrep  (or your system’s way)';
  return unavailable(problems.join('; '), install);
}

/** Creates the error for a system that does not let the programs make a sandbox. */
export function blockedSandbox(said: string): CadreError {
  const commands = [
    'sysctl -w kernel.unprivileged_userns_clone=1',
    'sysctl -w kernel.apparmor_restrict_unprivileged_userns=0  (Ubuntu 24.04 and later)',
    'docker run --security-opt seccomp=unconfined --security-opt apparmor=unconfined …  (in a container)',
  ];
  const why = said.trim() === '' ? 'a command in it fails without a word' : said.trim().slice(0, 500);
  return unavailable(`the system does not allow one (${why})`, commands.join('; or '));
}

/** Converts any other failure to make a sandbox to an error; a `CadreError` stays as it is. */
export function brokenSandbox(cause: unknown): CadreError {
  return cause instanceof CadreError ? cause : unavailable(describeThrown(cause), undefined, cause);
}

function unavailable(why: string, commands: string | undefined, cause?: unknown): CadreError {
  const todo = commands === undefined ? '' : ` To make it possible: ${commands}.`;
  return new CadreError(
    'SANDBOX_UNAVAILABLE',
    `This must run in a sandbox, and there is none: ${why}. Nothing was run.${todo} ${insteadOff}`,
    cause === undefined ? {} : { cause },
  );
}
