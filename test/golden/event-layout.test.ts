import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import * as common from '../../src/core/events/common-parts.ts';
import { eventDefinitions, checkEvent } from '../../src/core/events/event.ts';
import * as team from '../../src/core/events/team-parts.ts';
import * as turns from '../../src/core/events/turn-parts.ts';
import type { Schema } from '../../src/core/schema/schema.ts';

/** Codes and short keys in stored journals: entries may be added, none may change or go. */
const file = path.join(import.meta.dirname, 'event-layout.json');

function keysOf({ form }: Schema): Readonly<Record<string, string>> {
  return form.kind === 'record' ? form.keys : {};
}

describe('the layout of stored events', () => {
  it('has the codes and short keys that journals were written with', () => {
    const events = Object.fromEntries(
      [...eventDefinitions.values()].map(({ type, code, schema }) => [type, { code, ...keysOf(schema) }]),
    );
    const parts = Object.fromEntries(
      Object.entries({ ...common, ...turns, ...team })
        .filter(([, part]) => Object.keys(keysOf(part as Schema)).length > 0)
        .map(([name, part]) => [name, keysOf(part as Schema)]),
    );
    expect({ events, parts }).toEqual(JSON.parse(readFileSync(file, 'utf8')));
  });

  it('has a code of its own for every event, and a key of its own for every field', () => {
    const codes = [...eventDefinitions.values()].map(({ code }) => code);
    expect(new Set(codes).size).toBe(codes.length);
    for (const { schema } of eventDefinitions.values()) {
      const keys = Object.values(keysOf(schema));
      expect(new Set(keys).size).toBe(keys.length);
    }
  });
});

describe('the check of an event', () => {
  it.each<[string, unknown, string | undefined]>([
    ['a tool that starts', { type: 'tool.start', agentId: 'A_1', turnId: 'A_1.t1', callId: 'c1', attempt: 1 }, undefined],
    ['a count below 0', { type: 'tool.start', agentId: 'A_1', turnId: 'A_1.t1', callId: 'c1', attempt: -1 }, '.attempt'],
    ['an id that is none', { type: 'tool.start', agentId: 'A/1', turnId: 'A_1.t1', callId: 'c1', attempt: 1 }, '.agentId'],
    ['a field that is missing', { type: 'inbox.fail', agentId: 'A_1', itemId: 'i1' }, '.error'],
    [
      'a field within a field',
      { type: 'inbox.fail', agentId: 'A_1', itemId: 'i1', error: { code: 'X', message: 5 } },
      '.error.message',
    ],
    ['a field of a later version', { type: 'clock.jump', ms: 5, later: true }, undefined],
    ['an unknown type', { type: 'toString' }, '.type'],
  ])('%s', (_name, draft, place) => {
    expect(checkEvent({ ...(draft as object), runId: 'r1', seq: 1, at: 5 })?.path).toBe(place);
  });
});
