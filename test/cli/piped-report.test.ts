import { expect, it } from 'vitest';
import { startChatModel, writeSoloTeam } from './chat-model.ts';
import { runCli, temporaryFolder } from './cli-process.ts';

it('F61: a report that is piped writes nothing to the clipboard of a terminal behind the pipe', async () => {
  const cwd = await temporaryFolder();
  const model = await startChatModel();
  await writeSoloTeam(cwd, model.baseUrl);
  model.answer('Tea\x1b]52;c;ZXZpbA==\x07 is\x1b[8m hot\u202e\u{e0041}.');
  const { code, out } = await runCli(['run', '--docs', 'docs', 'Hello?'], { cwd });
  expect([code, out]).toEqual([0, 'Tea is hot.\n']);
});
