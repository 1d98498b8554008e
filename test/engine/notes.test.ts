import { describe, expect, it } from 'vitest';
import { servedTeam } from '../server/http/served-team.ts';
import { systemOf } from '../scenarios/anges-team.ts';
import { testEngine, waitsForUser } from '../support/test-engine.ts';
import { verifyRun } from '../support/verify-run.ts';

const reading = `
${waitsForUser}
system_prompt_construction:
  system_prompt_segments:
    - { id: role, content: You work. }
    - { id: notes, type: state_value, source_state_path: team.shared.notes, ingestor_id: notes, ingestor_params: { title: "## Notes" } }
`;

async function team(options: Parameters<typeof testEngine>[0] = {}) {
  const made = await testEngine({ profile: { Root: reading, Other: reading }, replies: () => ({ text: 'Yes.' }), ...options });
  const systems = (): readonly string[] => made.model.requests.map(systemOf);
  return { ...made, systems };
}

describe('[B.40] [A5.notes] notes of people', () => {
  it('are read from the next turn on by the agents they are for; they are changed and taken away, and are on record', async () => {
    const { engine, launch, systems, journal, model } = await team();
    const run = await launch('Go.', { notes: [{ title: 'House', content: 'Be brief.' }] });
    await run.settled();
    await run.note({ title: 'Tests', content: 'Run them.', agent: 'Root' });
    await run.note({ title: 'Elsewhere', content: 'Not yours.', agent: 'Other' });
    await run.note({ title: 'This one', content: 'You alone.', agent: 'Root_1' });
    await run.send('Again.');
    await run.settled();
    await run.note({ title: 'House', content: 'Be exact.' });
    await run.note({ title: 'Tests', content: '', agent: 'Root' });
    await run.send('And again.');
    await run.settled();
    expect(systems()).toEqual([
      'You work.\n\n## Notes\n\n### House\nBe brief.',
      'You work.\n\n## Notes\n\n### House\nBe brief.\n\n### Tests\nRun them.\n\n### This one\nYou alone.',
      'You work.\n\n## Notes\n\n### House\nBe exact.\n\n### This one\nYou alone.',
    ]);
    expect(run.notes.map(({ title }) => title)).toEqual(['House', 'Elsewhere', 'This one']);
    const events = await verifyRun(run, journal, { requests: model.requests });
    expect(events.filter(({ type }) => type === 'state.patch')).toHaveLength(6);
    await engine.close();
    const again = await (await team({ store: journal })).engine.resume(run.id);
    expect(again.notes).toEqual(run.notes);
  });

  it('are refused when they cannot be kept, and hold no secret', async () => {
    const { launch } = await team({ secrets: ['open sesame'] });
    const run = await launch('Go.', { notes: [{ title: 'Door', content: 'Say open sesame.' }] });
    await run.note({ title: 'Gate', content: 'Say open sesame.' });
    expect(JSON.stringify(run.notes)).not.toContain('sesame');
    await expect(run.note({ title: ' ', content: 'x' })).rejects.toMatchObject({ code: 'OPTION_INVALID' });
    await expect(run.note({ title: 'x', content: 'y'.repeat(20_001) })).rejects.toMatchObject({ code: 'OPTION_INVALID' });
    await expect(run.note({ title: 'x', content: 'y', agent: 'Nobody' })).rejects.toMatchObject({ code: 'AGENT_UNKNOWN' });
    for (let index = 0; index < 98; index++) await run.note({ title: `n${index}`, content: 'x' });
    await expect(run.note({ title: 'one more', content: 'x' })).rejects.toThrow(/100 notes/);
    await run.cancel();
    await expect(run.note({ title: 'x', content: 'y' })).rejects.toMatchObject({ code: 'RUN_ENDED' });
  });

  it('add nothing to a run that ends while one is handed in', async () => {
    const { launch, journal } = await team();
    const run = await launch('Go.');
    await run.settled();
    const [, kept] = await Promise.allSettled([run.cancel(), run.note({ title: 'Late', content: 'x' })]);
    expect(kept).toMatchObject({ status: 'rejected', reason: { code: 'RUN_ENDED' } });
    expect((await journal.read(run.id)).at(-1)?.type).toBe('run.end');
  });

  it('are no more than a run keeps, whoever writes at the same time', async () => {
    const { engine, launch, journal } = await team();
    const run = await launch();
    await run.settled();
    for (let index = 0; index < 99; index++) await run.note({ title: `n${index}`, content: 'x' });
    const two = await Promise.allSettled(['a', 'b'].map((title) => run.note({ title, content: 'x' })));
    expect(two.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
    expect(run.notes).toHaveLength(100);
    await verifyRun(run, journal);
    await engine.close();
  });

  it('are kept over HTTP, too', async () => {
    const served = await servedTeam({ profile: reading, replies: () => ({ text: 'Yes.' }) });
    const run = await served.engine.launch({ profile: 'Root', input: 'Go.' });
    await run.settled();
    const post = async (body: object) =>
      (
        await fetch(`${served.served.url}/api/runs/${run.id}/note`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(body),
        })
      ).status;
    expect(await post({ title: 'House', content: 'Be brief.' })).toBe(200);
    expect(await post({ title: 'House' })).toBe(400);
    expect(run.notes).toEqual([{ title: 'House', content: 'Be brief.' }]);
  });
});
