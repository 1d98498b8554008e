import type { CompiledProfile } from '../../core/profile/profile.ts';
import type { Diagnostic } from '../../core/profile/profile.ts';
import { ownApprovalGate } from '../../core/tool/wait-for.ts';
import { nameHint } from '../../profiles/wording.ts';
import type { TestedProfiles } from '../play/tested-profiles.ts';
import type { TestCase, TestGroup } from './test-case.ts';

/** Returns a problem for everything a group names and the profiles do not have. */
export function checkNames(tested: TestedProfiles, group: TestGroup): readonly Diagnostic[] {
  return group.cases.flatMap((testCase) => new NameCheck(tested, testCase).problems());
}

type Path = readonly (string | number)[];

class NameCheck {
  readonly #openProfiles: TestedProfiles;
  readonly #case: TestCase;
  readonly #problems: Diagnostic[] = [];

  constructor(tested: TestedProfiles, testCase: TestCase) {
    this.#openProfiles = tested;
    this.#case = testCase;
  }

  problems(): readonly Diagnostic[] {
    const { body, profile: name } = this.#case;
    const { profiles } = this.#openProfiles.set;
    const profile = profiles.get(name);
    if (profile === undefined) {
      this.#name(body.profile === undefined ? [] : ['profile'], 'profile', name, [...profiles.keys()]);
      return this.#problems;
    }
    if (!profile.isActive || profile.isDeleted) this.#add(['profile'], 'NOT_ALLOWED', `profile '${name}' is disabled`);
    if (body.run === undefined) this.#turn(profile);
    else this.#run([...profiles.values()]);
    for (const [index, { tool }] of (body.results ?? []).entries())
      this.#name(['results', index, 'tool'], 'tool', tool, [...this.#openProfiles.toolNames]);
    return this.#problems;
  }

  #turn(profile: CompiledProfile): void {
    const { given, expect } = this.#case.body;
    const names = [...this.#openProfiles.set.profiles.keys()];
    for (const [index, agent] of (given?.agents ?? []).entries())
      this.#name(['given', 'agents', index, 'profile'], 'profile', agent.profile, names);
    for (const [index, started] of (expect.started ?? []).entries())
      this.#name(['expect', 'started', index], 'profile', started, names);
    this.#observers([profile]);
    const rules = profile.flowDecider.map(({ id }) => id);
    if (typeof expect.rule === 'string') this.#name(['expect', 'rule'], `rule of ${profile.name}`, expect.rule, rules);
    const gates = [...profile.toolGates.map(({ id }) => id), ownApprovalGate];
    for (const [index, call] of (expect.tool_calls ?? []).entries()) {
      const at = ['expect', 'tool_calls', index];
      if (call.gate !== undefined) this.#name([...at, 'gate'], `gate of ${profile.name}`, call.gate, gates);
      for (const [place, { id }] of (call.gates ?? []).entries())
        this.#name([...at, 'gates', place, 'id'], `gate of ${profile.name}`, id, gates);
    }
    const segments = profile.segments.map(({ id }) => id);
    for (const [index, { segment }] of (expect.prompt?.says ?? []).entries())
      if (segment !== undefined)
        this.#name(['expect', 'prompt', 'says', index, 'segment'], `segment of ${profile.name}`, segment, segments);
  }

  #run(profiles: readonly CompiledProfile[]): void {
    const { run, expect } = this.#case.body;
    const names = profiles.map(({ name }) => name);
    // A profile, or one agent of it: reasoner, reasoner_3.
    for (const name of Object.keys(run?.replies ?? {}))
      if (!names.includes(name.replace(/_\d+$/, ''))) this.#name(['run', 'replies', name], 'profile', name, names);
    for (const [index, { profile }] of (expect.agents ?? []).entries())
      this.#name(['expect', 'agents', index, 'profile'], 'profile', profile, names);
    if (typeof expect.turns === 'object')
      for (const name of Object.keys(expect.turns)) this.#name(['expect', 'turns', name], 'profile', name, names);
    this.#observers(profiles);
    const rules = profiles.flatMap(({ flowDecider }) => flowDecider.map(({ id }) => id));
    for (const [index, rule] of (expect.rules ?? []).entries()) this.#name(['expect', 'rules', index], 'rule', rule, rules);
  }

  #observers(profiles: readonly CompiledProfile[]): void {
    const { observers } = this.#case.body.expect;
    if (observers === undefined) return;
    const known = profiles.flatMap((profile) => [...profile.preTurnObservers, ...profile.postTurnObservers].map(({ id }) => id));
    const of = profiles.length === 1 ? `observer of ${profiles[0]?.name ?? ''}` : 'observer';
    const check = (path: Path, ids: readonly string[] = []): void => {
      for (const [index, id] of ids.entries()) this.#name([...path, index], of, id, known);
    };
    if (Array.isArray(observers)) return check(['expect', 'observers'], observers as readonly string[]);
    const { fired, quiet } = observers as { readonly fired?: readonly string[]; readonly quiet?: readonly string[] };
    check(['expect', 'observers', 'fired'], fired);
    check(['expect', 'observers', 'quiet'], quiet);
  }

  #name(path: Path, what: string, name: string, known: readonly string[]): void {
    if (!known.includes(name))
      this.#add(path, 'BAD_REFERENCE', `there is no ${what} '${name}'`, nameHint(name, known, 'there are'));
  }

  #add(path: Path, code: Diagnostic['code'], message: string, hint?: string): void {
    const source = this.#case.placeOf(path);
    this.#problems.push({ severity: 'error', code, message, source, ...(hint === undefined ? {} : { hint }) });
  }
}
