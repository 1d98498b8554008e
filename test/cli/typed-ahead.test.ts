import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { dropTypedAhead } from '../../src/cli/terminal/typed-ahead.ts';

/** Keyboard of a terminal, with the modes that it was set to. */
function keyboard(isTTY: boolean) {
  const modes: boolean[] = [];
  const stream = Object.assign(new PassThrough(), { isTTY, isRaw: false, setRawMode: (mode: boolean) => void modes.push(mode) });
  return { stream: stream as unknown as NodeJS.ReadStream, write: (text: string) => stream.write(text), modes };
}

it('keys that were pressed before a question are gone, and those after it are not', async () => {
  const { stream, write, modes } = keyboard(true);
  write('y\ny');
  await dropTypedAhead(stream);
  expect(modes).toEqual([true, false]);
  write('n\n');
  expect(String(stream.read())).toBe('n\n');
});

it('a pipe keeps what was written ahead', async () => {
  const { stream, write, modes } = keyboard(false);
  write('y\n');
  await dropTypedAhead(stream);
  expect([modes, String(stream.read())]).toEqual([[], 'y\n']);
});
