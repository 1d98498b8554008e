import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { runCli, temporaryFolder } from './cli-process.ts';

const usual = `import { defineTool } from 'cadre';
import { appendFileSync } from 'node:fs';
import { snow } from './snow.ts';
interface Place { readonly city?: unknown }
appendFileSync('loaded', '+');
console.log('printed while it is loaded');
export const weather = defineTool({
  name: 'get_weather',
  description: 'The weather of a city.',
  effect: 'pure',
  trust: 'trusted',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  execute: ({ city }: Place): string => {
    console.log('printed while it runs');
    return String(city) + ': ' + snow;
  },
});
`;

/** Creates a folder without node_modules elsewhere on the disk, as if cloned. */
async function ownTools(
  code = usual,
): Promise<{ readonly cwd: string; readonly env: Record<string, string>; write(name: string, text: string): Promise<void> }> {
  const cwd = await temporaryFolder();
  const write = async (name: string, text: string): Promise<void> => {
    const file = path.join(cwd, 'agent_profiles', name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, text);
  };
  await write(
    'profiles/Solo.yaml',
    'name: Solo\ntype: partner\ninstructions: You work.\ntool_access_policy: { allowed_toolsets: [my] }\n',
  );
  await write(
    'llm_configs/default.yaml',
    'name: default\ntype: llm_config\nconfig: { provider: scripted, script: scripts/offline.yaml }\n',
  );
  await write(
    'scripts/offline.yaml',
    `rules:\n  - { id: said, when: "size(last_results) > 0", reply: { text: "{{ last_results[0].content }}" } }\notherwise: { tool_calls: [{ tool: my_get_weather, args: { city: Oslo } }] }\n`,
  );
  await write('toolsets/my.yaml', 'type: toolset\nname: my\nkind: module\nsettings: { path: ./tools/weather.ts }\n');
  await write('tools/weather.ts', code);
  await write('tools/snow.ts', "export const snow: string = 'snow';\n");
  return { cwd, env: { XDG_CONFIG_HOME: await temporaryFolder() }, write };
}

describe('F25: tools that a team brings as a file', () => {
  it('are loaded after a person agreed, to this code with what it imports; what they print is no answer', async () => {
    const { cwd, env, write } = await ownTools();
    const asked = await runCli(['run', 'Weather?'], { cwd, env, input: 'y\n' });
    expect([asked.code, asked.out]).toEqual([2, '']);
    expect(asked.err).toMatch(/code to load, .*:\s+tools\/weather\.ts with tools\/snow\.ts, SHA-256 [0-9a-f]{64} \(toolset my\)/);
    expect((await runCli(['validate'], { cwd, env })).code).toBe(0);
    expect((await runCli(['explain', 'my'], { cwd, env })).out).toMatch(
      /path: \.\/tools\/weather\.ts +# agent_profiles\/toolsets\/my\.yaml:4/,
    );
    expect(existsSync(path.join(cwd, 'loaded'))).toBe(false);
    const agreed = await runCli(['run', '--trust', 'Weather?'], { cwd, env });
    expect([agreed.code, agreed.out], agreed.err).toEqual([0, 'Oslo: snow\n']);
    expect(agreed.err).toContain('printed while it runs');
    expect((await runCli(['run', 'Weather?'], { cwd, env })).out).toBe('Oslo: snow\n');
    await write('tools/snow.ts', "export const snow: string = 'rain';\n");
    const changed = await runCli(['run', 'Weather?'], { cwd, env });
    expect([changed.code, changed.err]).toEqual([2, expect.stringContaining('tools/weather.ts with tools/snow.ts')]);
  });

  it('the example runs', async () => {
    const { cwd, env } = await ownTools();
    const profiles = path.join(import.meta.dirname, '..', '..', 'examples', 'own-tools');
    const { code, out } = await runCli(['run', '--trust', '--profiles', profiles, 'When do trains leave Lisbon?'], { cwd, env });
    expect([code, out]).toEqual([0, 'From Lisbon: 08:09, 08:39.\n']);
  });

  it('a replay asks as well before it loads code', async () => {
    const { cwd, env } = await ownTools();
    expect((await runCli(['run', '--trust', '--record', 'one.json', 'Weather?'], { cwd, env })).code).toBe(0);
    const others = { ...env, XDG_CONFIG_HOME: await temporaryFolder() };
    const replayed = await runCli(['run', '--replay', 'one.json'], { cwd, env: others });
    expect([replayed.code, replayed.err]).toEqual([2, expect.stringContaining('is not trusted')]);
  });

  const tool = "import { defineTool } from 'cadre';\nconst d = { name: 'get_weather', description: 'x' };\n";
  it.each([
    ['that does not parse', 'const a: = 3;', 2, /my\.yaml:4:19: .*weather\.ts cannot be loaded: SyntaxError/],
    [
      'that throws',
      "\nthrow new Error('boom');",
      2,
      /my\.yaml:4:19: .*weather\.ts cannot be loaded: boom \(agent_profiles\/tools\/weather\.ts:2\)/,
    ],
    ['without a tool', 'export const a = 1;', 2, /my\.yaml:4:19: .*exports no tool/],
    ['without execute', `${tool}export default defineTool(d);`, 2, /my\.yaml:4:19: .*execute must be a function/],
    [
      'that imports what was not read',
      "await import('./sn' + 'ow.ts');",
      2,
      /imports '\.\/snow\.ts', which is not among the files that were read/,
    ],
    [
      'that imports a package that is not there',
      "import 'no-such-package-here';",
      2,
      /Cannot find package 'no-such-package-here'; packages are found in a node_modules/,
    ],
    [
      'that ends the process when it is loaded',
      'process.exit(0);',
      1,
      /The process ended while agent_profiles\/tools\/weather\.ts was loaded/,
    ],
    [
      'that ends the process when it runs',
      `${tool}export default defineTool({ ...d, execute: () => process.exit(0) });`,
      1,
      /ended while my_get_weather was running/,
    ],
    ['that never comes to an end', 'await new Promise(() => {});', 2, /my\.yaml:4:19: .*did not load within 10 s/],
  ])('code %s is an error with its place', async (_, code, exit, words) => {
    const { cwd, env } = await ownTools(code);
    const { code: ended, err } = await runCli(['run', '--trust', 'Weather?'], { cwd, env });
    expect([ended, err]).toEqual([exit, expect.stringMatching(words)]);
  });

  it('an error of a tool is its result, and the run goes on', async () => {
    const { cwd, env } = await ownTools(
      `${tool}export default defineTool({ ...d, execute: () => { throw new Error('in the tool'); } });`,
    );
    const { code, out } = await runCli(['run', '--trust', 'Weather?'], { cwd, env });
    expect([code, out]).toEqual([0, expect.stringContaining('in the tool')]);
  });
});
