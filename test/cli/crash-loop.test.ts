import { describe, expect, it } from 'vitest';
import { isCrashLoop } from '../../src/cli/runs/resume-abandoned.ts';
import type { CadreEvent } from '../../src/core/events/event.ts';

/** Creates events from their types; each a second after the previous one, or as much later as given. */
function events(types: readonly string[], stepMs = 1_000): readonly CadreEvent[] {
  return types.map((type, index) => ({ type, at: index * stepMs, seq: index + 1 }) as unknown as CadreEvent);
}

const again = Array.from({ length: 5 }, () => ['run.resume', 'tool.start', 'note.add']).flat();

describe('F48: a run that ends each process that resumes it', () => {
  it('differs from one that got further in between, or that was resumed over days', () => {
    expect(isCrashLoop(events(['run.start', 'model.end', ...again]))).toBe(true);
    expect(isCrashLoop(events(again.slice(3)))).toBe(false);
    expect(isCrashLoop(events([...again.slice(3), 'tool.end', ...again.slice(3)]))).toBe(false);
    expect(isCrashLoop(events([...again, 'model.end']))).toBe(false);
    expect(isCrashLoop(events(again, 3_600_000))).toBe(false);
    expect(isCrashLoop([])).toBe(false);
  });
});
