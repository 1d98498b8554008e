import { describe, expect, it } from 'vitest';
import { limitsOf } from '../../src/engine/limit-options.ts';
import { testEngine, waitsForUser } from '../support/test-engine.ts';

describe('limits handed to an engine or a launch', () => {
  it.each([
    ['turns', 0],
    ['turns', -1],
    ['turns', 0.5],
    ['turns', Number.NaN],
    ['turns', Number.POSITIVE_INFINITY],
    ['tokens', '5'],
    ['tokens', undefined],
    ['tokens', {}],
    ['total', 0],
    ['live', 0.5],
    ['depth', -1],
    ['children', 1.5],
    ['costUsd', 0],
    ['costUsd', Number.POSITIVE_INFINITY],
    ['wallMs', Number.NaN],
    ['softAt', 1.1],
    ['steps', 3],
    ['constructor', 3],
  ])('%s: %s is refused', (name, value) => {
    expect(() => limitsOf({ [name]: value })).toThrowError(
      expect.objectContaining({ code: 'OPTION_INVALID', message: expect.stringContaining(name) }),
    );
  });

  it('takes short and full names, fractions where they mean something, and no children or levels at all', () => {
    const limits = limitsOf({ turns: 3, maxTokens: 1e308, costUsd: 0.01, wallMs: 0.5, depth: 0, children: 0, softAt: 1 });
    expect(limits).toEqual({
      maxTurns: 3,
      maxTokens: 1e308,
      maxCostUsd: 0.01,
      maxWallMs: 0.5,
      maxDepth: 0,
      maxChildren: 0,
      softAt: 1,
    });
    expect(JSON.parse(JSON.stringify(limits))).toEqual(limits);
  });

  it('what would be lost in the journal starts no run: it would end at once when it is taken up again', async () => {
    const { launch, engine } = await testEngine({ replies: [{ text: 'hm' }], profile: waitsForUser });
    await expect(launch('Go.', { limits: { turns: Number.POSITIVE_INFINITY } })).rejects.toMatchObject({ code: 'OPTION_INVALID' });
    expect(await engine.runs()).toEqual([]);
  });
});
