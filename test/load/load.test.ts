import { describe, expect, it } from 'vitest';
import { deadConsumers, fillInbox, growBusy, growOld, resumeCrowd, resumeLong, workTogether } from './measures.ts';

describe('load', { timeout: 120_000 }, () => {
  it('10,000 items in one inbox are all read, in order, at most 256 in a turn, in time that grows with their number', async () => {
    await fillInbox(500);
    const some = await fillInbox(1_000);
    const many = await fillInbox(10_000);
    expect(many.read).toEqual(Array.from({ length: 10_000 }, (_, index) => `item ${index}`));
    expect(many.mostPerTurn).toBeLessThanOrEqual(256);
    // Ten times as many; a hundred times the work would be quadratic.
    expect(many.cpu / some.cpu).toBeLessThan(40);
  });

  it('500 agents at once all work and all report', async () => {
    expect(await workTogether(500)).toMatchObject({ agents: 500, completed: true });
  });

  it('a run of 1,000 agents at work is taken up, every model call is made again once, and it completes', async () => {
    expect(await resumeCrowd(1_000)).toMatchObject({ live: 1_000, calls: 1_000, completed: true });
  });

  it('a run with 10,000 records is taken up', async () => {
    expect((await resumeLong(10_000)).records).toBeGreaterThanOrEqual(10_000);
  });

  it('an agent with a window takes no more memory after thousands of turns', async () => {
    const { heapPerTurn } = await growOld(2_500);
    // What a turn leaves behind is about 3,000 bytes as long as it is kept.
    expect(heapPerTurn).toBeLessThan(500);
  });

  it('neither does one that goes on by itself, tool call after tool call', async () => {
    const { turns, heapPerTurn } = await growBusy(2_000);
    expect(turns).toBeGreaterThan(2_500);
    expect(heapPerTurn).toBeLessThan(500);
  });

  it('E14: consumers that read one event and never another take up nothing', async () => {
    const { events, heapGrowth } = await deadConsumers(3_000, 200);
    // The state itself takes 240 to 300 bytes per event; consumers that kept an event each, or a reference to it, 1,600 more.
    expect(heapGrowth / events).toBeLessThan(450);
  });
});
