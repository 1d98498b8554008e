import { it } from 'vitest';
import { expectGolden } from './golden-log.ts';
import { act, angesTeam, asked, streamOf } from '../scenarios/anges-team.ts';

/** An orchestrator, an analyst and an executor at a file; each turn with the stream it read, what was said and what came of it. */
async function turns(): Promise<string> {
  const finish = (message: string) => act('finish_terminate', { status: 'success', message });
  const { engine, model } = await angesTeam(
    {
      orchestrator: [
        act('call_agent', { profile: 'task_analyzer', input: 'What does tea.txt lack?' }, 'First the analyst.'),
        act('call_agent', { profile: 'task_executor', input: 'Add the time to tea.txt.' }, 'Now it is carried out.'),
        finish('tea.txt says how long.'),
      ],
      task_analyzer: [act('reading_read_file', { path: 'tea.txt' }), finish('Execution Plan: a line with the time.')],
      task_executor: [
        act('edit_file', { command: 'insert', path: 'tea.txt', insert_line: -1, new_str: 'Wait three minutes.' }, 'At the end.'),
        act('read_file', { path: 'coffee.txt' }),
        finish('Added.'),
      ],
    },
    { 'tea.txt': 'Boil the water.\n' },
  );
  const run = await engine.launch({ profile: 'orchestrator', input: 'Complete tea.txt.' });
  await run.settled();
  const streams = asked(model).map(streamOf);
  return run
    .turns()
    .map(({ turnId, status, reply, toolInteractions, decision }, index) =>
      [
        `==== ${turnId} (${status}, ${decision.action?.type ?? ''})`,
        streams[index],
        `---- says\n${reply.said ?? reply.text}`,
        ...toolInteractions.map((call) => `---- ${call.name} (${call.status})\n${String(call.content)}`),
      ].join('\n'),
    )
    .join('\n\n');
}

it('the golden turns of anges are the same, byte for byte (UPDATE_GOLDEN=1 writes them anew)', async () => {
  expectGolden('anges.txt', await turns());
});
