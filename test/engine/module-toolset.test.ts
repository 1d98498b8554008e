import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';

const files: Readonly<Record<string, string>> = {
  'profiles/Solo.yaml': `name: Solo
type: partner
instructions: You work.
tool_access_policy: { allowed_toolsets: [my] }
flow_decider:
  - { id: tool, condition: state.current_action, action: { type: continue_with_tool } }
  - { id: wait, action: { type: await_user_input } }
`,
  'llm_configs/default.yaml': `name: default
type: llm_config
config: { provider: scripted, script: scripts/offline.yaml }
`,
  'scripts/offline.yaml': `rules:
  - id: said
    when: size(messages[size(messages) - 1].tool_results) > 0
    reply: { text: "{{ last_results[0].content }}" }
otherwise: { tool_calls: [{ tool: my_say, args: {} }] }
`,
  'toolsets/my.yaml': `type: toolset
name: my
kind: module
settings: { path: ./tools/say.ts }
`,
  'tools/say.ts': `import { defineTool } from 'cadre';
import { end } from './end.ts';
export default defineTool({ name: 'say', description: 'Says a word.', execute: (): string => 'one' + end });
`,
  'tools/end.ts': `export const end: string = '!';
`,
};

async function teamFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'cadre-module-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(folder, 'team', name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, text);
  }
  return folder;
}

describe('F25: a run whose code has changed', () => {
  it('goes on with the code that it recorded, and takes the new one when it is asked to', async () => {
    const folder = await teamFolder();
    const { stdout } = await promisify(execFile)(process.execPath, [path.join(import.meta.dirname, 'module-child.ts'), folder], {
      env: { ...process.env, SOLO: files['profiles/Solo.yaml'] },
    });
    expect(JSON.parse(stdout)).toEqual({
      begun: 'one!',
      resumed: 'one!',
      launched: 'one?',
      'without its files': 'one!',
      current: 'one?',
    });
  });
});
