import { expect, it } from 'vitest';
import { withoutSecrets } from '../../src/cli/commands/import-commonground.ts';
import { convertFiles } from '../../src/compat/commonground/convert-tree.ts';

const key = `sk-${'a1B2c3D4e5'.repeat(3)}`;

it('what looks like a secret is in no file that is written, under whichever name it stood', () => {
  const tree = withoutSecrets(
    convertFiles([
      {
        path: 'theirs/llm_configs/fast.yaml',
        text: `name: fast\ntype: llm_config\nconfig:\n  model: openai/gpt-4o\n  api_base: https://user:hunter2secret@example.com/v1\n`,
      },
      {
        path: 'theirs/mcp.json',
        text: JSON.stringify({ mcpServers: { search: { command: 'search', env: { K: key }, args: [] } } }),
      },
      { path: 'theirs/profiles/A.yaml', text: `name: A\ntext_definitions: { hello: "Use ${key} for it." }\n` },
    ]),
  );
  const written = tree.files.map(({ text }) => text).join('\n');
  expect(written).not.toContain(key);
  expect(written).not.toContain('hunter2secret');
  expect(written).toContain('Use SECRET_LEFT_OUT for it.');
  const found = tree.findings.filter(({ message }) => message.includes('looks like a secret'));
  expect(found.map(({ file, kind }) => [file, kind])).toEqual([
    ['theirs/llm_configs/fast.yaml', 'not_converted'],
    ['theirs/mcp.json', 'not_converted'],
    ['theirs/profiles/A.yaml', 'not_converted'],
  ]);
  expect(JSON.stringify(tree.findings)).not.toContain(key);
});
