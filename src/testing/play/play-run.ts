import { CadreError } from '../../core/error.ts';
import type { AgentId } from '../../core/ids.ts';
import { isJsonObject } from '../../core/json.ts';
import { callerOf } from '../../core/state/agent-path.ts';
import type { SubContext } from '../../core/state/sub-context.ts';
import type { Run } from '../../engine/run.ts';
import { compileScript, type Script } from '../../core/model/script.ts';
import { createScriptedModel } from '../../models/scripted/scripted-model.ts';
import { untilAborted } from '../../models/scripted/scripted-stream.ts';
import { Report } from '../../profiles/report.ts';
import { parseYaml } from '../../profiles/yaml/parse-yaml.ts';
import { SourceText } from '../../profiles/yaml/source-text.ts';
import { toPlain } from '../../profiles/yaml/source-node.ts';
import type { CaseBody, GivenReply, GivenRun } from '../cases/test-case.ts';
import type { TestedProfiles, CaseDoubles } from './tested-profiles.ts';
import { type PlayedRun, stateAfter } from './played.ts';
import { outcomeOf, toScripted } from './scripted-turns.ts';
import { takeStep } from './person-steps.ts';
import { replyOf } from './play-turn.ts';
import { untilQuiet } from './until-quiet.ts';

/** Settings of a run to play. */
export interface RunPlan {
  readonly profile: string;
  readonly maxTurns: number;
}

/** Plays the run of a case until it ends, or waits and its people have nothing left to do. */
export async function playRun(
  tested: TestedProfiles,
  body: CaseBody & { readonly run: GivenRun },
  plan: RunPlan,
): Promise<PlayedRun> {
  const { run: given, results = [] } = body;
  const script = given.script === undefined ? undefined : scriptOf(tested, given.script);
  const speakers = new Speakers(given);
  let steps = 0;
  const launched = Promise.withResolvers<Run>();
  const doubles: CaseDoubles = {
    reply: async ({ path }, signal) => {
      const { state } = await launched.promise;
      const agent = [...state.agents.values()].find((each) => callerOf(state, each).path === path);
      return agent === undefined ? await untilAborted(signal) : toScripted(speakers.next(agent));
    },
    tool: async (_run, agent, call) => outcomeOf(call, speakers.latest(agent), results),
  };
  const model = script === undefined ? undefined : createScriptedModel(script);
  await using opened = await tested.engine(
    doubles,
    () => () => {
      steps += 1;
    },
    model,
  );
  const { request } = body.given ?? {};
  const run = await opened.engine.launch(
    { profile: plan.profile, input: given.input },
    { limits: { turns: plan.maxTurns }, ...(request === undefined ? {} : { request }) },
  );
  launched.resolve(run);
  const people = [...(given.people ?? [])];
  const total = people.length;
  const settle = async (): Promise<void> =>
    await untilQuiet(opened, {
      isDone: () => run.state.outcome !== undefined,
      steps: () => steps,
      mayAdvance: () => run.state.activity > 0,
    });
  await settle();
  for (let step = people.shift(); step !== undefined; step = people.shift()) {
    if (run.state.outcome !== undefined || !(await takeStep(run, step, total - people.length - 1))) {
      people.unshift(step);
      break;
    }
    await settle();
  }
  const events = await opened.journal.read(run.id);
  const turns = run.turns();
  const content = (hash: Parameters<typeof opened.journal.content>[0]): string | undefined => opened.journal.content(hash);
  return { set: tested.set, events, state: stateAfter(events, events.length), content, turns, unusedSteps: people.length };
}

/** Gives each agent its own replies, or those of its profile, from the first one on. */
class Speakers {
  readonly #given: GivenRun;
  readonly #calls = new Map<AgentId, number>();

  constructor(given: GivenRun) {
    this.#given = given;
  }

  next(agent: SubContext): ReturnType<typeof replyOf> {
    const { agentId, profile } = agent.meta;
    const number = (this.#calls.get(agentId) ?? 0) + 1;
    this.#calls.set(agentId, number);
    const replies = this.#of(agent);
    const reply = replies[number - 1];
    if (reply !== undefined) return replyOf(reply);
    return { error: `the test has ${replies.length} replies for ${profile}, and ${agentId} asks for number ${number}` };
  }

  #of({ meta: { agentId, profile } }: SubContext): readonly (string | GivenReply)[] {
    const { replies = {} } = this.#given;
    return replies[agentId] ?? replies[profile] ?? [];
  }

  latest(agent: SubContext): ReturnType<typeof replyOf> | undefined {
    const reply = this.#of(agent)[(this.#calls.get(agent.meta.agentId) ?? 0) - 1];
    return reply === undefined ? undefined : replyOf(reply);
  }
}

/** Compiles a script of the profiles. Fails with OPTION_INVALID when there is none at the path. */
function scriptOf({ set }: TestedProfiles, path: string): Script {
  const scripts = set.files.filter(({ path: file }) => /(?:^|\/)scripts\//.test(file));
  const found = scripts.find(({ path: file }) => file === path || file.endsWith(`/${path}`));
  if (found === undefined) {
    const there = scripts.map(({ path: file }) => file).join(', ') || 'none';
    throw new CadreError('OPTION_INVALID', `there is no script '${path}' in the profiles; there are: ${there}`);
  }
  const root = parseYaml(new SourceText(found.path, found.text), new Report());
  const plain = root === undefined ? undefined : toPlain(root);
  const compiled = compileScript(isJsonObject(plain) ? plain : {});
  // The engine has compiled it with the profiles.
  if (!compiled.ok) throw new CadreError('PROFILE_INVALID', `${found.path}: the script does not compile`);
  return compiled.script;
}
