import { describe, expect, it, onTestFinished } from 'vitest';
import { ClientModel } from '../../src/models/client-model.ts';
import { ToolDesk } from '../../src/server/mcp/tool-desk.ts';
import { createMemoryJournal } from '../../src/testing/index.ts';
import { breathe, testEngine, waitsForUser } from '../support/test-engine.ts';
import { tool } from '../support/tools.ts';

const profile = `${waitsForUser}tool_access_policy: { allowed_individual_tools: [pay, look] }
tool_gates: [{ id: money, tools: [pay], verdict: ask }]
`;

async function deskOf() {
  const client = new ClientModel();
  const made: string[] = [];
  const tools = ['pay', 'look'].map((name) => tool(name, () => (made.push(name), name)));
  const store = createMemoryJournal();
  const { engine } = await testEngine({ profile, tools, models: { client: client.model }, store });
  onTestFinished(async () => await engine.close());
  const desk = new ToolDesk({ engine, client, profile: 'Root', launch: { llmConfig: 'client' } });
  const call = async (name: string, signal = new AbortController().signal, told: (words: string) => void = () => undefined) =>
    await desk.call(name, {}, { signal, progress: told });
  /** Starts a call that waits for a person; returns the call and a function that cancels it. */
  const asked = async () => {
    const stop = new AbortController();
    const waits = Promise.withResolvers<void>();
    const paying = call('pay', stop.signal, (words) => {
      if (words.includes('waits for a person')) waits.resolve();
    });
    paying.catch(() => undefined);
    await waits.promise;
    return { stop, paying };
  };
  return { call, asked, made, engine };
}

describe('the tools of a profile, called from outside', () => {
  it('a call made while the run of a cancelled one ends fails at most itself, and is not made by the next run', async () => {
    const { call, asked, made, engine } = await deskOf();
    const { stop, paying } = await asked();
    const [second] = await Promise.allSettled([call('look'), Promise.resolve().then(() => stop.abort())]);
    await expect(paying).rejects.toMatchObject({ code: 'RUN_ENDED' });
    const before = second.status === 'fulfilled' ? 1 : 0;
    expect(made).toHaveLength(before);
    expect(await call('look')).toMatchObject({ status: 'ok' });
    expect(made).toHaveLength(before + 1);
    expect(await engine.runs()).toHaveLength(2);
  });

  it('a call that waits for a person is refused when it is cancelled while others wait, and holds none of them up', async () => {
    const { call, asked, made, engine } = await deskOf();
    const { stop, paying } = await asked();
    const others = [call('look'), call('look')];
    for (let round = 0; round < 20; round += 1) await breathe();
    stop.abort();
    await expect(paying).rejects.toMatchObject({ code: 'RUN_ENDED' });
    expect(await Promise.all(others)).toMatchObject([{ status: 'ok' }, { status: 'ok' }]);
    expect(made).toEqual(['look', 'look']);
    expect(await engine.runs()).toHaveLength(1);
  });
});
