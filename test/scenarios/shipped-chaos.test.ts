import { describe, expect, it } from 'vitest';
import type { Run } from '../../src/index.ts';
import { chaosModel, chaosPerson, createMemoryJournal, type ScriptedRequest } from '../../src/testing/index.ts';
import { seededRandom } from '../../src/testing/seeded-random.ts';
import { verifyRun } from '../support/verify-run.ts';
import {
  failures,
  falseSuccesses,
  fastClock,
  furnishedWorkspace,
  openShipped,
  prioritiesOf,
  shippedProfiles,
  type ShippedProfile,
} from './shipped-runs.ts';

/** How many seeds each profile gets, and the first of them: `CHAOS_SEEDS=50 CHAOS_FROM=1 npx vitest run test/scenarios/shipped-chaos.test.ts`. */
const seeds = Number(process.env['CHAOS_SEEDS'] ?? 1);
const from = Number(process.env['CHAOS_FROM'] ?? 1);
const only = process.env['CHAOS_PROFILE'];

const profiles = (await shippedProfiles()).filter(({ name }) => only === undefined || name === only);
const input = 'Within how many days may a kettle be returned? Run `echo 30`.\nimage_path: kite.png';

/** Runs a profile on chaos to its end: engines are closed on the way, also in the midst of turns, and people decide at random. */
async function runOnChaos(profile: ShippedProfile, seed: number) {
  const random = seededRandom(seed);
  const store = createMemoryJournal();
  const workspace = furnishedWorkspace();
  const person = chaosPerson({ seed });
  const requests: ScriptedRequest[][] = [];
  const open = async () => {
    const model = chaosModel({ seed: seed + requests.length * 1000 });
    requests.push(model.requests as ScriptedRequest[]);
    return await openShipped(profile, { workspace, store, model, clock: fastClock(50) });
  };
  let engine = await open();
  let run: Run = await engine.launch({ profile: profile.name, input }, { limits: { turns: 16 } });
  for (let step = 0; step < 12 && run.state.outcome === undefined; step++) {
    if (random.chance(0.4)) {
      await Promise.race([run.settled(), new Promise((resolve) => setTimeout(resolve, random.below(20)))]);
      await engine.close();
      engine = await open();
      run = await engine.resume(run.id);
    }
    await run.settled();
    if (!(await person.attend(run))) break;
  }
  await run.settled();
  // Summaries of history are asked for beside turns.
  const ofTurns = requests.flat().filter(({ prompt }) => !JSON.stringify(prompt[0]).includes('You are given events of an agent'));
  return { run, store, engine, requests: ofTurns };
}

describe.each(profiles)('$team/$name', (profile) => {
  it.each(Array.from({ length: seeds }, (_, index) => from + index))(
    'keeps its rules, and the journal and the prompts their form, whatever the model says and people decide: seed %i',
    { timeout: 60_000 },
    async (seed) => {
      const { run, store, engine, requests } = await runOnChaos(profile, seed);
      expect(await engine.rerender(run.id), 'the same profiles decide every turn again').toMatchObject({ differences: [] });
      expect(failures(run)).toEqual([]);
      expect(falseSuccesses(run)).toEqual([]);
      await verifyRun(run, store, { requests, priorities: prioritiesOf(profile.set) });
    },
  );
});
