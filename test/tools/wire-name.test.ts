import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createToolRegistry, type ToolRegistry } from '../../src/tools/registry.ts';
import { defineTool } from '../../src/tools/define-tool.ts';
import { decodeWireName, encodeWireName, wirePattern } from '../../src/tools/wire-name.ts';

function registryOf(names: readonly string[]): ToolRegistry {
  return createToolRegistry(names.map((name) => defineTool({ name, description: 'A tool.', execute: () => name })));
}

describe('wire names', () => {
  test.each([
    ['search', 'search'],
    ['read_file', 'read_file'],
    ['mcp__github__create_issue', 'mcp__github__create_issue'],
    ['a-b_C9', 'a-b_C9'],
    ['fs.read_file', 'fs_dot_read__file'],
    ['docs/search', 'docs_slash_search'],
    ['ns:tool name', 'ns_colon_tool_space_name'],
    ['9lives', '_u39_lives'],
    ['-x', '_u2d_x'],
    ['größe', 'gr_uf6__udf_e'],
    ['fs_dot_read', 'fs__dot__read'],
    ['fs__dot__read', 'fs____dot____read'],
  ])('%s is %s on the wire', (name, wire) => {
    expect(encodeWireName(name)).toBe(wire);
    expect(decodeWireName(wire)).toBe(name);
  });

  test('names of 300 characters stay apart although they begin alike', () => {
    const long = 'a'.repeat(299);
    const registry = registryOf([`${long}b`, `${long}c`, 'é'.repeat(300)]);
    const wires = registry.names().map((name) => registry.wireName(name));
    expect(new Set(wires).size).toBe(3);
    for (const wire of wires) expect(wire).toMatch(wirePattern);
    expect(registry.names().map((name) => registry.fromWire(registry.wireName(name)))).toEqual(registry.names());
  });

  test('a name that is the hashed wire name of another does not collide with it', () => {
    const long = `${'x.'.repeat(150)}end`;
    const stolen = encodeWireName(long);
    for (const names of [
      [long, stolen],
      [stolen, long],
    ]) {
      const registry = registryOf(names);
      expect(registry.fromWire(registry.wireName(long))).toBe(long);
      expect(registry.fromWire(registry.wireName(stolen))).toBe(stolen);
      expect(registry.wireName(stolen)).toBe(stolen);
    }
  });

  test('case differences are different tools', () => {
    const registry = registryOf(['Search', 'search', 'SEARCH']);
    expect(registry.names().map((name) => registry.wireName(name))).toEqual(['Search', 'search', 'SEARCH']);
  });

  test('a wire name nobody registered is itself, so that the call is answered as an unknown tool', () => {
    const registry = registryOf(['search']);
    for (const name of ['nothing', '__proto__', 'constructor', 'toString', 'Search', 'search ']) {
      expect(registry.get(registry.fromWire(name))).toBeUndefined();
      expect(registry.wireName(name)).toMatch(wirePattern);
    }
  });
});

const part = fc.constantFrom(
  '_',
  '__',
  '-',
  '.',
  '/',
  ' ',
  'dot',
  '_dot_',
  'u2e',
  '_u2e_',
  '_h',
  'a',
  'B',
  '9',
  'é',
  '😀',
  '\ud800',
  'search',
  'x'.repeat(40),
);
const trickyName = fc.oneof(
  fc.array(part, { minLength: 1, maxLength: 8 }).map((parts) => parts.join('')),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 80 }),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 300 }),
);
const isControl = (char: string): boolean => char < ' ' || char === '\u007f';
const isName = (name: string): boolean => name.trim() !== '' && name !== '*' && name.length <= 1_000 && ![...name].some(isControl);

test('property: wire names are legal, all different, and lead back to their tool', () => {
  fc.assert(
    fc.property(fc.uniqueArray(trickyName.filter(isName), { minLength: 1, maxLength: 12 }), (names) => {
      // The encodings of the names are names too: exactly those that could collide.
      const all = [
        ...new Set([...names, ...names.map(encodeWireName), ...names.map((name) => encodeWireName(encodeWireName(name)))]),
      ];
      const registry = registryOf(all);
      const wires = all.map((name) => registry.wireName(name));
      expect(new Set(wires).size).toBe(all.length);
      for (const wire of wires) expect(wire).toMatch(wirePattern);
      expect(wires.map((wire) => registry.fromWire(wire))).toEqual(all);
    }),
    { numRuns: 500 },
  );
});

test('property: without a registry, what is spelled out leads back too', () => {
  fc.assert(
    fc.property(trickyName, (name) => {
      const wire = encodeWireName(name);
      expect(wire).toMatch(wirePattern);
      if (!/_h[0-9a-f]{20}$/.test(wire)) expect(decodeWireName(wire)).toBe(name);
    }),
    { numRuns: 2_000 },
  );
});
