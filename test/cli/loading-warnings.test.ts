import { appendFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { runCli, starterFolder, startForTest } from './cli-process.ts';

const lead = 'agent_profiles/profiles/Lead.yaml';
const gates = `tool_gates:
  - { id: all, verdict: allow }
  - { id: careful, tools: [dispatch_submodules], verdict: ask }
`;

/** Creates a starter project with a gate that never decides. */
async function project(): Promise<string> {
  const folder = await starterFolder();
  await appendFile(path.join(folder, lead), gates);
  return folder;
}

const warning = /^warning agent_profiles\/profiles\/Lead\.yaml:\d+:\d+: gate `careful` never decides: .*\[UNREACHABLE_GATE\]$/gm;
const question = 'How often are tomatoes watered?';

describe('F83: warnings of loading are printed by every command that starts a run', () => {
  it('run, resume, fork and chat print them once on stderr, and JSON on stdout stays JSON', async () => {
    const cwd = await project();
    const ran = await runCli(['run', '--json', question], { cwd });
    expect(ran.code, ran.err).toBe(0);
    expect(ran.err.match(warning)).toHaveLength(1);
    for (const line of ran.out.trim().split('\n')) expect(() => void JSON.parse(line)).not.toThrow();
    const again = await Promise.all(
      [
        ['resume', 'last'],
        ['fork', 'last', '--at', '5'],
        ['chat', '--quiet'],
      ].map((words) => runCli(words, { cwd, input: '' })),
    );
    for (const { err } of again) expect(err.match(warning)).toHaveLength(1);
  }, 120_000);

  it('serve prints them, and --strict refuses', async () => {
    const cwd = await project();
    const served = startForTest(['serve', '--port', '0', '--open'], { cwd });
    await served.until('http://');
    served.child.kill('SIGTERM');
    expect((await served.finished).err.match(warning)).toHaveLength(1);
    for (const words of [['run', question], ['chat'], ['serve', '--port', '0', '--open'], ['mcp']]) {
      const { code, err } = await runCli([...words, '--strict'], { cwd, input: '' });
      expect([words, code]).toEqual([words, 2]);
      expect(err).toContain('the profiles have 1 warning, which strict loading refuses');
    }
  }, 120_000);
});

it('cadre validate --strict refuses profiles with warnings', async () => {
  const cwd = await project();
  const [plain, strict] = await Promise.all([['validate'], ['validate', '--strict']].map((words) => runCli(words, { cwd })));
  expect([plain?.code, plain?.out]).toEqual([0, expect.stringMatching(/^ok: .* 0 errors, 1 warning/m)]);
  expect([strict?.code, strict?.out]).toEqual([2, expect.stringMatching(/^0 errors, 1 warning/m)]);
});
