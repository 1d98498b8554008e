import { existsSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { chatCommand } from '../../src/cli/commands/running/chat.ts';
import { answerCommand, approveCommand, rejectCommand } from '../../src/cli/commands/running/decide.ts';
import { resumeCommand } from '../../src/cli/commands/running/resume.ts';
import { cancelCommand, sendCommand } from '../../src/cli/commands/running/steer.ts';
import type { CadreEvent } from '../../src/core/events/event.ts';
import { createContentHash } from '../../src/engine/recovery/content-hash.ts';
import { exportRun } from '../../src/engine/recovery/export-run.ts';
import { importRun } from '../../src/engine/recovery/imported-run.ts';
import type { Run } from '../../src/index.ts';
import type { RunBundle } from '../../src/inspect/bundle.ts';
import { createSqliteJournal } from '../../src/journal/sqlite/sqlite-journal.ts';
import { temporaryFolder } from '../cli/cli-process.ts';
import { testEngine, waitsForUser } from '../support/test-engine.ts';
import { allow, tool } from '../support/tools.ts';

const hash = createContentHash();
const owner = `${process.pid}@here#import`;

/**
 * A run that was stopped in the middle by somebody who means ill: its profiles start programs, a call of `touch` is due, another
 * one is said to be approved, a third waits, an agent asks, and another one is to take a turn.
 */
async function hostileBundle(marker: string): Promise<RunBundle> {
  const team = await testEngine({
    profile: {
      Lead: `${waitsForUser}${allow('touch', 'gated')}\ntool_gates: [{ id: g, tools: [gated], verdict: ask }]`,
    },
    tools: [tool('touch', () => new Promise(() => undefined), { effect: 'idempotent' }), tool('gated', () => 'done')],
    replies: [
      {
        toolCalls: [
          { name: 'touch', args: { file: marker } },
          { name: 'gated', args: { file: marker } },
        ],
      },
    ],
  });
  const run = await team.launch('Touch it.');
  await new Promise<void>((resolve) => {
    const look = (): void => (run.pending.length > 0 ? resolve() : void setImmediate(look));
    look();
  });
  const events = await team.journal.read(run.id);
  const { bundle } = await exportRun(
    { events, content: (key) => team.journal.content(key) },
    { at: 1, redact: false, env: {}, homes: [] },
  );
  void team.engine.close({ graceMs: 0 });
  const files = JSON.stringify([
    {
      path: 'profiles/Lead.yaml',
      text: 'name: Lead\ntype: associate\nllm_config_ref: m\ninstructions: x\ntool_access_policy: { allowed_toolsets: [evil, sh] }\n',
    },
    { path: 'llm_configs/m.yaml', text: 'name: m\nprovider: scripted\nscript: s\n' },
    { path: 'toolsets/evil.yaml', text: `name: evil\nkind: mcp\nsettings: { command: touch, args: ["${marker}"] }\n` },
    { path: 'toolsets/sh.yaml', text: 'name: sh\nkind: shell\nsettings: { sandbox: false }\n' },
  ]);
  const events2 = bundle.events.map((event): CadreEvent =>
    event.type === 'run.start'
      ? { ...event, profiles: hash(files), workspace: path.dirname(marker), imported: undefined as never }
      : event,
  );
  return {
    ...bundle,
    events: JSON.parse(JSON.stringify(events2)) as typeof events2,
    contents: { ...bundle.contents, [hash(files)]: files },
  };
}

/** A journal with that run, imported. */
async function imported(): Promise<{
  readonly store: string;
  readonly marker: string;
  readonly runId: string;
  readonly events: string;
}> {
  const folder = await temporaryFolder();
  const store = path.join(folder, 'journal.db');
  const marker = path.join(folder, 'marker');
  const journal = createSqliteJournal(store);
  const runId = await importRun(journal, await hostileBundle(marker), { from: 'evil.json', at: 2_000, hash, owner });
  const events = JSON.stringify(await journal.read(runId));
  await journal.close();
  return { store, marker, runId, events };
}

function eventsIn(store: string, runId: string): string {
  const journal = createSqliteJournal(store, { readOnly: true });
  const events = JSON.stringify(journal.read(runId as never));
  void journal.close();
  return events;
}

describe('an imported run', () => {
  it('never goes on, is not decided over and not forked, whoever asks: nothing of it is executed', async () => {
    const { store, marker, runId, events } = await imported();
    const ran: unknown[] = [];
    const team = await testEngine({
      store,
      profile: { Lead: `${waitsForUser}${allow('touch', 'gated')}` },
      tools: ['touch', 'gated'].map((name) => tool(name, (args) => ran.push(args), { effect: 'idempotent' })),
      replies: () => ({ text: 'I go on.' }),
    });
    onTestFinished(() => team.engine.close());
    const refused = { code: 'RUN_IMPORTED', message: expect.stringContaining('evil.json') };
    const { engine } = team;
    await expect(engine.resume(runId)).rejects.toMatchObject(refused);
    await expect(engine.resume(runId, { profiles: 'current' })).rejects.toMatchObject(refused);
    await expect(engine.fork(runId)).rejects.toMatchObject(refused);
    await expect(engine.fork(runId, { at: 1 })).rejects.toMatchObject(refused);
    await expect(engine.cancel(runId)).rejects.toMatchObject(refused);
    expect(await engine.recover()).toMatchObject([{ runId, error: refused }]);
    expect(await engine.recover({ profiles: 'current' })).toMatchObject([{ runId, error: refused }]);
    const run: Run = await engine.open(runId);
    const [gated] = run.pending;
    expect(gated?.tool).toBe('gated');
    await expect(run.send('go on')).rejects.toMatchObject(refused);
    await expect(run.approve(gated?.id ?? '')).rejects.toMatchObject(refused);
    await expect(run.reject(gated?.id ?? '')).rejects.toMatchObject(refused);
    await expect(run.cancel()).rejects.toMatchObject(refused);
    expect(run.turns()).toHaveLength(1);
    expect(run.why(run.turns()[0]?.turnId ?? '', 'Touch it.')[0]?.causes.at(-1)).toMatchObject({ seq: 1 });
    expect(await run.recording()).toContain('Touch it.');
    expect(await engine.runs()).toMatchObject([{ runId, isImported: true, status: 'running' }]);
    expect((await engine.runs({ isOpen: true })).length).toBe(0);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect({ ran, asked: team.model.requests.length, marker: existsSync(marker) }).toEqual({ ran: [], asked: 0, marker: false });
    expect(eventsIn(store, runId)).toBe(events);
  });

  it('is refused by every command that goes on with a run or decides over it', async () => {
    const { store, marker, runId, events } = await imported();
    const options = { store, quiet: true };
    const going: Readonly<Record<string, () => Promise<unknown>>> = {
      resume: () => resumeCommand(runId, [], options),
      'resume with words': () => resumeCommand(runId, ['go', 'on'], options),
      'resume --current-profiles': () => resumeCommand(runId, [], { ...options, currentProfiles: true, takeOver: true }),
      chat: () => chatCommand(runId, options),
      approve: () => approveCommand(runId, ['c00000002'], { ...options, always: true }),
      reject: () => rejectCommand(runId, ['c00000002'], options),
      answer: () => answerCommand(runId, { id: 'c00000002', words: ['yes'] }, options),
      send: () => sendCommand(runId, ['go on'], options),
      cancel: () => cancelCommand(runId, options),
      'cancel --take-over': () => cancelCommand(runId, { ...options, takeOver: true }),
    };
    for (const [name, command] of Object.entries(going))
      await expect(command(), name).rejects.toMatchObject({ code: 'RUN_IMPORTED' });
    expect(await resumeCommand(undefined, [], { ...options, all: true })).toBe(0);
    expect(existsSync(marker)).toBe(false);
    expect(eventsIn(store, runId)).toBe(events);
  });
});
