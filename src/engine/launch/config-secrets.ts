import type { ProfileSet } from '../../core/profile/profile.ts';
import { isCredentialName } from '../../core/expression/variables.ts';
import { shortestSecret } from '../../core/secrets/find-secrets.ts';
import { Secrets } from '../../core/secrets/secrets.ts';

/** Collects the secrets that the caller names. Warns of values that cannot be redacted, since the caller expects it. */
export function collectSecrets(named: readonly string[] = []): Secrets {
  const secrets = new Secrets();
  for (const value of named) {
    if (secrets.add(value)) continue;
    process.emitWarning(
      `a value of \`secrets\` is not kept out of the record: it is shorter than ${shortestSecret} characters, or an ordinary word`,
      'CadreWarning',
    );
  }
  return secrets;
}

/** Words, numbers and paths are never credentials, whatever their variable is called. */
const ordinary = /^(?:.{0,7}|[a-z_-]+|[\d.]+|\.{0,2}[/\\].*|[A-Z]:\\.*)$/;

/**
 * Adds secrets: keys of LLM configs, secret environment values that configs and toolsets use, and other variables named like credentials,
 * since tools may read them undeclared.
 */
export function addConfigSecrets(
  secrets: Secrets,
  set: Pick<ProfileSet, 'llmConfigs' | 'toolsets'>,
  env: Readonly<Record<string, string | undefined>>,
): void {
  for (const { apiKeyVar, secrets: values = [] } of set.llmConfigs.values()) {
    const key = apiKeyVar === undefined ? undefined : env[apiKeyVar];
    for (const value of key === undefined ? values : [key, ...values]) secrets.add(value);
  }
  for (const [name, value = ''] of Object.entries(env)) if (isCredentialName(name) && !ordinary.test(value)) secrets.add(value);
  for (const toolset of set.toolsets.values()) for (const value of toolset.secrets) secrets.add(value);
}
