import { type IncomingHttpHeaders, request } from 'node:http';

/** An answer as it was sent. */
export interface RawAnswer {
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** Asks for a resource over a connection of its own, and leaves the body as it comes. */
export async function rawAnswer(url: string, headers: Readonly<Record<string, string>>): Promise<RawAnswer> {
  return await new Promise((resolve, reject) => {
    const asked = request(url, { agent: false, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => resolve({ headers: response.headers, body: Buffer.concat(chunks) }));
      response.on('error', reject);
    });
    asked.on('error', reject).end();
  });
}
