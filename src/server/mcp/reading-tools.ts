import { CadreError } from '../../core/error.ts';
import type { Engine } from '../../engine/engine.ts';
import { formatTurn } from '../../inspect/format/turn/format-turn.ts';
import { formatTurnList } from '../../inspect/format/format-turn-list.ts';
import { formatWhy } from '../../inspect/format/format-why.ts';
import { timeText } from '../../inspect/format/text/quantity-text.ts';
import { filterTurns } from '../../inspect/filter-turns.ts';
import { turnList } from '../../inspect/turn-list.ts';
import { requiredText, textArgument, type TeamTool } from './team-tool.ts';

const runId = { type: 'string', description: 'The id of a run, as run_team and list_runs give it.' };
const page = { type: 'integer', minimum: 1, maximum: 200, description: 'How many at most; 50 when absent.' };

/** Returns the tools that show runs. */
export function readingTools(engine: Engine): readonly TeamTool[] {
  return [listRunsTool(engine), listTurnsTool(engine), getTurnTool(engine), whyTool(engine)];
}

function listRunsTool(engine: Engine): TeamTool {
  return {
    name: 'list_runs',
    title: 'List runs',
    description: 'Lists all runs, newest first.',
    inputSchema: { type: 'object', properties: { limit: page }, additionalProperties: false },
    readOnly: true,
    run: async ({ args }) => {
      const runs = await engine.runs();
      const newest = runs.toSorted((a, b) => b.createdAt - a.createdAt).slice(0, limitOf(args['limit']));
      const lines = newest.map(
        ({ runId: id, status, createdAt, turns, title }) => `${id}  ${status}  ${timeText(createdAt)}  ${turns} turns  ${title}`,
      );
      return {
        text: lines.length === 0 ? 'There are no runs yet.' : [...lines, restText(runs.length - newest.length)].join('\n').trim(),
      };
    },
  };
}

function listTurnsTool(engine: Engine): TeamTool {
  return {
    name: 'list_turns',
    title: 'List the turns of a run',
    description: 'Lists the turns of a run or of one agent: the items that woke it, the tools it called, the start of its reply.',
    inputSchema: {
      type: 'object',
      properties: {
        run_id: runId,
        agent_id: { type: 'string' },
        limit: page,
        offset: { type: 'integer', minimum: 0, description: 'How many to skip from the first.' },
      },
      required: ['run_id'],
      additionalProperties: false,
    },
    readOnly: true,
    run: async ({ args }) => {
      const run = await engine.open(requiredText(args, 'run_id'));
      const agentId = textArgument(args, 'agent_id');
      const state = run.fullState();
      const rows = turnList(state, filterTurns(state, agentId === undefined ? {} : { agentId }));
      const offset = typeof args['offset'] === 'number' ? args['offset'] : 0;
      const shown = rows.slice(offset, offset + limitOf(args['limit']));
      return { text: `${formatTurnList(shown)}${restText(rows.length - offset - shown.length)}` };
    },
  };
}

function getTurnTool(engine: Engine): TeamTool {
  return {
    name: 'get_turn',
    title: 'Look at a turn',
    description:
      'Shows the full record of one turn: the items it read, its prompt, its reply, its tools, and the decision after it.',
    inputSchema: {
      type: 'object',
      properties: {
        run_id: runId,
        turn_id: { type: 'string' },
        full: { type: 'boolean', description: 'Texts whole instead of their first lines.' },
      },
      required: ['run_id', 'turn_id'],
      additionalProperties: false,
    },
    readOnly: true,
    run: async ({ args }) => {
      const run = await engine.open(requiredText(args, 'run_id'));
      const turnId = requiredText(args, 'turn_id');
      const turn = run.turn(turnId);
      if (turn === undefined) throw noTurn(run.id, turnId);
      return { text: formatTurn(turn, { full: args['full'] === true }) };
    },
  };
}

function whyTool(engine: Engine): TeamTool {
  return {
    name: 'why',
    title: 'Find the source of a text',
    description: 'Finds the source of a text in the prompt or reply of a turn: the profile line, item, tool or turn behind it.',
    inputSchema: {
      type: 'object',
      properties: { run_id: runId, turn_id: { type: 'string' }, text: { type: 'string', minLength: 1, maxLength: 10_000 } },
      required: ['run_id', 'turn_id', 'text'],
      additionalProperties: false,
    },
    readOnly: true,
    run: async ({ args }) => {
      const run = await engine.open(requiredText(args, 'run_id'));
      const turnId = requiredText(args, 'turn_id');
      if (run.turn(turnId) === undefined) throw noTurn(run.id, turnId);
      const answers = run.why(turnId, requiredText(args, 'text'));
      return {
        text: answers.length === 0 ? 'The text is neither in the prompt of that turn nor in its reply.' : formatWhy(answers),
      };
    },
  };
}

function noTurn(run: string, turn: string): CadreError {
  return new CadreError('OPTION_INVALID', `run ${run} has no turn '${turn.slice(0, 200)}'; list_turns names those it has`);
}

function limitOf(value: unknown): number {
  return typeof value === 'number' ? value : 50;
}

function restText(left: number): string {
  return left > 0 ? `… and ${left} more` : '';
}
