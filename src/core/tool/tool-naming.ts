/** The part of a tool that names in profiles refer to. */
export interface NamedTool {
  readonly name: string;
  readonly toolset: string;
  /** Kind of its toolset; absent when it has none. */
  readonly toolsetKind?: string;
  /** An outside server chose the tool's name and description. */
  readonly descriptionTrust?: 'untrusted';
}

/*
 * What a name of a tool or toolset in a profile means.
 *
 * 1. A tool's own name, and the name of its toolset, always mean it.
 * 2. A toolset of another name than its kind puts its name before those of its tools. The name of the kind means all of its toolsets, and
 *    the plain name of a tool (or the one with the name of the toolset, or of its kind, before it) means that tool, unless another tool of
 *    the agent has exactly that name. One that a server outside has named takes nothing away: it could take a tool out of its gate.
 * 3. What lets calls run (`isStrict`) takes 2 only when it can mean nothing else.
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
