import { describe, expect, it } from 'vitest';
import { formatHistory } from '../../src/inspect/format/format-history.ts';
import { agentNamed } from '../../src/inspect/agent-named.ts';
import { agentHistory } from '../../src/inspect/history.ts';
import { answers, boss, clerk, engineOver, poet } from '../scenarios/agents.ts';
import { call, say, speaks } from '../scenarios/scenario.ts';
import { finish } from '../scenarios/team.ts';

const asking = clerk
  .replace('llm_config_ref: clerk', 'llm_config_ref: clerk\ncallable_profiles: [Poet]')
  .replace('[flow_control_end]', '[agents, flow_control_end]');

async function played() {
  const models = {
    boss: speaks(
      call('ask_clerk', { question: 'Which tea?' }),
      call('ask_clerk', { question: 'How long?', agent_id: 'Clerk_2' }),
      'End.',
    ),
    clerk: speaks(call('call_agent', { profile: 'Poet', input: 'A line.' }), finish('Green.'), say('Three minutes.')),
    poet: answers({}, say('Leaves\u001b[31m in water.')),
  };
  const { engine } = await engineOver([boss, asking, poet], models);
  const run = await engine.launch({ profile: 'Boss', input: 'Go.' });
  await run.settled();
  return run.state;
}

describe('what an agent did, with what those it called did', () => {
  it('[A5.child-flattening] stands in line: from the request of each call to the end it waited for, also of an agent that goes on', async () => {
    const state = await played();
    const events = agentHistory(state, agentNamed(state, undefined));
    expect(events.map(({ number, type, agentId, depth }) => `${number} ${' '.repeat(depth)}${agentId} ${type}`)).toEqual([
      '1 Boss_1 NEW_REQUEST',
      '2 Boss_1 ACTION',
      '3  Clerk_2 NEW_REQUEST_FROM_PARENT',
      '4  Clerk_2 ACTION',
      '5   Poet_3 NEW_REQUEST_FROM_PARENT',
      '6   Poet_3 TEXT_RESPONSE',
      '7  Clerk_2 CHILD_AGENT_RESULT',
      '8  Clerk_2 ACTION',
      '9 Boss_1 CHILD_AGENT_RESULT',
      '10 Boss_1 ACTION',
      '11  Clerk_2 FOLLOW_UP_REQUEST_FROM_PARENT',
      '12  Clerk_2 TEXT_RESPONSE',
      '13 Boss_1 CHILD_AGENT_RESULT',
      '14 Boss_1 TEXT_RESPONSE',
    ]);
    expect(events[10]?.text).toContain('How long?');
    expect(events[12]?.text).toContain('Three minutes.');
    expect(agentHistory(state, agentNamed(state, 'Clerk_2')).map(({ depth }) => depth)).toEqual([0, 0, 1, 1, 0, 0, 0, 0]);
  });

  it('is text for terminals, without what would change them; an agent the run does not have is named', async () => {
    const state = await played();
    const text = formatHistory(agentHistory(state, agentNamed(state, undefined)));
    expect(text).toContain('        ## Event 5 TYPE: NEW_REQUEST_FROM_PARENT');
    expect(text).not.toContain('\u001b');
    expect(() => agentNamed(state, 'Nobody')).toThrow("the run has no agent 'Nobody'; it has Boss_1, Clerk_2, Poet_3");
  });
});
