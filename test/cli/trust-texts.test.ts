import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { changeText } from '../../src/cli/trust/change-text.ts';
import { FolderTrust } from '../../src/cli/trust/folder-trust.ts';
import { reachText } from '../../src/cli/trust/trust-texts.ts';
import { nothingReached } from '../../src/engine/launch/reach-of-profiles.ts';
import { loadProfiles } from '../../src/profiles/load-profiles.ts';
import { temporaryFolder } from './cli-process.ts';

const approvals = Array.from({ length: 3_000 }, (_, index) => `profile A, gate g${index}: asks a person before pay`);

describe('a question that is longer than a screen', () => {
  it('ends with what it is made of, so that many harmless lines hide no other', () => {
    const reach = { ...nothingReached, commands: ['sh ./start (toolset t)'], approvals };
    const lines = reachText({ reach, outside: [] }).split('\n');
    expect(lines.slice(-3)).toEqual([
      '  all of this, to scroll up to:',
      '    1 × programs to start',
      '    3000 × what they ask you, and what they let run unasked',
    ]);
    expect(lines).toHaveLength(3_002 + 1 + 3);
  });

  it('one very long line counts like many', () => {
    const reach = { ...nothingReached, code: ['a.ts'], commands: [`sh ${'x '.repeat(10_000)}`] };
    expect(reachText({ reach, outside: [] })).toMatch(/1 × programs to start\n {4}1 × code to load[^\n]*$/);
  });

  it('so does one about changes', () => {
    const before = { reach: nothingReached, outside: [], files: [] };
    const files = Array.from({ length: 100 }, (_, index) => ({ path: `f${index}.yaml`, hash: 'x' }));
    const now = { reach: { ...nothingReached, commands: ['sh ./start'] }, outside: [], files };
    expect(changeText(before, now)).toMatch(/1 × programs to start\n {4}100 × files$/);
  });

  it('a short one does not', () => {
    expect(reachText({ reach: { ...nothingReached, commands: ['sh'] }, outside: [] })).toBe('  programs to start:\n    sh');
  });
});

it('a refusal names a folder in one line, whatever its name is', async () => {
  const base = await temporaryFolder();
  const place = path.join(base, 'theirs\n  programs to start:\n    nothing');
  const set = await loadProfiles({
    files: [
      { path: 'a.yaml', text: 'name: A\ninstructions: x\ntool_access_policy: { allowed_toolsets: [shell] }\n' },
      { path: 'm.yaml', text: 'name: default\ntype: llm_config\nconfig: { provider: scripted, script: s.yaml }\n' },
      { path: 's.yaml', text: 'rules: []\notherwise: Done.\n' },
    ],
  });
  const trust = new FolderTrust({ place, isAgreed: false, env: { XDG_CONFIG_HOME: base } });
  await expect(trust.check({ ...set, folders: [place] })).rejects.toThrow(/theirs[^\n]*nothing is not trusted/);
});
