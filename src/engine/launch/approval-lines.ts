import { isJsonObject, type JsonValue } from '../../core/json.ts';
import type { ProfileSet, ToolGate } from '../../core/profile/profile.ts';

/**
 * Describes, for a person who must agree, what profiles ask a person and what they let run unasked: every gate in its order, and every
 * setting that takes an approval away.
 */
export function approvalLines({ profiles, toolsets }: Pick<ProfileSet, 'profiles' | 'toolsets'>): readonly string[] {
  return [
    ...[...profiles.values()].flatMap(({ name, toolGates }) => toolGates.map((gate) => `profile ${name}, ${gateText(gate)}`)),
    ...[...toolsets.values()].flatMap(({ name, settings }) =>
      unapproved(settings, []).map((at) => `toolset ${name} runs tools unasked: ${at.join('.')}: false`),
    ),
  ];
}

const verdicts: Readonly<Record<ToolGate['verdict'], string>> = {
  allow: 'lets run unasked',
  ask: 'asks a person before',
  deny: 'refuses',
};

function gateText({ id, verdict, tools, toolsets, condition, expires }: ToolGate): string {
  const what = [...tools, ...toolsets.map((toolset) => `toolset ${toolset}`)].join(', ');
  const when = condition === undefined ? '' : `, where ${condition.source}`;
  const late = expires === undefined ? '' : `; ${expires.verdict} after ${expires.afterMs / 1000} s without an answer`;
  return `gate ${id}: ${verdicts[verdict]} ${what}${when}${late}`;
}

/** Returns the paths of `needs_approval: false` in settings, at any depth. */
function unapproved(value: JsonValue | undefined, at: readonly string[]): readonly (readonly string[])[] {
  if (Array.isArray(value)) return value.flatMap((item, index) => unapproved(item, [...at, String(index)]));
  if (!isJsonObject(value)) return at.at(-1) === 'needs_approval' && value === false ? [at] : [];
  return Object.entries(value).flatMap(([key, inner]) => unapproved(inner, [...at, key]));
}
