// Shapes of providers' keys, for models whose key the engine never saw.
const keyShapes =
  /\b(?:sk|rk|pk|gsk|xai|key)[-_][A-Za-z0-9_-]{8,}|\bAIza[A-Za-z0-9_-]{16,}|\b(?:Bearer|Basic)\s+[A-Za-z0-9._~+/=-]{6,}/g;

// Shorter secrets would redact ordinary words.
const minimumSecretLength = 4;

/** Replaces known secrets (plain, URL-encoded and base64) and everything shaped like a key. */
export function redactSecrets(text: string, secrets: readonly string[]): string {
  let clean = text;
  for (const secret of secrets) {
    if (secret.length < minimumSecretLength) continue;
    for (const form of [secret, encodeURIComponent(secret), Buffer.from(secret).toString('base64')]) {
      clean = clean.replaceAll(form, '[secret]');
    }
  }
  return clean.replace(keyShapes, '[secret]');
}
