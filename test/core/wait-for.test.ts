import { expect, test } from 'vitest';
import type { AgentId, ContentHash } from '../../src/core/ids.ts';
import { waitsForAgent } from '../../src/core/tool/wait-for.ts';

const agents = (count: number): readonly AgentId[] => Array.from({ length: count }, (_, index) => `Adder_${index}` as AgentId);

test.each([1, 16, 17, 1_000])('a call that waits for %i agents waits for each of them, and for no other', (count) => {
  const waitFor = { kind: 'agents', agentIds: agents(count) } as const;
  expect(agents(count + 1).filter((agentId) => waitsForAgent(waitFor, agentId))).toEqual(agents(count));
});

test('a call that waits for a person waits for no agent', () => {
  expect(waitsForAgent({ kind: 'question', prompt: 'Which one?', fingerprint: 'f' as ContentHash }, 'Adder_1' as AgentId)).toBe(
    false,
  );
});
