import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseTable } from '../../../src/toolsets/documents/parse/parse-table.ts';
import { runAtOnce } from '../../../src/toolsets/documents/parse/steps.ts';
import { makeFolder } from '../../files/temp-folder.ts';
import { openTools } from './call-tool.ts';

const cities = `City,"Mayor, full name",Note
Bern,"Alec von Graffenried","first line
second line, with ""quotes""
third"
Basel,Conradin Cramer,plain
Chur,"",needle in Chur
`;

/** The blocks of a table, shortly: lines, and the heading. */
const shape = (file: string, text: string): readonly string[] =>
  runAtOnce(parseTable(file, text.split('\n'))).map(
    ({ line, endLine, heading }) => `${line}-${endLine}${heading === undefined ? '' : ` ${heading.text}`}`,
  );

describe('tables as documents', () => {
  it('F33: rows are found with the names of their columns, and quoted on the lines of the file', async () => {
    const { call } = openTools({
      root: await makeFolder({ 'cities.csv': cities, 'long.tsv': `Id\tWord\n${'7\tpad\n'.repeat(300)}8\tneedles\n` }),
    });
    const { hits } = JSON.parse(await call('search_documents', { query: 'quotes third mayor' }));
    expect(hits[0]).toMatchObject({ file: 'cities.csv', line: 2, end_line: 6, heading: 'City, Mayor, full name, Note' });
    const passages = JSON.parse(await call('find_passages', { file: 'cities.csv', query: 'second line quotes' }));
    expect(passages.passages[0]).toMatchObject({ line: 2, end_line: 4, heading: 'City, Mayor, full name, Note' });
    expect(await call('read_document', { file: 'cities.csv', from_line: 6, to_line: 6 })).toBe(
      'cities.csv, lines 6-6 of 6\n6: Chur,"",needle in Chur',
    );
    const far = JSON.parse(await call('search_documents', { query: 'needles', files: ['long.tsv'] }));
    expect(far.hits[0]).toMatchObject({ file: 'long.tsv', end_line: 302, heading: 'Id, Word' });
    const report =
      '> Bern,"Alec von Graffenried","first line\n> second line\n> — cities.csv:2-3\n\n"needle in Chur" (cities.csv:5)\n';
    expect(JSON.parse(await call('check_citations', { text: report }))).toMatchObject({ total: 2, ok: 1 });
    const files = JSON.parse(await call('list_documents', {})).files;
    expect(files).toMatchObject([{ file: 'cities.csv', title: 'cities.csv', lines: 6 }, { title: 'long.tsv' }]);
  });

  it.each([
    ['a.csv', 'aaa,bbb,ccc\nzzz,yyy,xxx', ['1-1 aaa, bbb, ccc', '2-2']],
    ['a.csv', '"aaa","b \nbb","ccc"\nzzz,yyy,xxx', ['1-2 aaa, b  bb, ccc', '3-3']],
    ['a.csv', '"a""a","b,b",c\n1,2,3', ['1-1 a"a, b,b, c', '2-2']],
    ['a.csv', 'Name;Wert, netto\nA;1', ['1-1 Name, Wert, netto', '2-2']],
    ['a.tsv', 'a b\tc,d\n"x\ny"\tz', ['1-1 a b, c,d', '2-3']],
    ['a.csv', '2024,1.5\n2025,2', ['1-1', '2-2']],
    ['a.csv', 'name,size\n12" pipe,3\nb,"never ends\nc,4', ['1-1 name, size', '2-2', '3-3', '4-4']],
    ['a.csv', '\n\nname\n\nx\n', ['3-3 name', '5-5']],
    ['a.csv', '', []],
  ])('%s: %o is read as %o', (file, text, expected) => {
    expect(shape(file, text)).toEqual(expected);
  });

  it('each line with text is in one block, in linear time, whatever the file is', () => {
    const piece = fc.constantFrom('"', '""', ',', '\n', 'a', ' ', ';', '\t');
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
        const lines = pieces.join('').split('\n');
        const covered = runAtOnce(parseTable('a.csv', lines)).flatMap(({ line, endLine }) =>
          Array.from({ length: endLine - line + 1 }, (_, index) => line + index),
        );
        expect(new Set(covered).size).toBe(covered.length);
        expect(lines.every((line, index) => line.trim() === '' || covered.includes(index + 1))).toBe(true);
      }),
    );
    for (const hostile of ['"\n', ',"\n', '"', ',', '"a",', 'a"\n'])
      runAtOnce(parseTable('a.csv', hostile.repeat(400_000 / hostile.length).split('\n')));
  });
});
