/** The part of a tool that names in profiles refer to. */
export interface NamedTool {
  readonly name: string;
  readonly toolset: string;
  /** Kind of its toolset; absent when it has none. */
  readonly toolsetKind?: string;
  /** An outside server chose the tool's name and description. */
  readonly descriptionTrust?: 'untrusted';
}

/** Name in a gate that means all tools. */
export const everyTool = '*';

/*
 * Meaning of tool and toolset names in a profile.
 *
 * 1. A tool's own name, and the name of its toolset, always mean it.
 * 2. A toolset that is not named after its kind prefixes its tools with its name. The name of a kind means all toolsets of the kind, and
 *    the plain name of a tool (or the name prefixed with its toolset or the kind) means that tool, unless another tool of the agent has
 *    exactly that name. A name chosen by an outside server does not count here: it could remove a tool from its gate.
 * 3. Names in rules that permit calls (`isStrict`) use 2 only when the name is unambiguous.
 */

/** True when a name means a tool; `others` are the agent's tools. */
export function meansTool(name: string, tool: NamedTool, others: () => Iterable<NamedTool>, isStrict = false): boolean {
  if (name === tool.name) return true;
  if (!isOtherName(name, tool)) return false;
  for (const other of others()) {
    if (other.name === name && (isStrict || other.descriptionTrust !== 'untrusted')) return false;
    if (isStrict && other.name !== tool.name && isOtherName(name, other)) return false;
  }
  return true;
}

/** True when a name means a tool's toolset, by its name or its kind. */
export function meansToolset(name: string, tool: NamedTool, others: () => Iterable<NamedTool>, isStrict = false): boolean {
  if (name === tool.toolset) return true;
  if (name !== tool.toolsetKind) return false;
  if (!isStrict) return true;
  for (const other of others()) if (other.toolset === name) return false;
  return true;
}

/** Returns the other form of a tool's name, without or with its toolset as a prefix; undefined when it has none. */
export function otherName({ name, toolset }: NamedTool): string | undefined {
  if (name === toolset) return undefined;
  const prefix = `${toolset}_`;
  return name.startsWith(prefix) ? name.slice(prefix.length) : prefix + name;
}

/** True when a name is another form of a tool's name: plain, or prefixed with its toolset or the kind of it. */
export function isOtherName(name: string, tool: NamedTool): boolean {
  return name === otherName(tool) || name === kindName(tool);
}

/** Returns the plain name prefixed with the toolset's kind, as one would expect of a toolset named after its kind. */
function kindName({ name, toolset, toolsetKind }: NamedTool): string | undefined {
  if (toolsetKind === undefined || toolsetKind === toolset || name === toolset) return undefined;
  const prefix = `${toolset}_`;
  return `${toolsetKind}_${name.startsWith(prefix) ? name.slice(prefix.length) : name}`;
}
