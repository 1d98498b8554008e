/*
 * A process that is to be killed: `node team-process.ts ROOT FOLDER…`. It begins the run of each folder's journal, or goes on
 * with it, all at once, and ends when there is nothing more to do. `KILL_AT=12:before` makes it kill itself at the 12th write
 * of the first one; the others are then wherever they are.
 */
import { parseKillPoint } from './killing-journal.ts';
import { prepareSweep } from './sweep-team.ts';

const [root = '', ...folders] = process.argv.slice(2);
const point = parseKillPoint(process.env['KILL_AT']);
using team = await prepareSweep(root);
process.stdout.write('ready\n');
await Promise.all(
  folders.map(async (folder, index) => {
    await using engine = await team.open(folder, index === 0 ? point : undefined);
    await team.play(engine, folder);
  }),
);
