import { describe, expect, it } from 'vitest';
import { defineTool } from '../../src/index.ts';
import { countingIds, manualClock } from '../../src/testing/index.ts';
import { call, openEngine, speaks } from '../scenarios/scenario.ts';
import { assignment, dispatch, finish, launch, partner, plan, principal, worker, workers } from '../scenarios/team.ts';
import { expectGolden, journalText } from './golden-log.ts';

const shows = `${partner}
text_definitions: { done: The Principal is done. }
pre_turn_observers:
  - id: modules
    condition: size(team.work_modules) > 0
    action: { type: add_to_inbox, inbox_item: { source: WORK_MODULES_STATUS_UPDATE, payload: "{{ team.work_modules }}" } }
  - id: completed
    condition: inbox.exists(item, item.source == 'PRINCIPAL_COMPLETED')
    action: { type: add_to_inbox, inbox_item: { source: INTERNAL_DIRECTIVE, payload: { content_key: done } } }
`;

const measures = `${worker.replace('flow_control_summary] }', 'flow_control_summary], allowed_individual_tools: [measure] }')}
post_turn_observers:
  - { id: count, condition: state.current_action, action: { type: update_state, updates: [{ operation: increment, path: team.shared.calls }] } }
`;

const measure = defineTool({
  name: 'measure',
  description: 'Measures a temperature.',
  parameters: { type: 'object', properties: { what: { type: 'string' } }, required: ['what'] },
  effect: 'pure',
  execute: ({ what }) => `${String(what)}: 80 °C`,
});

/** Plays the same team every time: same words, same clock, same ids. */
async function journal(): Promise<string> {
  const engine = await openEngine({
    yaml: [shows, principal, measures],
    models: {
      partner: speaks(plan('Answer the question'), launch('How hot is green tea?'), 'Work has begun.', 'Green tea wants 80 °C.'),
      principal: speaks(plan('Measure it'), dispatch(assignment('WM_2', 'Measure green tea.')), finish('80 °C.', { celsius: 80 })),
      worker: workers({
        '80 °C': finish('Measured.', { primary_summary: '80 °C' }),
        'Measure green tea.': call('measure', { what: 'green tea' }),
      }),
    },
    tools: [measure],
    clock: manualClock(),
    ids: countingIds(),
  });
  const run = await engine.launch({ profile: 'Partner', input: 'How hot is green tea?' });
  await run.settled();
  await run.cancel('that was all');
  return await journalText(run);
}

describe('golden turn log', () => {
  it('of a team of three agents is the same, byte for byte (UPDATE_GOLDEN=1 writes it anew)', async () => {
    expectGolden('three-agents.jsonl', await journal());
  });

  it('does not depend on who runs beside it', async () => {
    const [one, two] = await Promise.all([journal(), journal()]);
    expect(one).toBe(two);
  });
});
