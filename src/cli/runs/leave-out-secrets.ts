import { findInText } from '../../inspect/bundle/find-secrets.ts';
import type { ConvertedFile, ConvertedTree } from '../../compat/commonground/convert-tree.ts';
import { type Finding, sortFindings } from '../../compat/commonground/finding.ts';

/** Placeholder for a secret. */
const placeholder = 'SECRET_LEFT_OUT';

/** Replaces everything that looks like a secret in a converted tree, under any key, and reports each place. */
export function withoutSecrets(tree: ConvertedTree): ConvertedTree {
  const findings: Finding[] = [...tree.findings];
  const files = tree.files.map((file) => {
    let { text } = file;
    for (const { kind, value } of findInText(file.text)) {
      if (!text.includes(value)) continue;
      findings.push(findingAt(file, kind, text.slice(0, text.indexOf(value)).split('\n').length));
      text = text.replaceAll(value, placeholder);
    }
    return { ...file, text };
  });
  return { ...tree, files, findings: sortFindings(findings) };
}

function findingAt(file: ConvertedFile, kind: string, line: number): Finding {
  return {
    kind: 'not_converted',
    file: file.from,
    line: 1,
    column: 1,
    message: `line ${line} of ${file.path} would contain text that looks like a secret (${kind}); it is replaced by ${placeholder}`,
    hint: 'read secrets from the environment: { _type: from_env, var: NAME }; revoke a key that others may have seen',
  };
}
