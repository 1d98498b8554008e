import type { Command } from 'commander';
import { withRestate } from './options/restate-option.ts';
import { type Done, running } from './options/shared-options.ts';

/** Adds the options of commands that act on a run, in the process or by the workers that advance it. */
function steering(command: Command): Command {
  return withRestate(running(command, { starts: false }));
}

/** Adds the commands that act on a run in any process: send, decide, edit, cancel. */
export function addSteeringCommands(program: Command, done: Done): void {
  addDecidingCommands(program, done);
  steering(program.command('send').summary('send a message to a run in any process').argument('<run>').argument('<message...>'))
    .option('--to <agent>', 'the id of the agent (default: the root agent)')
    .option('--now', "interrupt the agent's current model call")
    .option('--json')
    .action(async (run: string, words: readonly string[], options) => {
      const { sendCommand } = await import('./commands/running/steer.ts');
      done(await sendCommand(run, words, options));
    });
  steering(
    program.command('fork').summary('fork a run: start a new one with its history').argument('<run>').argument('[message...]'),
  )
    .option('--at <place>', 'the fork point: after a turn, or at a sequence number (default: the last turn)')
    .option('--before <turn>', 'take this turn again: the fork begins before it')
    .option('--profiles <folder>', 'other profiles for the fork, or a team that comes with Cadre')
    .option('--llm <config>', "an LLM config to use instead of every profile's own")
    .option('--edit-message <item=text...>', 'another text for an inbox item; the fork begins before the turn that read it')
    .option('--edit-result <call=text...>', 'another result for a tool call; the fork begins before the turn that read it')
    .option('--set <path=value...>', 'another value in the state, as JSON or text, such as flags.n=3; nothing removes it')
    .option('--json', 'print the events from there on as JSON lines, then one line with the result')
    .action(async (run: string, words: readonly string[], options) => {
      const { forkCommand } = await import('./commands/running/fork.ts');
      done(await forkCommand(run, words, options));
    });
  steering(program.command('edit').summary('change the profiles or the plan of a run while it continues').argument('<run>'))
    .option('--create <file...>', 'add the profile in this file')
    .option('--update <file...>', 'replace the profile that this file names')
    .option('--disable <name...>', 'start no new agents with this profile')
    .option('--rename <old=new...>', 'rename a profile')
    .option('--modules <file>', 'change the plan: a list of actions of manage_work_modules, as YAML or JSON')
    .option('--json')
    .action(async (run: string, options) => {
      const { editCommand } = await import('./commands/running/edit.ts');
      done(await editCommand(run, options));
    });
  steering(program.command('cancel').summary('cancel a run in any process').argument('<run>'))
    .option('--agent <id>', 'cancel only this agent and its descendants')
    .option('--module <id>', 'cancel only the agent that works on this module')
    .option('--reason <text>', 'the reason, kept in the journal')
    .option('--take-over', 'take the run over from a process that does not answer: its next write fails, and it stops')
    .option('--json')
    .action(async (run: string, options) => {
      const { cancelCommand } = await import('./commands/running/steer.ts');
      done(await cancelCommand(run, options));
    });
}

function addDecidingCommands(program: Command, done: Done): void {
  steering(program.command('approve').summary('approve pending calls').argument('<run>').argument('<id...>'))
    .option('--edit <json>', 'run the call with these arguments instead, all of them, as a JSON object; the model is informed')
    .option('--always', 'also approve all later calls of the tool at the same gate, until the run ends')
    .option('--json')
    .action(async (run: string, ids: readonly string[], options) => {
      const { approveCommand } = await import('./commands/running/decide.ts');
      done(await approveCommand(run, ids, options));
    });
  steering(program.command('reject').summary('reject pending calls').argument('<run>').argument('<id...>'))
    .option('--message <text>', 'the reason, which the model reads')
    .option('--json')
    .action(async (run: string, ids: readonly string[], options) => {
      const { rejectCommand } = await import('./commands/running/decide.ts');
      done(await rejectCommand(run, ids, options));
    });
  steering(
    program
      .command('note')
      .summary('set or remove a note for the agents of a run')
      .argument('<run>')
      .argument('<title>', 'the title; replaces a note with the same title')
      .argument('[text...]', 'the text, added to every prompt; none removes the note'),
  )
    .option('--agent <name>', 'only for this agent, or for agents of this profile')
    .option('--json')
    .action(async (run: string, title: string, words: readonly string[], options) => {
      const { noteCommand } = await import('./commands/running/steer.ts');
      done(await noteCommand(run, { title, words }, options));
    });
  steering(
    program
      .command('answer')
      .summary('answer a pending question')
      .argument('<run>')
      .argument('<id>')
      .argument('<answer...>', 'the answer, or the number of a choice'),
  )
    .option('--json')
    .action(async (run: string, id: string, words: readonly string[], options) => {
      const { answerCommand } = await import('./commands/running/decide.ts');
      done(await answerCommand(run, { id, words }, options));
    });
}
