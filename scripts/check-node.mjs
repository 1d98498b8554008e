// Says what to do when scripts of this clone would run on a Node that is too old: on platforms whose binary is not in the lockfile.
import { readFileSync } from 'node:fs';

const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 24 || (major === 24 && minor < 15)) {
  const file = new URL('node24/package.json', import.meta.url);
  const known = Object.keys(JSON.parse(readFileSync(file, 'utf8')).optionalDependencies).map((name) => name.replace(/^node-/, ''));
  process.stderr.write(
    `error: Node 24.15 or later is needed, this is ${process.versions.node} on ${process.platform}-${process.arch}. ` +
      `The lockfile brings one for ${known.join(', ')} (unless optional packages are left out, or the system has no glibc). ` +
      'Install Node 24.15 or later (https://nodejs.org), and run npm ci again.\n',
  );
  process.exit(1);
}
