import { hostname } from 'node:os';
import type { CadreEvent, EventDraft } from '../../src/core/events/event.ts';
import type { AgentId, CallId, ContentHash, ItemId, RunId, TurnId } from '../../src/core/ids.ts';
import type { Commit, ContentEntry } from '../../src/core/events/journal.ts';
import type { Limits } from '../../src/core/profile/profile.ts';

/** Wall time of the first sample event. */
export const sampleTime = 1_750_000_000_000;

const limits: Limits = {
  maxTurns: 50,
  maxToolCalls: 100,
  maxTokens: 100_000,
  maxCostUsd: 1,
  maxWallMs: 60_000,
  maxDepth: 3,
  maxChildren: 4,
  maxLive: 64,
  maxTotal: 256,
  softAt: 0.8,
};

/** Returns an owner in this process; each nonce is another holder. */
export function sampleOwner(nonce: string, pid: number = process.pid): string {
  return `${pid}@${hostname()}#${nonce}`;
}

/** Returns a run id for a test. */
export function sampleRun(name: string): RunId {
  return name as RunId;
}

/** Returns a text under a hash. */
export function sampleContent(hash: string, text: string): ContentEntry {
  return { hash: hash as ContentHash, text };
}

/** Completes drafts to events after `expectedSeq`, one second apart. */
export function placed(runId: RunId, expectedSeq: number, drafts: readonly EventDraft[]): CadreEvent[] {
  return drafts.map((draft, index) => ({
    ...draft,
    runId,
    seq: expectedSeq + index + 1,
    at: sampleTime + (expectedSeq + index) * 1000,
  }));
}

/** Returns a commit of these drafts. */
export function sampleCommit(
  runId: RunId,
  expectedSeq: number,
  drafts: readonly EventDraft[],
  rest: { readonly contents?: readonly ContentEntry[]; readonly sync?: boolean } = {},
): Commit {
  return {
    runId,
    expectedSeq,
    events: placed(runId, expectedSeq, drafts),
    contents: rest.contents ?? [],
    sync: rest.sync ?? false,
  };
}

/** Returns the first events of a run. */
export function runBegin(title: string, profile = 'Partner'): EventDraft[] {
  return [
    { type: 'run.start', profile, title, input: 'hello', profiles: 'profiles-hash' as ContentHash, limits, engineVersion: '0.1.0' },
    {
      type: 'agent.start',
      agentId: 'Partner_1' as AgentId,
      profile,
      profileType: 'partner',
      depth: 0,
      initialParams: {},
      flowId: 'main',
    },
  ];
}

/** Returns the events of one turn with a tool call, in the two commits that an engine makes of them. */
export function toolTurn(turn: number): readonly [EventDraft[], EventDraft[]] {
  const agentId = 'Partner_1' as AgentId;
  const turnId = `Partner_1.t${turn}` as TurnId;
  const callId = `c${String(turn).padStart(8, '0')}` as CallId;
  const itemId = `i${turn}` as ItemId;
  const content = `found ${turn}: `.padEnd(100, 'a line of text. ');
  return [
    [
      {
        type: 'model.end',
        agentId,
        turnId,
        reply: {
          text: `let me look that up ${turn}`.padEnd(60, '.'),
          reasoning: '',
          toolCalls: [{ callId, providerCallId: `call_${turn}`, name: 'search', wireName: 'search', input: '{"q":"x"}' }],
          finishReason: 'tool-calls',
        },
        usage: { inputTokens: 100, outputTokens: 20 },
        attempts: [{ config: 'default', model: 'scripted', startedAt: sampleTime, ms: 5 }],
      },
      {
        type: 'turn.decide',
        agentId,
        turnId,
        observers: [],
        rules: [{ id: 'tool', matched: true }],
        action: { type: 'continue_with_tool', ruleId: 'tool' },
      },
      { type: 'tool.request', agentId, turnId, callId, name: 'search', args: { q: 'x' } },
      { type: 'tool.start', agentId, turnId, callId, attempt: 1 },
    ],
    [
      { type: 'tool.end', agentId, turnId, callId, status: 'ok', content, ms: 3 },
      {
        type: 'inbox.add',
        agentId,
        item: {
          itemId,
          source: 'TOOL_RESULT',
          payload: { tool_name: 'search', tool_call_id: callId, is_error: false, content },
          consumption: 'consume_on_read',
          delivery: 'next',
        },
      },
      { type: 'turn.end', agentId, turnId, status: 'completed' },
      {
        type: 'turn.start',
        agentId,
        turnId: `Partner_1.t${turn + 1}` as TurnId,
        turnType: 'agent',
        flowId: 'main',
        sourceTurnIds: [turnId],
        inputs: [
          {
            itemId,
            source: 'TOOL_RESULT',
            strategy: 'global',
            ingestor: 'tool_result',
            mode: 'append_as_new_message',
            role: 'tool',
            persistent: true,
            content,
            callId,
            wireName: 'search',
            isError: false,
          },
        ],
        observers: [],
        prompt: { system: 'system-hash' as ContentHash, tools: 'tools-hash' as ContentHash, from: 0, to: turn * 2 },
      },
    ],
  ];
}

/** Returns an event that only advances the sequence number. */
export function note(message: string): EventDraft {
  return { type: 'note.add', level: 'info', code: 'SAMPLE', message };
}
