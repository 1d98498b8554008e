#!/usr/bin/env node
// Starts the command line. Plain JavaScript that an older Node can read: there, the Node that is installed as a package is
// started instead.
import { createRequire } from 'node:module';
import { bundleIsCurrent } from './current-bundle.mjs';

const require = createRequire(import.meta.url);
// Not imported: an import reads all a module exports, and Node loads what it keeps lazy for it.
const { existsSync, lstatSync, mkdirSync, readFileSync } = require('node:fs');
const path = require('node:path');
const { fileURLToPath, pathToFileURL } = require('node:url');

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..');
const [major, minor] = process.versions.node.split('.').map(Number);
const isRecent = major > 24 || (major === 24 && minor >= 15);

if (isRecent) await start();
else if (process.env.CADRE_NODE !== undefined)
  fail(`this Node is ${process.versions.node}, started from an older one; version 24.15 or later is needed`);
else startAgain(installedNode());

async function start() {
  endWithStarter();
  const compiled = folderForCompiled();
  if (compiled !== undefined) require('node:module').enableCompileCache(compiled);
  await import(pathToFileURL(mainFile()).href);
}

/**
 * Where compiled code is kept between commands, which halves the time a command needs to begin. Every command runs what lies
 * there: a folder that another user could have made or can write is not used.
 */
function folderForCompiled() {
  const user = process.getuid?.();
  const folder = path.join(require('node:os').tmpdir(), `cadre-compiled-${user ?? 'code'}`);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const found = lstatSync(folder);
    const isOwn = user === undefined || (found.uid === user && (found.mode & 0o077) === 0);
    return found.isDirectory() && isOwn ? folder : undefined;
  } catch {
    return undefined;
  }
}

/** Started by an older Node, this process stops as by SIGTERM when that one is killed: nobody would know it goes on. */
function endWithStarter() {
  if (process.channel === undefined) return;
  process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'));
  process.channel.unref();
}

/**
 * The bundle in an installed package (Node strips no types below node_modules), and in a clone whose sources are those it was made of;
 * else the sources.
 */
function mainFile() {
  const source = path.join(root, 'src', 'cli', 'main.ts');
  const built = path.join(root, 'dist', 'cli', 'main.js');
  const isInstalled = root.split(path.sep).includes('node_modules');
  if (!isInstalled && existsSync(source) && !bundleIsCurrent(root)) return source;
  if (existsSync(built)) return built;
  return fail(`neither ${source} nor ${built} can be started; build the package with: npm run build`);
}

/** The binary of the package for this platform, or of the package `node`. */
function installedNode() {
  const platform = `${process.platform.replace('win32', 'win')}-${process.arch}`;
  const found = [`node-${platform}`, 'node'].map(binaryOf).find((binary) => binary !== undefined);
  return (
    found ??
    fail(
      `Node 24.15 or later is needed, this is ${process.versions.node}; install it, or its package where there is one: npm install node-${platform}@24`,
    )
  );
}

function binaryOf(name) {
  try {
    const packageFile = require.resolve(`${name}/package.json`);
    const { bin } = JSON.parse(readFileSync(packageFile, 'utf8'));
    const binary = path.join(path.dirname(packageFile), typeof bin === 'string' ? bin : bin.node);
    return existsSync(binary) ? binary : undefined;
  } catch {
    return undefined;
  }
}

function startAgain(binary) {
  const child = require('node:child_process').spawn(binary, [...process.execArgv, ...process.argv.slice(1)], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env: { ...process.env, CADRE_NODE: binary },
  });
  // The signals are the child's to act on; this process ends when the child has.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('error', (error) => fail(`${binary} cannot be started: ${error.message}`));
  child.on('exit', (code, signal) => {
    if (signal === null) process.exit(code ?? 1);
    process.exit(signal === 'SIGINT' ? 130 : signal === 'SIGTERM' ? 143 : 1);
  });
}

function fail(message) {
  process.stderr.write(`error: ${message}\n`);
  process.exit(2);
}
