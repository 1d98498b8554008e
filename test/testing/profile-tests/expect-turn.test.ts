import { beforeAll, describe, expect, it } from 'vitest';
import { expectRun, expectTurn, loadTestProfiles, turnMatchers, type TestProfiles } from '../../../src/testing/index.ts';
import { clerk } from './team.ts';

expect.extend(turnMatchers);

interface TurnMatchers {
  toMatchTurn(expectations: object): Promise<void>;
  toMatchRun(expectations: object): Promise<void>;
}

describe('expectTurn', () => {
  let profiles: TestProfiles;
  const given = { inbox: [{ user: 'Hello' }] };
  beforeAll(async () => {
    profiles = await loadTestProfiles({
      profiles: {
        files: [
          { path: 'profiles/Clerk.yaml', text: clerk },
          { path: 'llm_configs/default.yaml', text: 'name: default\ntype: llm_config\nconfig: { model: openai/m }\n' },
        ],
      },
    });
  });

  it('plays a turn and checks it as a test file does', async () => {
    const turn = await expectTurn({
      profiles,
      profile: 'Clerk',
      given: { ...given, flags: { tired: true } },
      reply: { text: 'I look.', tool_calls: [{ tool: 'list_files', result: 'a.md' }] },
    });
    await turn.toDecide('call');
    await turn.toFire('hint', 'count');
    await turn.toSay('Take a break.', { observer: 'hint' });
    await turn.toLack('Work on.');
    await turn.toCall({ tool: 'list_files', gate: 'look', contains: 'a.md' });
    await turn.toEnd(false);
    await turn.toMatch({ state: { 'flags.turns': 1 }, tools: { offered: ['list_files'] } });
    expect(turn.record.turnId).toBe('Clerk_1.t1');
    expect(turn.state.agents.size).toBe(1);
    expect(turn.promptText).toMatch(/^=== system\n\nYou file papers\.\n\n=== user\n[\s\S]*\nHello\n\n=== tools\n/);
  });

  it('throws what is expected and what happened, with the path of the expectation', async () => {
    const turn = await expectTurn({ profiles, profile: 'Clerk', given, reply: 'Hi.' });
    await expect(turn.toMatch({ rule: 'call', state: { 'flags.turns': 3 } })).rejects.toThrow(
      /expect\.rule: another rule decided[\s\S]*- call\n\+ done[\s\S]*expect\.state\.flags\.turns: flags\.turns has another value[\s\S]*- 3\n\+ 1/,
    );
  });

  it('has matchers for vitest, with not', async () => {
    const turn = await expectTurn({ profiles, profile: 'Clerk', given, reply: '' });
    const about = () => expect(turn) as unknown as TurnMatchers & { readonly not: TurnMatchers };
    await about().toMatchTurn({ rule: 'quiet', end: 'error' });
    await about().not.toMatchTurn({ rule: 'done' });
    await expect(about().toMatchTurn({ rule: 'done' })).rejects.toThrow('another rule decided');
  });

  it('refuses names that do not exist, and snapshots of files', async () => {
    await expect(expectTurn({ profiles, profile: 'Clark', given, reply: '' })).rejects.toThrow(
      "there is no profile 'Clark' (did you mean `Clerk`?",
    );
    const turn = await expectTurn({ profiles, profile: 'Clerk', given, reply: '' });
    await expect(turn.toDecide('quite')).rejects.toThrow("expect.rule: there is no rule of Clerk 'quite' (did you mean `quiet`?");
    await expect(turn.toMatch({ prompt: { snapshot: true } })).rejects.toThrow('compare turn.promptText with a snapshot');
  });

  it('fails when the turn is never taken', async () => {
    await expect(expectTurn({ profiles, profile: 'Clerk', reply: 'Hi.' })).rejects.toThrow('nothing wakes its agent');
  });

  it('plays a run', async () => {
    const run = await expectRun({
      profiles,
      profile: 'Clerk',
      run: { input: 'Hi', replies: { Clerk: ['One.', 'Two.'] }, people: [{ say: 'More' }] },
    });
    await run.toMatch({ status: 'awaiting', turns: 2, output: 'Two.', people: true, rules: ['done'] });
    await expect(run.toMatch({ turns: 3 })).rejects.toThrow('other number of turns');
    expect(run.turns).toHaveLength(2);
    await (expect(run) as unknown as TurnMatchers).toMatchRun({ turns: 2 });
  });
});
