import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { ProfileWatch } from '../../src/cli/profile-watch.ts';
import { loadProfiles } from '../../src/profiles/load-profiles.ts';
import { type Running, startForTest, starterFolder, temporaryFolder } from './cli-process.ts';

/** Creates a folder with one profile under a fast watch, and collects its messages. */
async function watched(waits = true) {
  const folder = path.join(await temporaryFolder(), 'agent_profiles');
  await mkdir(path.join(folder, 'profiles'), { recursive: true });
  // Put there whole, as editors do: a watch on a busy machine may read a file that is half written.
  const put = async (name: string, text: string): Promise<void> => {
    await writeFile(`${folder}.fresh`, text);
    await rename(`${folder}.fresh`, path.join(folder, name));
  };
  await put('profiles/A.yaml', 'name: A\ntype: associate\ninstructions: Help.\n');
  await put('unused.json', '{}');
  const { files } = await loadProfiles(folder);
  const said: string[] = [];
  const watch = new ProfileWatch({ folder, loaded: files, restart: 'cadre serve', tell: (text) => said.push(text), every: 10 });
  onTestFinished(() => watch[Symbol.dispose]());
  const pass = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 150));
  if (waits) await pass();
  return { folder, put, said, watch, pass };
}

describe('F28: profiles that change on disk', () => {
  it('are said once per change, with the files, and that new runs use the loaded ones', async () => {
    const { put, said, watch, pass } = await watched();
    expect({ said, changed: watch.changed }).toEqual({ said: [], changed: [] });
    await put('profiles/A.yaml', 'name: A\ntype: associate\ninstructions: Help more.\n');
    await put('profiles/B.yaml', 'name: B\ntype: associate\ninstructions: Help.\n');
    await vi.waitFor(() => expect(watch.changed).toHaveLength(2));
    await pass();
    expect(said.at(-1)).toBe(
      'Profiles changed on disk: agent_profiles/profiles/A.yaml (changed), agent_profiles/profiles/B.yaml (new). New runs still use the loaded ones; restart cadre serve to load the changes.\n',
    );
    const count = said.length;
    // The same text with a new modification time.
    await put('profiles/A.yaml', 'name: A\ntype: associate\ninstructions: Help more.\n');
    await pass();
    expect(said).toHaveLength(count);
    await put('profiles/A.yaml', 'name: A\ntype: associate\ninstructions: Help most of all.\n');
    await vi.waitFor(() => expect(said).toHaveLength(count + 1));
  });

  it('that are put back are no longer said to differ', async () => {
    const { put, said, watch } = await watched();
    await put('profiles/A.yaml', 'name: A\n');
    await vi.waitFor(() => expect(watch.changed).toEqual(['agent_profiles/profiles/A.yaml (changed)']));
    await put('profiles/A.yaml', 'name: A\ntype: associate\ninstructions: Help.\n');
    await vi.waitFor(() => expect(watch.changed).toEqual([]));
    expect(said.at(-1)).toBe('Profiles on disk match the loaded ones again.\n');
  });

  it('a folder that is gone, and there again, does not end the watch', async () => {
    const { folder, said, watch } = await watched();
    await rename(folder, `${folder}-elsewhere`);
    await vi.waitFor(() => expect(watch.changed).toContain('agent_profiles/profiles/A.yaml (removed)'));
    await rename(`${folder}-elsewhere`, folder);
    await vi.waitFor(() => expect(watch.changed).toEqual([]));
    await rm(folder, { recursive: true });
    await vi.waitFor(() => expect(said).toHaveLength(3));
  });

  it('a file that appears once the watch has started is new, however soon', async () => {
    for (let round = 0; round < 10; round += 1) {
      const { folder, said, watch } = await watched(false);
      await watch.started;
      const file = `late-${round}.yaml`;
      await mkdir(path.join(folder, 'llm_configs'));
      await writeFile(path.join(folder, 'llm_configs', file), 'name: late\ntype: llm_config\nconfig: { model: ollama/x }\n');
      await expect.poll(() => said.join('')).toContain(`${file} (new)`);
    }
  });

  it('cadre serve says it on its terminal and in /api/info, and still ends at once', { timeout: 60_000 }, async () => {
    const cwd = await starterFolder();
    const running: Running = startForTest(['serve', '--open', '--port', '0'], { cwd });
    await running.until('(Ctrl-C');
    const url = running.said().match(/http:\/\/127\.0\.0\.1:\d+/)?.[0] ?? '';
    const info = async (): Promise<unknown> =>
      ((await (await fetch(`${url}/api/info`)).json()) as Record<string, unknown>)['changedProfiles'];
    expect(await info()).toEqual([]);
    await writeFile(
      path.join(cwd, 'agent_profiles/llm_configs/extra.yaml'),
      'name: extra\ntype: llm_config\nconfig: { model: ollama/x }\n',
    );
    await running.until('Profiles changed on disk: agent_profiles/llm_configs/extra.yaml (new).');
    expect(await info()).toEqual(['agent_profiles/llm_configs/extra.yaml (new)']);
    running.child.kill('SIGINT');
    expect(await running.finished).toMatchObject({ code: 0 });
  });
});
