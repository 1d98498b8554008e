import { isScalar, Scalar } from 'yaml';
import { keyNode, listAt, mapAt, setText } from '../edit-yaml.ts';
import { dropOtherForm, keepKeys } from '../list-items.ts';
import { newTool, newToolset } from '../names.ts';
import { find, type SourceFile } from '../source-file.ts';
import { chainOf, textsOf, type SourceTree } from '../source-tree.ts';

const policyKey = 'tool_access_policy';
const listKeys = ['allowed_toolsets', 'allowed_individual_tools'] as const;

/** Converts the lists of allowed tools: applies new names and includes the lists of the bases, which Cadre's lists replace. */
export function convertTools(file: SourceFile, tree: SourceTree): void {
  const policy = mapAt(file.root, policyKey);
  if (policy === undefined) return dropOtherForm(file, file.root, { key: policyKey, form: 'a map of lists' });
  keepKeys(file, policy, { known: listKeys, what: policyKey });
  const bases = (chainOf(file, tree.profiles) ?? []).slice(1).toReversed();
  for (const key of listKeys) {
    const list = listAt(policy, key);
    if (list === undefined) {
      dropOtherForm(file, policy, { key, form: 'a list of names' });
      continue;
    }
    const inherited = bases.flatMap((base) => textsOf(base.data, policyKey, key)).flatMap((name) => newName(key, name, tree));
    const used = new Set<string>();
    list.items = list.items.filter(
      (item) => isText(item) && convertName(file, item, { tree, key }) && !used.has(item.value) && used.add(item.value),
    );
    const missing = [...new Set(inherited.map(({ name }) => name))].filter((name) => !used.has(name));
    list.items.unshift(...missing.map((name) => new Scalar(name)));
    if (missing.length > 0)
      find(file, 'changed', {
        at: keyNode(policy, key),
        message: `CommonGround joined lists with those of the bases; Cadre replaces them, so this list now also contains ${missing.join(', ')}`,
      });
  }
}

type ListKey = (typeof listKeys)[number];

function newName(key: ListKey, name: string, tree: SourceTree): readonly { readonly name: string; readonly note?: string }[] {
  if (name === '*') return [{ name }];
  const found = key === 'allowed_toolsets' ? newToolset(name) : newTool(name);
  if (found !== undefined) return [found];
  const server = key === 'allowed_toolsets' ? name : [...tree.servers].find((each) => name.startsWith(`${each}_`));
  return server !== undefined && tree.servers.has(server) ? [{ name }] : [];
}

function isText(item: unknown): item is Scalar<string> {
  return isScalar(item) && typeof item.value === 'string';
}

/** Replaces a name in a list with Cadre's; false when there is none. */
function convertName(
  file: SourceFile,
  item: Scalar<string>,
  { tree, key }: { readonly tree: SourceTree; readonly key: ListKey },
): boolean {
  const [found] = newName(key, item.value, tree);
  const what = key === 'allowed_toolsets' ? 'toolset' : 'tool';
  if (found === undefined) {
    find(file, 'not_converted', {
      at: item,
      message: `Cadre has no ${what} ${item.value}; the profile is converted without it`,
      hint: `declare it: a file in toolsets/ for an MCP server, or a custom tool in createEngine({ tools }); docs/tools.md lists the built-in ones`,
    });
    return false;
  }
  if (found.name === item.value) return true;
  const note = found.note === undefined ? '' : `: ${found.note}`;
  find(file, 'changed', { at: item, message: `the ${what} ${item.value} is now ${found.name}${note}` });
  setText(item, found.name);
  return true;
}
