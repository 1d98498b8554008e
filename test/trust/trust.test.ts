import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { corruptJournals } from './corrupt-journals.ts';
import { hangs } from './hangs.ts';
import { rivals } from './rivals.ts';
import { attackLists, secretLists } from './lists.ts';
import { trustRows } from './rows.ts';

describe('the trust table, in small', { timeout: 120_000 }, () => {
  it('N7: a tool, a connection and streams that hang end by themselves, without configuration', async () => {
    expect((await hangs()).map(({ ended, code }) => [ended, code])).toEqual([
      [true, 'TOOL_TIMEOUT'],
      [true, 'MODEL_TIMEOUT'],
      [true, 'MODEL_TIMEOUT'],
      [true, 'MODEL_TIMEOUT'],
    ]);
  });

  it('N10: a spoilt journal gives the same fold or a typed error, also where a damaged key would end the run early', async () => {
    const { journals, same, refused, wrong } = await corruptJournals(200, 20_261_300);
    expect(wrong).toEqual([]);
    expect(same + Object.values(refused).reduce((sum, count) => sum + count, 0)).toBe(journals);
    expect(refused['STORE_CORRUPT']).toBeGreaterThan(50);
  });

  it('N11: of processes that resume one run, one runs; stopped and taken over, it writes nothing when it goes on', async () => {
    expect(await rivals(4)).toMatchObject({ won: 1, locked: 3, zombieRecords: 0, zombieCode: 'STORE_CONFLICT' });
  });

  it('has a way to measure each promise, and the lists it runs are there', () => {
    for (const { id, measure } of trustRows) expect(measure, id).toBeTypeOf('function');
    for (const file of [...attackLists, ...secretLists]) expect(existsSync(file), file).toBe(true);
  });
});
