/** One behaviour of the seed systems, by the table of the checklist it stands in. */
export interface Requirement {
  /** Table and row, for example `A1.3.priorities`; faults of the original are `D1.n`, rows of the merged list `B.n`. */
  readonly id: string;
  readonly section: string;
  readonly text: string;
  /** Of the merged list: core, important or nice. In the end no core row may be left out. */
  readonly weight?: 'C' | 'I' | 'N';
  /** `verified` by a test that cites it, or for `later`, with the reason. */
  readonly status: 'verified' | 'later';
  readonly reason?: string;
}

/** What a row waits for, in words for who would miss it. */
export interface Later {
  readonly later: string;
}

/** A row: what it asks for, and, when it is not there yet, why. */
export type Row = string | readonly [string, Later];

/** The rows of one table, by the names that follow the table in their ids. */
export interface Table {
  readonly table: string;
  readonly section: string;
  readonly rows: Readonly<Record<string, Row>>;
}

/** The rows of tables as requirements. */
export function requirementsOf(tables: readonly Table[]): Requirement[] {
  return tables.flatMap(({ table, section, rows }) =>
    Object.entries(rows).map(([name, row]) => toRequirement(`${table}.${name}`, section, row)),
  );
}

function toRequirement(id: string, section: string, row: Row): Requirement {
  if (typeof row === 'string') return { id, section, text: row, status: 'verified' };
  const [text, { later }] = row;
  return { id, section, text, status: 'later', reason: later };
}
