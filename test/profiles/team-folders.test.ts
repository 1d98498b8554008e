import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { profilesFolder } from '../../src/cli/options/profiles-folder.ts';
import { usualProfile } from '../../src/engine/launch/usual-profile.ts';
import { checkProfiles, loadProfiles } from '../../src/profiles/load-profiles.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'cadre-teams-'));
const team = (name: string, more = ''): string => `type: team\nname: ${name}\n${more}`;

beforeAll(() => {
  const files = {
    'profiles/Lead.yaml': 'name: Lead\ntype: partner\n',
    'crew/team.yaml': team('crew', 'description: Does things.\ndefault_profile: Hand\nincludes: [..]\n'),
    'crew/profiles/Hand.yaml': 'name: Hand\nbase_profile: Lead\n',
    'alone/team.yaml': team('alone'),
    'alone/Lead.yaml': 'name: Lead\ninstructions: Another one.\n',
    'round/team.yaml': team('round', 'includes: [../about]\n'),
    'round/One.yaml': 'name: One\n',
    'about/team.yaml': team('about', 'includes: [../round]\n'),
    'about/Two.yaml': 'name: Two\n',
    'mine/team.yaml': team('mine', 'includes: [openmanus]\n'),
    'mine/reviewer.yaml': 'name: reviewer\nbase_profile: [react_base, text_reply_reminds]\n',
    'here/ring/team.yaml': team('ring', 'includes: [../round]\n'),
    'here/ring/Ring.yaml': 'name: Ring\n',
    'there/round/team.yaml': team('round', 'includes: [../ring]\n'),
    'there/round/Round.yaml': 'name: Round\n',
    'pipe/profiles/Lead.yaml': 'name: Lead\n',
    'device/profiles/Lead.yaml': 'name: Lead\n',
    'wrong/team.yaml': team('wrong', 'default_profile: Leed\nincludes: [../../etc, ../nowhere]\n'),
    'wrong/Lead.yaml': 'name: Lead\n',
  };
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
    writeFileSync(path.join(folder, file), text);
  }
  symlinkSync('../there/round', path.join(folder, 'here/round'));
  symlinkSync('../here/ring', path.join(folder, 'there/ring'));
  execFileSync('mkfifo', [path.join(folder, 'pipe/team.yaml')]);
  symlinkSync('/dev/zero', path.join(folder, 'device/team.yaml'));
});

afterAll(() => rmSync(folder, { recursive: true }));

async function names(input: string): Promise<readonly string[]> {
  return [...(await loadProfiles(input, { known: {} })).profiles.keys()].toSorted();
}

describe('a folder with a team.yaml', () => {
  it('is not read with the folder above it', async () => {
    expect(await names(folder)).toEqual(['Lead']);
    expect((await loadProfiles(folder, { known: {} })).team).toBeUndefined();
  });

  it('is a separate team when it is named, with separate names', async () => {
    expect(await names(path.join(folder, 'alone'))).toEqual(['Lead']);
  });

  it('has what it includes, and says which profile to begin with', async () => {
    const set = await loadProfiles(path.join(folder, 'crew'), { known: {} });
    expect([...set.profiles.keys()].toSorted()).toEqual(['Hand', 'Lead']);
    expect(set.team).toEqual({ name: 'crew', description: 'Does things.', defaultProfile: 'Hand' });
    expect(usualProfile(set)).toBe('Hand');
    expect(set.files.map((file) => file.path)).toContain('crew/team.yaml');
  });

  it('may include one that includes it', async () => {
    expect(await names(path.join(folder, 'round'))).toEqual(['One', 'Two']);
    expect((await loadProfiles(path.join(folder, 'round'), { known: {} })).team?.name).toBe('round');
  });

  it('may build on a team that comes with Cadre', async () => {
    expect(await names(path.join(folder, 'mine'))).toEqual(expect.arrayContaining(['manus', 'reviewer', 'swe']));
    expect((await loadProfiles(path.join(folder, 'mine'), { known: {} })).team?.name).toBe('mine');
  });

  it('may include, through links, one that includes it', async () => {
    expect(await names(path.join(folder, 'here/ring'))).toEqual(['Ring', 'Round']);
  });

  it.each(['pipe', 'device'])('is reported when its team.yaml is a %s, which has no end', async (name) => {
    const { diagnostics } = await checkProfiles(path.join(folder, name), { known: {} });
    expect(diagnostics.map(({ code }) => code)).toContain(name === 'pipe' ? 'FILE_NOT_REGULAR' : 'FILE_OUTSIDE');
  });

  it('reports a missing profile or included folder, and an include outside its parent folder', async () => {
    const { set, diagnostics } = await checkProfiles(path.join(folder, 'wrong'), { known: {} });
    expect(set).toBeUndefined();
    expect(diagnostics.map(({ code, source, message }) => `${source.file}:${source.line} ${code} ${message}`)).toEqual([
      expect.stringContaining('nowhere:1 FILE_NOT_FOUND'),
      expect.stringContaining('wrong/team.yaml:3 UNKNOWN_PROFILE the default profile `Leed` does not exist'),
      expect.stringContaining('wrong/team.yaml:4 NOT_ALLOWED `includes[0]` is `../../etc`, expected `..` (the folder above)'),
    ]);
  });
});

describe('the folder that --profiles names', () => {
  it('is that path; a bundled team only when there is no such path', () => {
    expect(profilesFolder('test')).toBe(path.resolve('test'));
    expect(profilesFolder('openmanus')).toBe(path.resolve('agent_profiles/openmanus'));
    expect(() => profilesFolder('openmanu')).toThrow(
      /no folder 'openmanu' here.*did you mean 'openmanus'\? there are: agent_framework, anges, commonground, openmanus, seeingeye/,
    );
    expect(profilesFolder('./nowhere')).toBe(path.resolve('nowhere'));
    expect(profilesFolder('./openmanus')).toBe(path.resolve('openmanus'));
  });
});
