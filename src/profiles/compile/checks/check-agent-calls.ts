import { isJsonObject } from '../../../core/json.ts';
import type { CompiledProfile } from '../../../core/profile/profile.ts';
import { callsOf, exposedProfiles } from '../../agent-calls.ts';
import type { Report } from '../../report.ts';
import { quote } from '../../wording.ts';
import type { MapNode } from '../../yaml/source-node.ts';
import { baseType } from '../base-type.ts';
import { mapNode, textItems, textNode } from '../read-node.ts';

type Profiles = ReadonlyMap<string, CompiledProfile>;

/**
 * Warns of callees that cannot start, and of agents that may call each other in a circle without a depth limit on any of them.
 */
export function checkAgentCalls(report: Report, profiles: Profiles, nodes: ReadonlyMap<string, MapNode>): void {
  for (const [name, node] of nodes) {
    const profile = profiles.get(name);
    const exposed = textNode(mapNode(node, 'exposable_as_tool'), 'name');
    if (exposed !== undefined && profile !== undefined)
      checkStartable(report, profile, { at: exposed.at, what: `${quote(name)} is exposed as a tool` });
    for (const callable of textItems(node, 'callable_profiles')) {
      const callee = profiles.get(callable.value);
      if (callee !== undefined)
        checkStartable(report, callee, { at: callable.at, what: `${quote(callable.value)} is to be called` });
    }
  }
  for (const circle of circles(profiles)) warnOfCircle(report, circle, { profiles, nodes });
}

function checkStartable(
  report: Report,
  profile: CompiledProfile,
  { at, what }: { readonly at: MapNode['at']; readonly what: string },
): void {
  if (profile.type === baseType)
    report.warning('NOT_ALLOWED', {
      at,
      message: `${what}, and is of the type base, which is only inherited from: no agent can call it`,
      hint: 'name a profile that inherits from it',
    });
  else if (!profile.isActive || profile.isDeleted)
    report.warning('NOT_ALLOWED', {
      at,
      message: `${what}, and is not active: no agent can call it`,
      hint: 'write is_active: true',
    });
}

/** Finds groups of profiles that can all reach each other through calls (Tarjan's strongly connected components). */
function circles(profiles: Profiles): readonly (readonly string[])[] {
  const exposed = exposedProfiles(profiles);
  const found: string[][] = [];
  const index = new Map<string, number>();
  const low = new Map<string, number>();
  const path: string[] = [];
  const onPath = new Set<string>();
  const visit = (name: string): number => {
    const own = index.size;
    index.set(name, own);
    low.set(name, own);
    path.push(name);
    onPath.add(name);
    const profile = profiles.get(name);
    const callees = profile === undefined ? [] : callsOf(profile, exposed).map((call) => call.profile);
    for (const callee of callees) {
      const reached = index.has(callee) ? (onPath.has(callee) ? index.get(callee) : undefined) : visit(callee);
      low.set(name, Math.min(low.get(name) ?? own, reached ?? own));
    }
    const lowest = low.get(name) ?? own;
    if (lowest === own) {
      const group = path.splice(path.indexOf(name));
      for (const member of group) onPath.delete(member);
      if (group.length > 1 || callees.includes(name)) found.push(group);
    }
    return lowest;
  };
  for (const { name, type } of profiles.values()) if (type !== baseType && !index.has(name)) visit(name);
  return found;
}

function warnOfCircle(
  report: Report,
  circle: readonly string[],
  { profiles, nodes }: { readonly profiles: Profiles; readonly nodes: ReadonlyMap<string, MapNode> },
): void {
  if (circle.some((name) => saysHowDeep(profiles.get(name)))) return;
  const [first = ''] = circle;
  const node = nodes.get(first);
  const at = textNode(node, 'name')?.at ?? node?.at;
  if (at === undefined) return;
  const who =
    circle.length === 1
      ? `agents of ${quote(first)} may call themselves`
      : `agents of ${circle.map(quote).join(', ')} may call each other in a circle`;
  const hint = 'say how deep that may go: exposable_as_tool.max_depth or limits.max_depth in one of them';
  report.warning('AGENTS_IN_A_CIRCLE', { at, message: who, hint });
}

function saysHowDeep(profile: CompiledProfile | undefined): boolean {
  const { exposable_as_tool: exposed, limits } = profile?.resolved ?? {};
  return [exposed, limits].some((value) => isJsonObject(value) && value['max_depth'] !== undefined);
}
