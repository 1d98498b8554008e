import { describe, expect, it, onTestFinished } from 'vitest';
import { createEngine } from '../../src/index.ts';
import { countingIds, manualClock } from '../../src/testing/index.ts';
import { expectGolden, journalText } from './golden-log.ts';

/** The script of the team answers over the example's files; one worker at a time, so that the order is always the same. */
async function journal(): Promise<string> {
  const engine = await createEngine({
    profiles: 'agent_profiles/agent_framework',
    toolsets: { phases: { kind: 'phases', settings: { max_parallel: 1 } } },
    workspace: 'examples/agent-framework-orchestrator/workspace',
    store: 'memory',
    env: {},
    clock: manualClock(),
    ids: countingIds(),
    random: () => 0,
  });
  onTestFinished(async () => await engine.close());
  const run = await engine.launch({
    profile: 'orchestrator',
    input: 'What is the revenue by region, and within how many days may kettles be returned?',
  });
  expect((await run.result).status).toBe('completed');
  return await journalText(run);
}

describe('golden turn log of agent_framework', () => {
  it('is the same, byte for byte (UPDATE_GOLDEN=1 writes it anew)', async () => {
    expectGolden('agent-framework.jsonl', await journal());
  });
});
