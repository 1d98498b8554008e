import { connect } from 'node:net';

/** What came back over a socket: nothing when the server closed it without a word. */
export interface RawAnswer {
  /** 0 when nothing came back. */
  readonly status: number;
  /** The head and the body, as they came. */
  readonly text: string;
}

/** Sends bytes as nobody should, and reads what comes back until the server closes, or has said all of one answer. */
export function sendRaw(port: number, bytes: string | Buffer): Promise<RawAnswer> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    const socket = connect(port, '127.0.0.1');
    const finish = (): void => {
      socket.destroy();
      const text = Buffer.concat(chunks).toString('latin1');
      resolve({ status: Number(/^HTTP\/1\.[01] (\d{3})/.exec(text)?.[1] ?? 0), text });
    };
    socket.setTimeout(20_000, () => socket.destroy(new Error('nothing came back for 20 s, and the socket is still open')));
    socket.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      if (isWhole(Buffer.concat(chunks).toString('latin1'))) finish();
    });
    // A server that closes while it is still being written to is heard of as an error, too.
    socket.on('error', finish);
    socket.on('close', finish);
    socket.write(bytes);
  });
}

/** Whether an answer says how long it is, and that much is there. */
function isWhole(text: string): boolean {
  const end = text.indexOf('\r\n\r\n');
  const length = /\r\ncontent-length: (\d+)/i.exec(text.slice(0, end + 2))?.[1];
  return end >= 0 && length !== undefined && text.length >= end + 4 + Number(length);
}
