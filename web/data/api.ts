import { signal } from '@preact/signals';

/** True when the server answered the last request. */
export const isReachable = signal(true);

/** Error answer of the server, with its message. */
export class ApiError extends Error {
  readonly code: string;
  readonly status: number;

  constructor(code: string, message: string, status: number) {
    super(message);
    this.name = 'ApiError';
    this.code = code;
    this.status = status;
  }
}

/** Gets JSON from the server. Fails with ApiError; its code is OFFLINE when the server does not answer at all. */
export async function getJson<Answer>(path: string, signal?: AbortSignal): Promise<Answer> {
  return (await (await ask(path, signal === undefined ? {} : { signal })).json()) as Answer;
}

/** Gets text from the server. */
export async function getText(path: string, signal?: AbortSignal): Promise<string> {
  return await (await ask(path, signal === undefined ? {} : { signal })).text();
}

/** Idempotency keys of unanswered requests: a repeated request takes effect once. */
const onceKeys = new Map<string, string>();

/** Posts JSON to the server. */
export async function postJson<Answer>(path: string, content: unknown): Promise<Answer> {
  const body = JSON.stringify(content);
  const asked = `${path} ${body}`;
  const key = onceKeys.get(asked) ?? randomKey();
  onceKeys.set(asked, key);
  const headers = { 'content-type': 'application/json', 'idempotency-key': key };
  const forget = (thrown: unknown): never => {
    // An error is an answer, too.
    if (!(thrown instanceof ApiError) || thrown.code !== 'OFFLINE') onceKeys.delete(asked);
    throw thrown;
  };
  const answer = await ask(path, { method: 'POST', headers, body }).catch(forget);
  onceKeys.delete(asked);
  return (await answer.json()) as Answer;
}

function randomKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

async function ask(path: string, options: RequestInit): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(`.${path}`, options);
  } catch (thrown) {
    if (options.signal?.aborted === true) throw thrown;
    isReachable.value = false;
    throw new ApiError('OFFLINE', 'The server does not answer. Is “cadre serve” still running?', 0);
  }
  isReachable.value = true;
  if (response.ok) return response;
  throw await refusal(response);
}

async function refusal(response: Response): Promise<ApiError> {
  const text = await response.text();
  const { code, message } = readRefusal(text);
  return new ApiError(code ?? 'HTTP', message ?? `the server answered with ${response.status}`, response.status);
}

function readRefusal(text: string): { readonly code?: string; readonly message?: string } {
  try {
    return (JSON.parse(text) as { readonly error?: { readonly code?: string; readonly message?: string } }).error ?? {};
  } catch {
    // A proxy answered with a body that is not JSON: use the status alone.
    return {};
  }
}
