/** Target of a hostile request. */
export interface Target {
  readonly port: number;
  /** A run that waits for a person, and its pending call. */
  readonly runId: string;
  readonly callId: string;
}

/** A request that must not succeed: it gets an error, or no answer at all. */
export interface HostileRequest {
  readonly name: string;
  readonly bytes: (target: Target) => string;
}

const json = 'Content-Type: application/json';

/** Returns a request with these headers; `Host` is the server's unless given. PORT, RUN and CALL are replaced by those of the target. */
export function request(line: string, headers: readonly string[] = [], body = ''): (target: Target) => string {
  return (target) => {
    const fill = (text: string): string =>
      text.replaceAll('PORT', String(target.port)).replaceAll('RUN', target.runId).replaceAll('CALL', target.callId);
    const filled = headers.map(fill);
    const content = fill(body);
    const own = [
      ...(filled.some((header) => /^host\s*:/i.test(header)) ? [] : [`Host: 127.0.0.1:${target.port}`]),
      ...(content === '' || filled.some((header) => /^(content-length|transfer-encoding)\s*:/i.test(header))
        ? []
        : [`Content-Length: ${Buffer.byteLength(content)}`]),
    ];
    return `${fill(line)} HTTP/1.1\r\n${[...own, 'Connection: close', ...filled].join('\r\n')}\r\n\r\n${content}`;
  };
}

const approve = '{"ids":["CALL"]}';
const launch = '{"input":"x"}';
const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;

/** Requests of strangers, of other pages, and of attackers, as raw bytes. */
export const hostileRequests: readonly HostileRequest[] = [
  // Host of the request.
  { name: 'a name of its own that points here', bytes: request('GET /api/runs', ['Host: evil.example']) },
  { name: 'its own name with our port', bytes: request('GET /api/runs', ['Host: evil.example:PORT']) },
  { name: 'a name that begins like ours', bytes: request('GET /api/runs', ['Host: 127.0.0.1.evil.example:PORT']) },
  { name: 'a name that ends like ours', bytes: request('GET /api/runs', ['Host: evil-localhost:PORT']) },
  { name: 'our name behind a user name', bytes: request('GET /api/runs', ['Host: evil@127.0.0.1:PORT']) },
  { name: 'our name with another port', bytes: request('GET /api/runs', ['Host: 127.0.0.1:1']) },
  { name: 'our name with a port that is none', bytes: request('GET /api/runs', ['Host: 127.0.0.1:PORTx']) },
  { name: 'our address written as a number', bytes: request('GET /api/runs', ['Host: 2130706433:PORT']) },
  { name: 'all addresses', bytes: request('GET /api/runs', ['Host: 0.0.0.0:PORT']) },
  { name: 'an empty host', bytes: request('GET /api/runs', ['Host:']) },
  { name: 'no host', bytes: () => 'GET /api/runs HTTP/1.1\r\nConnection: close\r\n\r\n' },
  { name: 'no host in HTTP/1.0', bytes: () => 'GET /api/runs HTTP/1.0\r\n\r\n' },
  { name: 'no head at all, as in HTTP/0.9', bytes: () => 'GET /api/runs\r\n\r\n' },
  { name: 'two hosts, ours first', bytes: request('GET /api/runs', ['Host: 127.0.0.1:PORT', 'Host: evil.example']) },
  { name: 'two hosts, ours last', bytes: request('GET /api/runs', ['Host: evil.example', 'Host: 127.0.0.1:PORT']) },
  { name: 'two hosts in one header', bytes: request('GET /api/runs', ['Host: 127.0.0.1:PORT, evil.example']) },
  { name: 'another host in the request line', bytes: request('GET http://evil.example/api/runs') },
  {
    name: 'our host in the request line, another as Host',
    bytes: request('GET http://127.0.0.1:PORT/api/runs', ['Host: evil.example']),
  },
  { name: 'a space before the colon of Host', bytes: request('GET /api/runs', ['Host : 127.0.0.1:PORT']) },
  // Origin of the page.
  {
    name: 'a page of another origin writes',
    bytes: request('POST /api/runs/RUN/cancel', [json, 'Origin: https://evil.example'], '{}'),
  },
  { name: 'a page without an origin writes', bytes: request('POST /api/runs/RUN/cancel', [json, 'Origin: null'], '{}') },
  { name: 'a page of another port reads', bytes: request('GET /api/runs', ['Origin: http://127.0.0.1:1']) },
  { name: 'an origin that begins like ours', bytes: request('GET /api/runs', ['Origin: http://127.0.0.1:PORT.evil.example']) },
  { name: 'an origin with ours as user name', bytes: request('GET /api/runs', ['Origin: http://127.0.0.1:PORT@evil.example']) },
  { name: 'an origin of another kind', bytes: request('GET /api/runs', ['Origin: file://127.0.0.1:PORT']) },
  { name: 'two origins', bytes: request('GET /api/runs', ['Origin: http://127.0.0.1:PORT', 'Origin: https://evil.example']) },
  {
    name: 'another page listens to the list of runs',
    bytes: request('GET /api/events', ['Origin: https://evil.example', 'Accept: text/event-stream']),
  },
  {
    name: 'another site listens to a run',
    bytes: request('GET /api/runs/RUN/events', ['Sec-Fetch-Site: cross-site', 'Sec-Fetch-Mode: cors']),
  },
  {
    name: 'another page has a script of ours',
    bytes: request('GET /api/runs', ['Sec-Fetch-Site: cross-site', 'Sec-Fetch-Mode: no-cors', 'Sec-Fetch-Dest: script']),
  },
  {
    name: 'a preflight',
    bytes: request('OPTIONS /api/runs', ['Origin: https://evil.example', 'Access-Control-Request-Method: POST']),
  },
  {
    name: 'a preflight that looks like ours',
    bytes: request('OPTIONS /api/runs/RUN/cancel', ['Access-Control-Request-Method: POST']),
  },
  { name: 'a look at the head alone, of another origin', bytes: request('HEAD /api/runs', ['Origin: https://evil.example']) },
  // Requests that forms, links and images can send.
  { name: 'a form', bytes: request('POST /api/runs/RUN/approve', ['Content-Type: application/x-www-form-urlencoded'], 'ids=CALL') },
  { name: 'JSON as plain text', bytes: request('POST /api/runs/RUN/approve', ['Content-Type: text/plain'], approve) },
  {
    name: 'JSON as plain text that names the type',
    bytes: request('POST /api/runs/RUN/approve', ['Content-Type: text/plain; application/json'], approve),
  },
  {
    name: 'JSON in a form with parts',
    bytes: request('POST /api/runs/RUN/approve', ['Content-Type: multipart/form-data; boundary=application/json'], approve),
  },
  {
    name: 'JSON of a type that begins like it',
    bytes: request('POST /api/runs/RUN/approve', ['Content-Type: application/jsonx'], approve),
  },
  { name: 'JSON without a type', bytes: request('POST /api/runs/RUN/approve', [], approve) },
  { name: 'a link that cancels', bytes: request('GET /api/runs/RUN/cancel') },
  { name: 'a link that approves', bytes: request('GET /api/runs/RUN/approve?ids=CALL') },
  { name: 'a link with a body', bytes: request('GET /api/runs/RUN/approve', [json], approve) },
  {
    name: 'a link that says it is a post',
    bytes: request(
      'GET /api/runs/RUN/approve?_method=POST',
      ['X-HTTP-Method-Override: POST', 'X-Method-Override: POST', json],
      approve,
    ),
  },
  { name: 'a link with a method of its own', bytes: request('APPROVE /api/runs/RUN/approve', [json], approve) },
  { name: 'PUT', bytes: request('PUT /api/runs/RUN/approve', [json], approve) },
  { name: 'DELETE', bytes: request('DELETE /api/runs/RUN') },
  { name: 'TRACE', bytes: request('TRACE /api/info') },
  { name: 'a way through to another host', bytes: request('CONNECT evil.example:443') },
  {
    name: 'a socket of the web',
    bytes: request('GET /api/runs/RUN/cancel', ['Upgrade: websocket', 'Sec-WebSocket-Version: 13', 'Sec-WebSocket-Key: eA==']),
  },
  // Path traversal.
  { name: 'up with an encoded slash', bytes: request('GET /assets/..%2f..%2fpackage.json') },
  { name: 'up with encoded dots', bytes: request('GET /assets/%2e%2e/%2e%2e/package.json') },
  { name: 'up, encoded twice', bytes: request('GET /assets/..%252f..%252fpackage.json') },
  { name: 'up as it is', bytes: request('GET /../../../../../../etc/passwd') },
  { name: 'up with backslashes', bytes: request('GET /assets/..\\..\\package.json') },
  { name: 'up with encoded backslashes', bytes: request('GET /assets/..%5c..%5cpackage.json') },
  { name: 'a whole path', bytes: request('GET /assets/%2fetc%2fpasswd') },
  { name: 'a path to the journal', bytes: request('GET /assets/../.cadre/journal.db') },
  { name: 'a run that is a path', bytes: request('GET /api/runs/..%2f..%2f..%2fetc%2fpasswd') },
  { name: 'a run that is a path, to act on', bytes: request('POST /api/runs/..%2f..%2fx/cancel', [json], '{}') },
  { name: 'a run called __proto__', bytes: request('POST /api/runs/__proto__/cancel', [json], '{}') },
  { name: 'NUL in the path', bytes: request('GET /api/runs/\0') },
  { name: 'an encoded NUL in the path', bytes: request('GET /assets/index%00.html') },
  { name: 'an encoding that is none', bytes: request('GET /api/runs/%zz/journal') },
  { name: 'an encoding that is no text', bytes: request('GET /api/runs/%ff%fe') },
  { name: 'a path of 60,000 characters', bytes: request(`GET /${'a'.repeat(60_000)}`) },
  // Malformed heads and bodies.
  { name: 'a header of 100 kB', bytes: request('GET /api/info', [`X-Long: ${'a'.repeat(100_000)}`]) },
  {
    name: 'ten thousand headers',
    bytes: request(
      'GET /api/info',
      Array.from({ length: 10_000 }, (_, at) => `X-${at}: a`),
    ),
  },
  { name: 'a header in two lines', bytes: request('GET /api/runs', ['X-A: a\r\n b: c', 'X-B: b\nX-C']) },
  { name: 'a body of 3 MB', bytes: request('POST /api/runs', [json], `{"input":"${'x'.repeat(3_000_000)}"}`) },
  {
    name: 'a body of 3 MB in chunks',
    bytes: request('POST /api/runs', [json, 'Transfer-Encoding: chunked'], `2dc6c0\r\n${'x'.repeat(3_000_000)}\r\n0\r\n\r\n`),
  },
  {
    name: 'a length and chunks',
    bytes: request(
      'POST /api/runs',
      [json, 'Content-Length: 5', 'Transfer-Encoding: chunked'],
      '0\r\n\r\nPOST /api/runs/RUN/cancel HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\n\r\n',
    ),
  },
  { name: 'two lengths', bytes: request('POST /api/runs', [json, 'Content-Length: 2', 'Content-Length: 13'], launch) },
  { name: 'a length below zero', bytes: request('POST /api/runs', [json, 'Content-Length: -1'], launch) },
  { name: 'a length with a sign', bytes: request('POST /api/runs', [json, 'Content-Length: +13'], launch) },
  { name: 'chunks of a kind that is none', bytes: request('POST /api/runs', [json, 'Transfer-Encoding: xchunked'], launch) },
  { name: 'chunks that are none', bytes: request('POST /api/runs', [json, 'Transfer-Encoding: chunked'], 'zz\r\n{}\r\n0\r\n\r\n') },
  { name: 'another protocol', bytes: () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n' },
  {
    name: 'no protocol',
    bytes: () => '\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\u00fc\u0003\u0003' + 'a'.repeat(600) + '\r\n\r\n',
  },
  // Malicious JSON.
  { name: 'JSON that is cut', bytes: request('POST /api/runs', [json], '{"input":') },
  { name: 'JSON that is nested 100,000 deep', bytes: request('POST /api/runs', [json], `{"input":${deep}}`) },
  {
    name: 'arguments that are nested deep',
    bytes: request('POST /api/runs/RUN/approve', [json], `{"ids":["CALL"],"args":{"a":${deep.slice(99_900, 100_100)}}}`),
  },
  {
    name: 'a key to the prototype of bodies',
    bytes: request('POST /api/runs', [json], '{"__proto__":{"polluted":1},"input":"x"}'),
  },
  {
    name: 'a key to the prototype of arguments',
    bytes: request('POST /api/runs/RUN/approve', [json], '{"ids":["CALL"],"args":{"__proto__":{"polluted":1}}}'),
  },
  {
    name: 'a way to the prototype by the constructor',
    bytes: request('POST /api/runs', [json], '{"input":{"prompt":"x","constructor":{"prototype":{"polluted":1}}}}'),
  },
  { name: 'a limit called __proto__', bytes: request('POST /api/runs', [json], '{"input":"x","limits":{"__proto__":1}}') },
  { name: 'a limit that is none', bytes: request('POST /api/runs', [json], '{"input":"x","limits":{"turns":1e999}}') },
  { name: 'a workspace of its own', bytes: request('POST /api/runs', [json], '{"input":"x","workspace":"/"}') },
  {
    name: 'a file of this machine',
    bytes: request('POST /api/runs', [json], '{"input":{"prompt":"x","attachments":["/etc/passwd"]}}'),
  },
  {
    name: 'a file beside the workspace',
    bytes: request('POST /api/runs', [json], '{"input":{"prompt":"x","attachments":[{"path":"../../../etc/passwd"}]}}'),
  },
  { name: 'an id of another kind', bytes: request('POST /api/runs/RUN/messages', [json], '{"text":"x","itemId":"../x"}') },
  { name: 'a key that is a list', bytes: request('POST /api/runs/RUN/approve', [json], '{"ids":"CALL"}') },
  { name: 'a list in the place of a body', bytes: request('POST /api/runs/RUN/approve', [json], '["CALL"]') },
];
