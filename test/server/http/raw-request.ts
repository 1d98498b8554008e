import { connect } from 'node:net';

/** Answer over a socket; empty when the server closed it without one. */
export interface RawAnswer {
  /** HTTP status; 0 without an answer. */
  readonly status: number;
  /** Head and body, as received. */
  readonly text: string;
}

/** Sends malformed bytes and reads until the server closes, or has sent one complete answer. */
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
    // A server that closes during a write also causes an error event.
    socket.on('error', finish);
    socket.on('close', finish);
    socket.write(bytes);
  });
}

/** True when an answer declares its length and is complete. */
function isWhole(text: string): boolean {
  const end = text.indexOf('\r\n\r\n');
  const length = /\r\ncontent-length: (\d+)/i.exec(text.slice(0, end + 2))?.[1];
  return end >= 0 && length !== undefined && text.length >= end + 4 + Number(length);
}
