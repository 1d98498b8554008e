import type { Command } from 'commander';
import { type Done, running } from './options/shared-options.ts';

/** Adds the commands that act on a run in any process: send, decide, edit, cancel. */
export function addSteeringCommands(program: Command, done: Done): void {
  addDecidingCommands(program, done);
  running(
    program
      .command('send')
      .summary('say something to a run, also to one that another process has')
      .argument('<run>')
      .argument('<message...>'),
    { starts: false },
  )
    .option('--to <agent>', 'the agent (default: the first of the run)')
    .option('--now', 'interrupt what the agent is saying')
    .option('--json')
    .action(async (run: string, words: readonly string[], options) => {
      const { sendCommand } = await import('./commands/running/steer.ts');
      done(await sendCommand(run, words, options));
    });
  running(
    program.command('fork').summary('go another way: a new run with the history of one').argument('<run>').argument('[message...]'),
    { starts: false },
  )
    .option('--at <place>', 'where it begins: after a turn, or at a sequence number (default: the last turn)')
    .option('--json', 'the events from there on as JSON lines, then one line with the result')
    .action(async (run: string, words: readonly string[], options) => {
      const { forkCommand } = await import('./commands/running/fork.ts');
      done(await forkCommand(run, words, options));
    });
  running(program.command('edit').summary('change profiles of a run, or its plan, while it goes on').argument('<run>'), {
    starts: false,
  })
    .option('--create <file...>', 'add the profile in this file')
    .option('--update <file...>', 'this file in the place of the profile it names')
    .option('--disable <name...>', 'nobody begins by this profile any more')
    .option('--rename <old=new...>', 'give a profile another name')
    .option('--modules <file>', 'change the plan: a list of the actions of manage_work_modules, as YAML or JSON')
    .option('--json')
    .action(async (run: string, options) => {
      const { editCommand } = await import('./commands/running/edit.ts');
      done(await editCommand(run, options));
    });
  running(program.command('cancel').summary('end a run, also one that another process has').argument('<run>'), { starts: false })
    .option('--agent <id>', 'only this agent, and everything below it')
    .option('--module <id>', 'only who works on this module')
    .option('--reason <text>', 'why; it stands on record')
    .option('--take-over', 'even from a process that does not answer: its next write fails, and it stops')
    .option('--json')
    .action(async (run: string, options) => {
      const { cancelCommand } = await import('./commands/running/steer.ts');
      done(await cancelCommand(run, options));
    });
}

function addDecidingCommands(program: Command, done: Done): void {
  running(program.command('approve').summary('let calls run that wait for approval').argument('<run>').argument('<id...>'), {
    starts: false,
  })
    .option('--edit <json>', 'run it with these arguments, all of them, as a JSON object; the model is told')
    .option('--always', 'allow all calls of the tool that the same gate asks about, until the run ends')
    .option('--json')
    .action(async (run: string, ids: readonly string[], options) => {
      const { approveCommand } = await import('./commands/running/decide.ts');
      done(await approveCommand(run, ids, options));
    });
  running(program.command('reject').summary('refuse calls that wait for approval').argument('<run>').argument('<id...>'), {
    starts: false,
  })
    .option('--message <text>', 'why; the model reads it')
    .option('--json')
    .action(async (run: string, ids: readonly string[], options) => {
      const { rejectCommand } = await import('./commands/running/decide.ts');
      done(await rejectCommand(run, ids, options));
    });
  running(
    program
      .command('note')
      .summary('keep a note for the agents of a run')
      .argument('<run>')
      .argument('<title>', 'a note of this title is replaced')
      .argument('[text...]', 'what agents are to know always; none takes the note away'),
    { starts: false },
  )
    .option('--agent <name>', 'for this agent, or for agents of this profile, alone')
    .option('--json')
    .action(async (run: string, title: string, words: readonly string[], options) => {
      const { noteCommand } = await import('./commands/running/steer.ts');
      done(await noteCommand(run, title, words, options));
    });
  running(
    program
      .command('answer')
      .summary('answer a question of a run')
      .argument('<run>')
      .argument('<id>')
      .argument('<answer...>', 'the answer, or the number of a choice'),
    { starts: false },
  )
    .option('--json')
    .action(async (run: string, id: string, words: readonly string[], options) => {
      const { answerCommand } = await import('./commands/running/decide.ts');
      done(await answerCommand(run, id, words, options));
    });
}
