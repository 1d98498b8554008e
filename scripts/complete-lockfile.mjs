// Names in package-lock.json the optional binaries of every platform, also those the registry at hand does not offer.
// Without their entries `npm ci` looks them up, and refuses the whole lockfile when it cannot find them.
import { readFileSync, writeFileSync } from 'node:fs';

const file = new URL('../package-lock.json', import.meta.url);
const lock = JSON.parse(readFileSync(file, 'utf8'));
const systems = ['android', 'darwin', 'freebsd', 'linux', 'netbsd', 'openbsd', 'openharmony', 'sunos', 'aix', 'win32'];
const processors = ['arm64', 'arm', 'ia32', 'x64', 'ppc64', 'riscv64', 's390x', 'loong64', 'mips64el', 'wasm32'];

/** What a binary's name says of where it runs. */
function platformOf(name) {
  const words = name.split(/[/-]/);
  const os = systems.find((system) => words.includes(system));
  const cpu = processors.find((processor) => words.includes(processor));
  return { ...(cpu === undefined ? {} : { cpu: [cpu] }), ...(os === undefined ? {} : { os: [os] }) };
}

let added = 0;
for (const entry of Object.values(lock.packages)) {
  for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
    const place = `node_modules/${name}`;
    const platform = platformOf(name);
    if (lock.packages[place] !== undefined || Object.keys(platform).length === 0) continue;
    lock.packages[place] = {
      version: version.replace(/^[^0-9]*/, ''),
      ...platform,
      ...(entry.dev ? { dev: true } : {}),
      optional: true,
    };
    added++;
  }
}
const sorted = Object.entries(lock.packages).toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
lock.packages = Object.fromEntries(sorted);
writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
console.log(`${added} optional packages named in package-lock.json`);
