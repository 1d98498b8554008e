import { decidingGate } from '../../inspect/turn/turn-judgements.ts';
import path from 'node:path';
import type { EventOf } from '../../core/events/event.ts';
import { isJsonObject, type JsonValue } from '../../core/json.ts';
import type { CompiledProfile, ProfileSet } from '../../core/profile/profile.ts';
import type { SourceRef } from '../../core/profile/source-ref.ts';
import { readList } from '../../inspect/read-content.ts';
import {
  type BehaviourKind,
  behaviourKinds,
  type CoverageCounts,
  type TestedBehaviour,
  type TestedProfile,
  type TestRef,
} from '../../inspect/tests/test-report.ts';
import type { Played } from '../play/played.ts';

/** Most tests that are named for one behaviour. */
const namedTests = 5;

/** One declared behaviour that no test has exercised. */
export interface Unexercised {
  readonly kind: BehaviourKind;
  readonly id: string;
  /** Profile that declares it. */
  readonly profile: string;
  readonly at: SourceRef;
}

/** Coverage of one team. An inherited behaviour counts once, where it is declared, whichever profile exercised it. */
export interface TeamCoverage {
  /** Folder of the team. */
  readonly team: string;
  readonly counts: CoverageCounts;
  readonly profiles: readonly TestedProfile[];
  readonly unexercised: readonly Unexercised[];
}

interface Behaviour extends Unexercised {
  readonly key: string;
}

/** Collects what the cases of a team have exercised. */
export class CoverageMeter {
  readonly #team: string;
  /** Tests that exercised a behaviour, by its key. */
  readonly #seen = new Map<string, TestRef[]>();
  #test: TestRef | undefined;
  readonly #declared = new Map<string, Behaviour>();

  /** `team`: real or absolute path of the folder with the profiles. */
  constructor(team: string) {
    this.#team = team;
  }

  /** Adds the behaviours that the profiles of the team's own files declare. */
  declare(set: ProfileSet): void {
    for (const profile of set.profiles.values())
      for (const behaviour of behavioursOf(profile)) {
        const owner = [...set.profiles.values()].find(({ source }) => source.file === behaviour.at.file);
        if (behaviour.at.file.startsWith(`${path.basename(this.#team)}/`) && !this.#declared.has(behaviour.key))
          this.#declared.set(behaviour.key, { ...behaviour, profile: owner?.name ?? profile.name });
      }
  }

  /** Adds what one case has exercised. */
  add({ set, events, state, content }: Played, test: TestRef): void {
    this.#test = test;
    const profileOf = (agentId: string): CompiledProfile | undefined => {
      const agent = [...state.agents.values()].find(({ meta }) => meta.agentId === agentId);
      return agent === undefined ? undefined : set.profiles.get(agent.meta.profile);
    };
    for (const event of events) {
      if (event.type === 'turn.start') this.#addStart(profileOf(event.agentId), event, content);
      else if (event.type === 'turn.decide') {
        const profile = profileOf(event.agentId);
        for (const { id, fired } of event.observers) if (fired) this.#see(profile, 'observers', id);
        if (event.action.ruleId !== undefined) this.#see(profile, 'rules', event.action.ruleId);
      } else if (event.type === 'tool.request') {
        const profile = profileOf(event.agentId);
        this.#see(profile, 'tools', event.name);
      } else if ('gates' in event && event.gates !== undefined) {
        const gate = decidingGate(event.gates);
        if (gate !== undefined) this.#see(profileOf(event.agentId), 'gates', gate.id);
      }
    }
  }

  #addStart(profile: CompiledProfile | undefined, start: EventOf<'turn.start'>, content: Played['content']): void {
    if (profile === undefined) return;
    for (const { id, fired } of start.observers) if (fired) this.#see(profile, 'observers', id);
    for (const { source, strategy } of start.inputs) if (strategy === 'profile') this.#see(profile, 'strategies', source);
    if (start.prompt === undefined) return;
    for (const segment of readList(content, start.prompt.system))
      if (isJsonObject(segment) && typeof segment['hash'] === 'string') this.#see(profile, 'segments', String(segment['id']));
    for (const tool of readList(content, start.prompt.tools)) {
      const name = isJsonObject(tool) ? tool['name'] : tool;
      if (typeof name === 'string') this.#offer(profile, name);
    }
  }

  /** A tool that some turn offers is a behaviour, too: policies name toolsets, whose tools only a turn shows. */
  #offer(profile: CompiledProfile, tool: string): void {
    const key = keyOf('tools', tool, profile.source);
    if (profile.source.file.startsWith(`${path.basename(this.#team)}/`) && !this.#declared.has(key))
      this.#declared.set(key, { key, kind: 'tools', id: tool, profile: profile.name, at: profile.source });
  }

  #see(profile: CompiledProfile | undefined, kind: BehaviourKind, id: string): void {
    const found = profile === undefined ? undefined : behavioursOf(profile).find((each) => each.kind === kind && each.id === id);
    if (found !== undefined) this.#note(found.key);
    else if (profile !== undefined) this.#note(keyOf(kind, id, profile.source));
  }

  #note(key: string): void {
    const tests = this.#seen.get(key) ?? [];
    this.#seen.set(key, tests);
    // A case takes many turns, and counts once.
    if (this.#test !== undefined && tests.at(-1) !== this.#test) tests.push(this.#test);
  }

  #tested({ key, kind, id, at }: Behaviour): TestedBehaviour {
    const tests = this.#seen.get(key) ?? [];
    return { kind, id, at: openable(at, this.#team), tests: tests.length, by: tests.slice(0, namedTests) };
  }

  /** Returns the coverage so far. */
  result(): TeamCoverage {
    const all = [...this.#declared.values()].toSorted((a, b) => compare(a, b));
    const byProfile = Map.groupBy(all, ({ profile }) => profile);
    return {
      team: this.#team,
      counts: this.#count(all),
      profiles: [...byProfile].map(([profile, own]) => ({
        profile,
        counts: this.#count(own),
        behaviours: own.map((each) => this.#tested(each)),
      })),
      unexercised: all
        .filter(({ key }) => !this.#seen.has(key))
        .map(({ kind, id, profile, at }) => ({ kind, id, profile, at: openable(at, this.#team) })),
    };
  }

  #count(behaviours: readonly Behaviour[]): CoverageCounts {
    const entries = behaviourKinds.map((kind) => {
      const own = behaviours.filter((each) => each.kind === kind);
      return [kind, { exercised: own.filter(({ key }) => this.#seen.has(key)).length, total: own.length }] as const;
    });
    return Object.fromEntries(entries) as CoverageCounts;
  }
}

/** Names the file of a place so that it can be opened from the working folder. */
function openable(at: SourceRef, team: string): SourceRef {
  const file = path.relative('', path.join(path.dirname(team), at.file));
  return { ...at, file: file.startsWith('..') ? path.join(path.dirname(team), at.file) : file };
}

function compare(a: Behaviour, b: Behaviour): number {
  const kinds = behaviourKinds.indexOf(a.kind) - behaviourKinds.indexOf(b.kind);
  return a.profile === b.profile ? kinds || a.at.line - b.at.line : a.profile < b.profile ? -1 : 1;
}

// Pure cache: keyed by a profile, which never changes.
const behaviours = new WeakMap<CompiledProfile, readonly Behaviour[]>();

/** Returns the behaviours of a profile, inherited ones at the place that declares them. */
function behavioursOf(profile: CompiledProfile): readonly Behaviour[] {
  const known = behaviours.get(profile);
  if (known !== undefined) return known;
  const hasRules = profile.resolved['flow_decider'] !== undefined;
  const declared = [
    // Profiles without rules have the engine's, which are not theirs to test.
    ...(hasRules ? profile.flowDecider : []).map(({ id, source }) => behaviour('rules', id, source)),
    ...[...profile.preTurnObservers, ...profile.postTurnObservers].map(({ id, source }) => behaviour('observers', id, source)),
    ...profile.segments.map(({ id, source }) => behaviour('segments', id, source)),
    ...[...profile.strategies.keys()].map((id) => behaviour('strategies', id, strategyAt(profile, id))),
    ...profile.allowedTools.map((id) => behaviour('tools', id, profile.source)),
    ...profile.toolGates.map(({ id, source }) => behaviour('gates', id, source)),
  ].map((each) => ({ ...each, profile: profile.name }));
  behaviours.set(profile, declared);
  return declared;
}

/** Returns the place that declares the strategy for a source. */
function strategyAt({ resolved, origins, source }: CompiledProfile, id: string): SourceRef {
  const list = resolved['inbox_handling_strategies'];
  const index = Array.isArray(list)
    ? (list as readonly JsonValue[]).findIndex((each) => isJsonObject(each) && each['source'] === id)
    : -1;
  return origins.get(`inbox_handling_strategies[${index}].source`) ?? source;
}

function behaviour(kind: BehaviourKind, id: string, at: SourceRef): Omit<Behaviour, 'profile'> {
  return { kind, id, at, key: keyOf(kind, id, at) };
}

function keyOf(kind: BehaviourKind, id: string, { file, line }: SourceRef): string {
  return `${kind} ${id} ${file}:${line}`;
}
