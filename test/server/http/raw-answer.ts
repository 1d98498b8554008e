import { type IncomingHttpHeaders, request } from 'node:http';

/** An answer as received. */
export interface RawAnswer {
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** Requests a resource over a separate connection and returns the body undecoded. */
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
