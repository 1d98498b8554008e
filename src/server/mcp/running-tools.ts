import { CadreError } from '../../core/error.ts';
import type { LaunchOptions } from '../../engine/launch-options.ts';
import type { Engine } from '../../engine/engine.ts';
import type { Run } from '../../engine/run.ts';
import { launchable } from '../../engine/launch/usual-profile.ts';
import { includesRole } from '../../core/roles.ts';
import { assertMay, roleFor } from '../access/access-table.ts';
import { isAskingItself } from '../reach/asks-itself.ts';
import { describeRun } from './describe-run.ts';
import { requiredText, textArgument, type TeamAnswer, type TeamCall, type TeamTool } from './team-tool.ts';
import { waitForRun } from './wait-for-run.ts';

/** Seconds a call waits for a run by default: clients commonly give up after a minute. */
const usualWait = 50;
const longestWait = 3_600;

const runId = { type: 'string', description: 'The id of a run, as run_team and list_runs give it.' };
const wait = {
  type: 'number',
  minimum: 0,
  maximum: longestWait,
  description: `How long to wait for the team, in seconds; ${usualWait} when absent. The run continues when the time is over or the call is cancelled.`,
};

/** Returns the tools that start runs and talk to them. */
export function runningTools(engine: Engine, defaultProfile: string, options: LaunchOptions): readonly TeamTool[] {
  return [
    runTeamTool(engine, defaultProfile, options),
    sendMessageTool(),
    answerQuestionTool(),
    cancelRunTool(),
    getRunTool(engine),
  ];
}

function runTeamTool(engine: Engine, defaultProfile: string, options: LaunchOptions): TeamTool {
  return {
    name: 'run_team',
    title: 'Run a team',
    description: `Gives a task to a team of agents and waits for its answer. Profiles:\n${profileLines(engine)}\nWithout a profile: ${defaultProfile}.`,
    inputSchema: {
      type: 'object',
      properties: {
        input: { type: 'string', minLength: 1, maxLength: 1_000_000, description: 'The task, in words.' },
        profile: { type: 'string', description: `The profile to begin with; ${defaultProfile} when absent.` },
        title: { type: 'string', maxLength: 200 },
        wait_seconds: wait,
      },
      required: ['input'],
      additionalProperties: false,
    },
    readOnly: false,
    run: async (call) => {
      const title = textArgument(call.args, 'title');
      const request = {
        profile: textArgument(call.args, 'profile') ?? defaultProfile,
        input: requiredText(call.args, 'input'),
        ...(title === undefined ? {} : { title }),
      };
      const run = await engine.launch(request, { ...options, by: call.person.name });
      return await answerAfterWait(run, call);
    },
  };
}

function sendMessageTool(): TeamTool {
  return {
    name: 'send_message',
    title: 'Say something to a run',
    description: 'Sends a message to an agent of a run, by default the first one, and waits for the answer of the team.',
    inputSchema: {
      type: 'object',
      properties: {
        run_id: runId,
        text: { type: 'string', minLength: 1, maxLength: 1_000_000 },
        to: { type: 'string', description: 'The id of an agent; the first agent of the run when absent.' },
        priority: { enum: ['now', 'next', 'idle'], description: 'now interrupts the reply in progress.' },
        wait_seconds: wait,
      },
      required: ['run_id', 'text'],
      additionalProperties: false,
    },
    readOnly: false,
    run: async (call) => {
      const run = await resumeRun(call);
      const to = textArgument(call.args, 'to');
      if (isAskingItself(run, to)) assertMay(call.person, 'MCP send_message', 'checkpoint');
      const priority = (['now', 'next', 'idle'] as const).find((value) => value === call.args['priority']);
      await run.send(requiredText(call.args, 'text'), {
        ...(to === undefined ? {} : { to }),
        ...(priority === undefined ? {} : { priority }),
        mayAnswer: includesRole(call.person.role, roleFor('MCP send_message', 'checkpoint')),
        by: call.person.name,
      });
      return await answerAfterWait(run, call);
    },
  };
}

function answerQuestionTool(): TeamTool {
  return {
    name: 'answer_question',
    title: 'Answer a question',
    description: 'Answers a pending question of an agent, as shown by get_run, and waits for the answer of the team.',
    inputSchema: {
      type: 'object',
      properties: {
        run_id: runId,
        id: { type: 'string', description: 'The id of the question.' },
        answer: { description: 'A text, or a value that fits the schema of the question.' },
        wait_seconds: wait,
      },
      required: ['run_id', 'id', 'answer'],
      additionalProperties: false,
    },
    readOnly: false,
    run: async (call) => {
      const run = await resumeRun(call);
      await run.answer(requiredText(call.args, 'id'), call.args['answer'] ?? null, { by: call.person.name });
      return await answerAfterWait(run, call);
    },
  };
}

function cancelRunTool(): TeamTool {
  return {
    name: 'cancel_run',
    title: 'Cancel a run',
    description: 'Ends a run and everything it does, permanently. Its journal stays.',
    inputSchema: {
      type: 'object',
      properties: { run_id: runId, reason: { type: 'string', maxLength: 1_000 } },
      required: ['run_id'],
      additionalProperties: false,
    },
    readOnly: false,
    run: async (call) => {
      const run = await resumeRun(call);
      await run.cancel(textArgument(call.args, 'reason') ?? 'cancelled by an MCP client', { by: call.person.name });
      return describeRun(run, false);
    },
  };
}

function getRunTool(engine: Engine): TeamTool {
  return {
    name: 'get_run',
    title: 'Look at a run',
    description: 'Shows the status of a run, the answer of the team, and what waits for a person. Can wait while the run works.',
    inputSchema: {
      type: 'object',
      properties: {
        run_id: runId,
        wait_seconds: { ...wait, description: 'How long to wait while it works, in seconds; 0 when absent.' },
      },
      required: ['run_id'],
      additionalProperties: false,
    },
    readOnly: true,
    run: async (call) => await answerAfterWait(await engine.open(requiredText(call.args, 'run_id')), call, 0),
  };
}

/** Returns the tool with which a client approves or rejects calls. */
export function decidingTool(): TeamTool {
  return {
    name: 'decide_approval',
    title: 'Approve or reject a call',
    description: 'Approves or rejects a pending call of an agent, as shown by get_run. Ask your user first.',
    inputSchema: {
      type: 'object',
      properties: {
        run_id: runId,
        id: { type: 'string', description: 'The id of the request, as get_run shows it.' },
        decision: { enum: ['approve', 'reject'] },
        message: { type: 'string', maxLength: 10_000, description: 'Why it is rejected, for the agent.' },
        fingerprint: {
          type: 'string',
          description: 'The fingerprint from get_run, to be checked beside the id, which names it already.',
        },
        wait_seconds: wait,
      },
      required: ['run_id', 'id', 'decision'],
      additionalProperties: false,
    },
    readOnly: false,
    run: async (call) => {
      const run = await resumeRun(call);
      const id = requiredText(call.args, 'id');
      const message = textArgument(call.args, 'message');
      const fingerprint = textArgument(call.args, 'fingerprint');
      const by = call.person.name;
      if (call.args['decision'] === 'approve') await run.approve(id, { ...(fingerprint === undefined ? {} : { fingerprint }), by });
      else await run.reject(id, { ...(message === undefined ? {} : { message }), by });
      return await answerAfterWait(run, call);
    },
  };
}

async function resumeRun({ engine, args, person }: TeamCall): Promise<Run> {
  const run = await engine.resume(requiredText(args, 'run_id'), { by: person.name });
  if (run.state.outcome !== undefined)
    throw new CadreError('RUN_ENDED', `run ${run.id} has ended (${run.state.outcome}); start another one with run_team`);
  return run;
}

async function answerAfterWait(run: Run, call: TeamCall, usual = usualWait): Promise<TeamAnswer> {
  const asked = call.args['wait_seconds'];
  const { signal, progress } = call;
  const isAtRest = await waitForRun(run, { seconds: typeof asked === 'number' ? asked : usual, signal, progress });
  return describeRun(run, !isAtRest);
}

function profileLines({ profiles }: Engine): string {
  return launchable(profiles.profiles)
    .map(({ name, description }) => (description === '' ? `- ${name}` : `- ${name}: ${description.trim().replaceAll('\n', ' ')}`))
    .join('\n');
}
