import { describeThrown } from '../../core/error.ts';

/** Facts read from a thrown value. Provider errors are read by their fields, which works across package versions. */
export interface ThrownFacts {
  readonly name: string;
  readonly message: string;
  /** The provider's error code; empty when there is none. */
  readonly code: string;
  /** HTTP status, when there was a response. */
  readonly statusCode: number | undefined;
  readonly isRetryable: boolean | undefined;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
  /** All words of the provider about the kind of error, in lower case. */
  readonly words: string;
  /** The system's error code, when the connection failed. */
  readonly networkCode: string | undefined;
}

// Longest chain of causes to follow; a chain may be circular.
const deepestCause = 6;

// Characters of a response body searched for the kind of error.
const searchedBodyChars = 2000;

const networkCodes: ReadonlySet<string> = new Set([
  'ECONNRESET',
  'ECONNREFUSED',
  'ECONNABORTED',
  'ETIMEDOUT',
  'EPIPE',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_SOCKET',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
]);

/** Reads a thrown value. Throws when the value has throwing getters. */
export function readThrownFacts(thrown: unknown): ThrownFacts {
  const error = asRecord(thrown);
  const message = readMessage(thrown, error);
  const body = typeof error['responseBody'] === 'string' ? error['responseBody'] : '';
  const nested = asRecord(asRecord(error['data'])['error']);
  const kinds = [error['type'], error['code'], nested['type'], nested['code']].filter((value) => typeof value === 'string');
  return {
    name: typeof error['name'] === 'string' ? error['name'] : '',
    message,
    code: [nested['code'], error['code']].find((value) => typeof value === 'string') ?? '',
    statusCode: [error['statusCode'], error['status'], error['code']].find(isStatus),
    isRetryable: typeof error['isRetryable'] === 'boolean' ? error['isRetryable'] : undefined,
    headers: asRecord(error['responseHeaders']),
    body,
    words: [message, ...kinds, body.slice(0, searchedBodyChars)].join('\n').toLowerCase(),
    networkCode: findNetworkCode(thrown),
  };
}

function readMessage(thrown: unknown, error: Readonly<Record<string, unknown>>): string {
  if (thrown instanceof Error) return describeThrown(thrown).replace(/^AI_\w+: /, '');
  const nested = asRecord(error['error'])['message'];
  const message = [error['message'], nested].find((value) => typeof value === 'string' && value !== '');
  return describeThrown(message ?? (typeof thrown === 'object' ? JSON.stringify(thrown) : thrown));
}

function findNetworkCode(thrown: unknown): string | undefined {
  let current: unknown = thrown;
  for (let depth = 0; depth < deepestCause && current !== undefined; depth += 1) {
    const { code, cause } = asRecord(current);
    if (typeof code === 'string' && networkCodes.has(code)) return code;
    current = cause;
  }
  return undefined;
}

function isStatus(value: unknown): value is number {
  return typeof value === 'number' && value >= 100 && value < 600;
}

function asRecord(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}
