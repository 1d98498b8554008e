/** Returns the problem of a server's address, or undefined: https may go anywhere, plain http only to this machine unless allowed. */
export function checkServerUrl(text: string, allowInsecure: boolean): string | undefined {
  if (!URL.canParse(text)) return `is not a URL: ${JSON.stringify(text.slice(0, 200))}; write https://host/path`;
  const url = new URL(text);
  if (url.username !== '' || url.password !== '') return 'must not contain a password; put it into headers, from the environment';
  if (url.protocol === 'https:') return undefined;
  if (url.protocol !== 'http:') return `must begin with https:// or http://, not ${url.protocol}`;
  if (allowInsecure || isLoopback(url.hostname)) return undefined;
  return `is plain http to ${url.hostname}, which others on the network can read and change; use https, or set allow_insecure: true`;
}

/** True when a host name, in the spelling of `URL`, is this machine. */
export function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}
