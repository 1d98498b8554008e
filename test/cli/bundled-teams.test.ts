import { describe, expect, it } from 'vitest';
import { reachOfProfiles } from '../../src/engine/launch/reach-of-profiles.ts';
import { loadProfiles } from '../../src/index.ts';
import { bundledTeams } from '../../src/profiles/files/bundled-teams.ts';
import { runCli, temporaryFolder } from './cli-process.ts';

describe('F18, F19: every team that comes with Cadre starts offline, as the README says', () => {
  it.each([...bundledTeams()])('%s', async (team) => {
    const { code, err } = await runCli(['run', '--profiles', team, 'What is here?'], { cwd: await temporaryFolder() });
    expect(err).toMatch(/Model: scripted\/.* no model is called/);
    expect(err).toMatch(/run run_\w+ started/);
    // A team that lacks its picture or sandbox fails with a message; none fails with a usage error.
    expect([0, 1]).toContain(code);
    if (code === 1) expect(err).toMatch(/error: the run failed/);
  });
});

describe('F58: a toolset whose variable is not set', () => {
  const files = [
    {
      path: 'profiles/a.yaml',
      text: 'name: A\ntype: partner\ninstructions: You help.\ntool_access_policy: { allowed_toolsets: [far] }\n',
    },
    { path: 'llm_configs/default.yaml', text: 'name: default\ntype: llm_config\nconfig: { model: openai/m }\n' },
    {
      path: 'toolsets/far.yaml',
      text: 'type: toolset\nname: far\nkind: mcp\nsettings:\n  url: { _type: from_env, var: FAR_URL, required: true }\n',
    },
  ];
  it('is not made, so that its address is asked about once there is one', async () => {
    const without = await loadProfiles({ files }, { env: {} });
    expect((await reachOfProfiles(without)).destinations).toEqual([]);
    const set = await loadProfiles({ files }, { env: { FAR_URL: 'http://127.0.0.1:8931/mcp' } });
    expect((await reachOfProfiles(set)).destinations).toEqual(['http://127.0.0.1:8931/mcp (toolset far)']);
  });
});
