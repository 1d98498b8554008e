import type { JsonObject } from '../../core/json.ts';
import { missingProgram, searchProgram, type ProgramSearch, type SearchPlaces } from '../../files/programs/find-program.ts';
import { settingsProgram } from '../../files/programs/agreed-program.ts';
import { seenInSandbox } from '../../toolsets/sandbox/sandbox-files.ts';
import { toSandboxPolicy } from '../../toolsets/sandbox/sandbox-policy.ts';
import { failed, note, ok, problem, type Finding } from './finding.ts';

/** Programs that make a sandbox on Linux. */
const sandboxPrograms = ['bwrap', 'socat', 'rg'] as const;

/** Finds the programs that make sandboxes, and names candidates that are not started because an agent or a project could have put them there. */
export function sandboxProgramFindings(): readonly Finding[] {
  const names = process.platform === 'linux' ? sandboxPrograms : [];
  return [
    ...names.map((name) => searchFinding(name, searchProgram(name), 'apt-get install -y bubblewrap socat ripgrep')),
    searchFinding('bash', searchProgram('bash', { in: 'system' }), 'install bash'),
  ];
}

/** Program that the settings of a toolset name. */
export interface SettingsProgram {
  readonly what: string;
  readonly written: string;
  readonly settings: JsonObject;
  /** True when it runs in the sandbox. */
  readonly isSandboxed: boolean;
  /** What to do when there is none. */
  readonly todo: string;
}

/** Finds the program that the settings of a toolset name, as its calls do. */
export function settingsProgramFinding({ what, written, settings, isSandboxed, todo }: SettingsProgram): Finding {
  const env = settings['env'];
  const searchPath =
    typeof env === 'object' && env !== null && 'PATH' in env && typeof env['PATH'] === 'string' ? env['PATH'] : undefined;
  const policy = toSandboxPolicy(settings);
  // No workspace is known here: what only a workspace shows counts as hidden.
  const usable = isSandboxed && policy !== undefined ? seenInSandbox(policy, process.cwd()) : undefined;
  const places: SearchPlaces = { in: 'both', path: searchPath, usable };
  if (!written.includes('/')) return searchFinding(what, searchProgram(written, places), todo);
  try {
    return ok(what, settingsProgram(written, process.cwd(), places).path);
  } catch (thrown) {
    return { ...failed(what, thrown), todo };
  }
}

function searchFinding(what: string, search: ProgramSearch, todo: string): Finding {
  const { found, refused } = search;
  if (found === undefined) return problem(what, missingProgram(what, search), todo);
  const where = found.path === found.real ? found.path : `${found.path} (${found.real})`;
  if (refused.length === 0) return ok(what, where);
  const whys = refused.map(({ path, why }) => `${path} is not started, since ${why}`);
  return note(what, `${where}; ${whys.join('; ')}`, 'remove folders of projects from PATH if that is not what you expect');
}
