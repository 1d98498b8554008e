import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import type { ModelRequest } from '../../src/core/model/model.ts';
import { scriptedModel } from '../../src/models/scripted/scripted-replies.ts';
import { gatewayFor, replyOf, request } from './model-fixtures.ts';

it('a listener that outlives its attempt, as V8 may let it, keeps nothing of the attempt', async () => {
  const { signal } = new AbortController();
  const outliving: unknown[] = [];
  const add = signal.addEventListener.bind(signal) as (...given: unknown[]) => void;
  signal.addEventListener = (...given: unknown[]) => {
    outliving.push(given[1]);
    add(...given);
  };
  const { gateway, clock } = gatewayFor(scriptedModel(['Hello.']));
  const ask = async (): Promise<WeakRef<ModelRequest>> => {
    const asked = request({ signal });
    expect(replyOf(await clock.runUntil(gateway.call(asked))).text).toBe('Hello.');
    return new WeakRef(asked);
  };
  const asked = await ask();
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  for (let round = 0; round < 10 && asked.deref() !== undefined; round += 1) {
    await new Promise((resolve) => setTimeout(resolve, 5));
    collect();
  }
  expect(outliving).toHaveLength(1);
  expect(asked.deref()).toBeUndefined();
});
