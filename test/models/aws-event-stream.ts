import { crc32 } from 'node:zlib';

/** Event of Bedrock's stream: its name and its JSON. */
export type BedrockEvent = readonly [name: string, data: object];

/** Encodes events as AWS event-stream messages: length, length of headers, checksum, headers, JSON, checksum. */
export function bedrockStream(...events: readonly BedrockEvent[]): Buffer {
  return Buffer.concat(
    events.map(([name, data]) =>
      message({ ':event-type': name, ':content-type': 'application/json', ':message-type': 'event' }, data),
    ),
  );
}

/** Encodes a fault in the middle of a stream, as Bedrock sends `throttlingException`. */
export function bedrockFault(name: string, data: object): Buffer {
  return message({ ':exception-type': name, ':content-type': 'application/json', ':message-type': 'exception' }, data);
}

function message(headers: Readonly<Record<string, string>>, data: object): Buffer {
  const head = Buffer.concat(Object.entries(headers).map(([name, value]) => header(name, value)));
  const body = Buffer.from(JSON.stringify(data));
  const length = 16 + head.length + body.length;
  const prelude = Buffer.alloc(8);
  prelude.writeUInt32BE(length, 0);
  prelude.writeUInt32BE(head.length, 4);
  const front = Buffer.concat([prelude, checksum(prelude), head, body]);
  return Buffer.concat([front, checksum(front)]);
}

/** A header of the type string (7): its name behind one byte of length, its value behind two. */
function header(name: string, value: string): Buffer {
  const size = Buffer.alloc(2);
  size.writeUInt16BE(Buffer.byteLength(value));
  return Buffer.concat([Buffer.from([Buffer.byteLength(name)]), Buffer.from(name), Buffer.from([7]), size, Buffer.from(value)]);
}

function checksum(bytes: Buffer): Buffer {
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(bytes));
  return sum;
}
