import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { researchTeam } from '../../examples/commonground-research/team.ts';
import { contentText } from '../../src/core/prompt/message.ts';
import type { TurnRecord } from '../../src/index.ts';
import { countingIds, manualClock } from '../../src/testing/index.ts';

const file = path.join(import.meta.dirname, 'commonground.txt');

const documents = {
  'tea.md':
    '# Tea\n\n## Green tea\n\nGreen tea wants water of 80 °C. Boiling water makes it bitter.\n\n## Black tea\n\nBlack tea wants boiling water.\n',
  'coffee.md': '# Coffee\n\nCoffee wants water just below boiling, about 94 °C.\n',
};

/** A turn as the golden log has it: who, what for, after which turns, what was read, done and decided. */
function linesOf(turn: TurnRecord): string {
  const { turnId, turnType, status, sourceTurnIds, inputs, toolInteractions, decision, reply } = turn;
  return [
    `## ${turnId} (${turnType}, ${status})${sourceTurnIds.length === 0 ? '' : ` after ${sourceTurnIds.join(', ')}`}`,
    ...inputs.map(
      ({ source, ingestor, persistent, content }) =>
        `read ${source} by ${ingestor}${persistent ? '' : ' for this turn'}: ${short(contentText(content))}`,
    ),
    ...(reply.text === '' ? [] : [`said: ${short(reply.text)}`]),
    ...toolInteractions.map(
      ({ callId, name, args, status: how, content }) =>
        `${callId} ${name} ${short(JSON.stringify(args))} ${how}: ${short(content === undefined ? '' : contentText(content))}`,
    ),
    ...decision.rules.filter(({ matched }) => matched).map(({ id }) => `decided by ${id}`),
  ].join('\n');
}

function short(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ');
  return line.length > 200 ? `${line.slice(0, 200)}… (${line.length})` : line;
}

/** Plays the family of Associates, one after the other, so that every log is the same. */
async function turnLog(): Promise<string> {
  const folder = mkdtempSync(path.join(tmpdir(), 'commonground-golden-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const place of ['documents', 'work']) mkdirSync(path.join(folder, place));
  for (const [name, text] of Object.entries(documents)) writeFileSync(path.join(folder, 'documents', name), text);
  const { engine, close } = await researchTeam(
    {
      documents: path.join(folder, 'documents'),
      workspace: path.join(folder, 'work'),
      question: 'How hot is the water for green tea?',
      word: /water/g,
    },
    { clock: manualClock(), ids: countingIds(), random: () => 0, team: { maxParallel: 1 } },
  );
  const run = await engine.launch({ profile: 'Partner', input: 'How hot is the water for green tea?' });
  await run.settled();
  const log = run.turns({ type: 'all' }).map(linesOf);
  await close();
  return `${log.join('\n\n')}\n`;
}

describe('golden turn log of CommonGround', () => {
  it('[A1.12.associate-family] is the same each time (UPDATE_GOLDEN=1 writes it anew)', async () => {
    const now = await turnLog();
    if (process.env['UPDATE_GOLDEN'] === '1') writeFileSync(file, now);
    expect(now).toBe(readFileSync(file, 'utf8'));
  });
});
