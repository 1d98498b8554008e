import { findPackageJSON } from 'node:module';
import type { JsonObject } from '../../core/json.ts';
import type { ProfileSet } from '../../core/profile/profile.ts';
import { builtInToolsets } from '../../engine/toolsets/toolset-kinds.ts';
import { findBrowser } from '../../toolsets/browser/find-browser.ts';
import { checkSandbox } from '../../toolsets/sandbox/sandbox.ts';
import { sandboxProgramFindings, settingsProgramFinding } from './check-programs.ts';
import { type Finding, failed, ok, problem } from './finding.ts';

/** Packages that a kind of toolset needs and that are installed only by those who use it. */
const packages: Readonly<Record<string, readonly string[]>> = {
  browser: ['playwright-core'],
  charts: ['vega', 'vega-lite', '@resvg/resvg-js'],
  javascript: ['quickjs-emscripten'],
  mcp: ['@modelcontextprotocol/client'],
  python: ['@anthropic-ai/sandbox-runtime'],
  shell: ['@anthropic-ai/sandbox-runtime'],
  web: ['linkedom', '@mozilla/readability', 'turndown'],
};

/** Kinds whose programs run in the sandbox, unless their settings say otherwise. */
const sandboxed: ReadonlySet<string> = new Set(['shell', 'python']);

/** A toolset that a profile of the set uses. */
interface UsedToolset {
  readonly name: string;
  readonly kind: string;
  readonly settings: JsonObject;
}

/** Checks what the toolsets of a profile set need of this machine: packages, programs, a sandbox, a browser. */
export async function checkToolsets(set: ProfileSet): Promise<readonly Finding[]> {
  const used = usedToolsets(set);
  const findings = packageFindings(new Set(used.flatMap(({ kind }) => packages[kind] ?? [])));
  for (const { name, kind, settings } of used) {
    const { python, command, sandbox } = settings;
    const written = kind === 'mcp' ? command : (python ?? 'python3');
    if ((kind !== 'python' && kind !== 'mcp') || typeof written !== 'string') continue;
    const isPython = kind === 'python';
    findings.push(
      settingsProgramFinding({
        what: isPython ? `Python of ${name}` : `server of ${name}`,
        written,
        settings,
        isSandboxed: isPython ? sandbox !== false : sandbox === true,
        todo: isPython ? 'install Python 3' : 'install it, or write its whole path as the command',
      }),
    );
  }
  const inSandbox = used.filter(({ kind, settings }) => sandboxed.has(kind) && settings['sandbox'] !== false);
  if (inSandbox.length > 0) findings.push(...sandboxProgramFindings(), await sandboxFinding(inSandbox.map(({ name }) => name)));
  for (const { name, kind, settings } of used) if (kind === 'browser') findings.push(browserFinding(name, settings));
  return findings;
}

function usedToolsets(set: ProfileSet): readonly UsedToolset[] {
  const names = new Set([...set.profiles.values()].flatMap(({ allowedToolsets }) => allowedToolsets));
  return [...names].flatMap((name) => {
    const declared = set.toolsets.get(name);
    if (declared !== undefined) return [{ name, kind: declared.kind, settings: declared.settings }];
    return Object.hasOwn(builtInToolsets, name) ? [{ name, kind: name, settings: {} }] : [];
  });
}

function packageFindings(needed: ReadonlySet<string>): Finding[] {
  if (needed.size === 0) return [];
  const missing = [...needed].filter((name) => !isInstalled(name));
  if (missing.length === 0) return [ok('packages of toolsets', [...needed].join(', '))];
  return [problem('packages of toolsets', `not installed: ${missing.join(', ')}`, `npm install ${missing.join(' ')}`)];
}

/** True when Cadre can import the package. Node throws for one that is not there, instead of returning nothing. */
export function isInstalled(name: string): boolean {
  try {
    return findPackageJSON(name, import.meta.url) !== undefined;
  } catch {
    return false;
  }
}

async function sandboxFinding(toolsets: readonly string[]): Promise<Finding> {
  const what = `sandbox of ${toolsets.join(', ')}`;
  return await checkSandbox().then(
    () => ok(what, 'commands can run in it'),
    (thrown: unknown) => failed(what, thrown),
  );
}

function browserFinding(name: string, settings: JsonObject): Finding {
  const what = `browser of ${name}`;
  const wanted = settings['executable'];
  try {
    return ok(what, findBrowser(typeof wanted === 'string' ? wanted : undefined));
  } catch (thrown) {
    return failed(what, thrown);
  }
}
