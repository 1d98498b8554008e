import { describe, expect, it } from 'vitest';
import { CadreError } from '../../src/core/error.ts';
import type { Ids } from '../../src/core/ids.ts';
import type { Journal } from '../../src/index.ts';
import { countingIds, createMemoryJournal } from '../../src/testing/index.ts';
import { testEngine, type TestEngineOptions } from '../support/test-engine.ts';
import { delegate } from '../support/delegate.ts';
import { allow, tool } from '../support/tools.ts';
import { verifyRun } from '../support/verify-run.ts';

const effects = ['pure', 'idempotent', 'unsafe'] as const;

/** A journal with no space left from the k-th append on, until somebody frees some; `late` fails after having written. */
function failing(inner: Journal, at: number, late: boolean): { readonly store: Journal; free(): void; readonly appends: number } {
  let appends = 0;
  let full = true;
  return {
    store: {
      location: inner.location,
      acquire: (runId, owner) => inner.acquire(runId, owner),
      release: (lease) => inner.release(lease),
      append: (lease, commit) => {
        appends += 1;
        const fails = full && appends >= at;
        if (!fails || (late && appends === at)) void inner.append(lease, commit);
        if (fails) throw new CadreError('STORE_FAILED', 'no space left');
      },
      read: (runId, options) => inner.read(runId, options),
      content: (hash) => inner.content(hash),
      runs: () => inner.runs(),
      close: () => undefined,
    },
    free: () => {
      full = false;
    },
    get appends() {
      return appends;
    },
  };
}

function team(store: Journal, ran: string[], ids?: Ids): TestEngineOptions {
  return {
    profile: { Lead: allow('delegate', ...effects), Worker: allow(...effects) },
    tools: [
      delegate,
      ...effects.map((effect) =>
        tool(
          effect,
          async (_args, { toolCallId }) => {
            await Promise.resolve();
            ran.push(`${effect} ${toolCallId}`);
            return `${effect} done`;
          },
          { effect },
        ),
      ),
    ],
    replies: ({ prompt }) => {
      const text = JSON.stringify(prompt);
      if (!text.includes('"role":"tool"'))
        return {
          toolCalls: [
            ...effects.map((name) => ({ name, args: {} })),
            ...(text.includes('Go.') ? [{ name: 'delegate', args: { to: 'Worker' } }] : []),
          ],
        };
      return { text: 'done' };
    },
    store,
    ...(ids === undefined ? {} : { ids }),
  };
}

function laterIds(): Ids {
  const ids = countingIds();
  return {
    runId: () => `later_${ids.runId()}` as ReturnType<Ids['runId']>,
    itemId: () => `later_${ids.itemId()}` as ReturnType<Ids['itemId']>,
  };
}

describe('K6: a journal that cannot be written', () => {
  it.each([
    ['fails without writing', false],
    ['writes and then fails', true],
  ])(
    'at every append in turn (%s): the run halts where the journal stands, no tool runs whose start is not written, and it goes on later',
    async (_how, late) => {
      let reached = 0;
      for (let at = 2; ; at += 1) {
        const inner = createMemoryJournal();
        const disk = failing(inner, at, late);
        const ran: string[] = [];
        const first = await testEngine(team(disk.store, ran));
        const run = await first.launch('Go.');
        const outcome = await run.result.catch((error: unknown) => error);
        if (disk.appends < at) {
          expect(outcome).toMatchObject({ status: 'completed' });
          break;
        }
        reached += 1;
        expect(outcome, `append ${at}`).toMatchObject({ code: 'STORE_FAILED' });
        await expect(run.send('x')).rejects.toMatchObject({ code: run.state.outcome === undefined ? 'STORE_FAILED' : 'RUN_ENDED' });
        const written = await inner.read(run.id);
        const started = new Set(written.flatMap((event) => (event.type === 'tool.start' ? [event.callId] : [])));
        for (const line of ran)
          if (!line.startsWith('pure')) expect(started, `append ${at}: ${line}`).toContain(line.split(' ')[1]);
        await first.engine.close();
        disk.free();
        const next = await testEngine(team(disk.store, ran, laterIds()));
        const again = await next.engine.resume(run.id);
        expect(await again.result, `append ${at}`).toMatchObject({ status: 'completed', output: 'done' });
        const events = await verifyRun(again, inner, { repeatable: new Set(['pure', 'idempotent']) });
        expect(events.slice(0, written.length)).toEqual(written);
        const unsafe = ran.filter((line) => line.startsWith('unsafe'));
        expect(new Set(unsafe).size, `append ${at}`).toBe(unsafe.length);
        await next.engine.close();
      }
      expect(reached).toBeGreaterThan(5);
    },
  );
});
