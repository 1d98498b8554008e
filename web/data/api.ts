/** An answer of the server that says no, in the server's words. */
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

/** Asks the server for JSON. Fails with ApiError; its code is OFFLINE when the server does not answer at all. */
export async function getJson<Answer>(path: string, signal?: AbortSignal): Promise<Answer> {
  return (await (await ask(path, signal === undefined ? {} : { signal })).json()) as Answer;
}

/** Asks the server for text. */
export async function getText(path: string, signal?: AbortSignal): Promise<string> {
  return await (await ask(path, signal === undefined ? {} : { signal })).text();
}

/** Has the server do something. */
export async function postJson<Answer>(path: string, body: unknown): Promise<Answer> {
  const answer = await ask(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return (await answer.json()) as Answer;
}

async function ask(path: string, options: RequestInit): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(`.${path}`, options);
  } catch (thrown) {
    if (options.signal?.aborted === true) throw thrown;
    throw new ApiError('OFFLINE', 'The server does not answer. Is “cadre serve” still running?', 0);
  }
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
    // Whoever stands between answered in words of its own: the status says what is known.
    return {};
  }
}
