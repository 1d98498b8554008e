import { expect, it } from 'vitest';
import { CadreError } from '../../src/core/error.ts';
import { engineOptions } from '../../src/engine/public-options.ts';
import { createEngine, type EngineOptions } from '../../src/index.ts';
import { scriptedModel } from '../../src/testing/index.ts';
import { profileFiles } from '../support/test-engine.ts';

const good: EngineOptions = { profiles: { files: profileFiles('') }, models: { m: scriptedModel([]) }, store: 'memory' };

/** Values that no caller can mean, as untyped code hands them in. */
const hostile: readonly unknown[] = [null, '', 7, Number.NaN, true, [], [undefined], [{}], {}, Symbol('x'), () => 'x', new Date(0)];

it.each(Object.keys(engineOptions))(
  'F50: createEngine({ %s }) with anything at all makes an engine, or says what is wrong',
  async (option) => {
    for (const value of hostile) {
      try {
        const engine = await createEngine({ ...good, [option]: value });
        await engine.close();
      } catch (thrown) {
        expect(thrown, typeof value).toBeInstanceOf(CadreError);
        expect((thrown as CadreError).code).not.toBe('INTERNAL');
      }
    }
  },
);

it('F50: an option that does not exist is refused: a mistyped `trust` would trust everything', async () => {
  const mistyped = { ...good, trsut: () => undefined };
  await expect(createEngine(mistyped)).rejects.toMatchObject({
    code: 'OPTION_INVALID',
    message: expect.stringMatching(/createEngine has no option 'trsut'; there are: profiles, .*trust/) as string,
  });
  await expect(createEngine(undefined as unknown as EngineOptions)).rejects.toMatchObject({ code: 'OPTION_INVALID' });
});
