/** Base64 of a part of a longer text: shorter ones would be found where there is no secret. */
const shortestCore = 8;

/** Lines of a secret of several lines (a private key) are secrets themselves from this length on. */
const shortestLine = 20;

/** The forms a secret is written in: as it is, escaped for JSON (also twice, or letter by letter), HTML and URLs, in base64 and in hexadecimal. */
export function secretForms(secret: string): readonly string[] {
  const lines = secret.split(/\r?\n/).filter((line) => line.length >= shortestLine);
  return [...new Set([secret, ...(lines.length > 1 ? lines : [])].flatMap(formsOf))];
}

function formsOf(secret: string): readonly string[] {
  const json = JSON.stringify(secret).slice(1, -1);
  const url = encodeURIComponent(secret.toWellFormed());
  const bytes = new TextEncoder().encode(secret);
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  const escapes = secret.replace(/[^]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
  return [
    secret,
    json,
    JSON.stringify(json).slice(1, -1),
    url,
    url.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()),
    url.replaceAll('%20', '+'),
    url.replace(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`),
    secret.replace(/[&<>"']/g, (mark) => entities[mark] ?? mark),
    hex,
    hex.toUpperCase(),
    escapes,
    escapes.replace(/[a-f]/g, (digit) => digit.toUpperCase()),
    ...base64Forms(bytes),
  ];
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Base64 of the secret alone, and what of it is the same inside a longer text, whatever stands around it. */
function base64Forms(bytes: Uint8Array): readonly string[] {
  const forms = [0, 1, 2].flatMap((offset) => {
    const encoded = btoa(String.fromCharCode(...new Uint8Array(offset), ...bytes));
    const core = encoded.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + bytes.length) * 8) / 6));
    return core.length < shortestCore && offset > 0 ? [] : [core];
  });
  return forms.flatMap((form) => [form, form.replaceAll('+', '-').replaceAll('/', '_')]);
}
