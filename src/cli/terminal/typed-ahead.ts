import { setTimeout as delay } from 'node:timers/promises';

/** Time in which keys that were pressed before arrive, in milliseconds. */
const arrival = 50;

/**
 * Discards keys that were pressed before a question was shown: a held key, or the second half of a double press, must not answer
 * a question that is unread. Input that is no terminal stays whole, since scripts write their answers ahead. Ctrl-C interrupts as always.
 */
export async function dropTypedAhead(keyboard: NodeJS.ReadStream = process.stdin): Promise<void> {
  if (!keyboard.isTTY) return;
  const wasRaw = keyboard.isRaw;
  const drop = (keys: Buffer | string): void => {
    if (keys.includes('\u0003')) process.kill(process.pid, 'SIGINT');
  };
  // Raw mode also hands over a line that was begun and not ended.
  keyboard.setRawMode(true);
  keyboard.on('data', drop);
  keyboard.resume();
  try {
    await delay(arrival);
  } finally {
    keyboard.off('data', drop);
    keyboard.pause();
    keyboard.setRawMode(wasRaw);
  }
}
