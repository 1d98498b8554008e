import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { knownDocumentTools } from '../../../src/cli/options/known-document-tools.ts';
import { bundledProfiles, bundledTeams } from '../../../src/profiles/files/bundled-teams.ts';
import { formatCase } from '../../../src/testing/suite/format-suite.ts';
import { runSuite, type SuiteReport } from '../../../src/testing/suite/run-suite.ts';

describe('the tests that ship beside the bundled teams', () => {
  let report: SuiteReport;
  beforeAll(async () => {
    report = await runSuite({ paths: [bundledProfiles], usual: bundledProfiles, snapshots: 'none', tools: knownDocumentTools() });
  }, 90_000);

  it('pass', () => {
    expect(report.problems).toEqual([]);
    expect(report.cases.filter(({ failures }) => failures.length > 0).map((result) => formatCase(result))).toEqual([]);
    expect(report.cases.length).toBeGreaterThan(70);
  });

  it('exercise all rules and observers of every team', () => {
    const teams = [bundledProfiles, ...bundledTeams().map((team) => path.join(bundledProfiles, team))];
    expect(report.coverage.map(({ team }) => team).toSorted()).toEqual(teams.toSorted());
    const left = report.coverage.flatMap(({ unexercised }) =>
      unexercised.filter(({ kind }) => kind === 'rules' || kind === 'observers'),
    );
    expect(left).toEqual([]);
    const total = report.coverage.reduce((sum, { counts }) => sum + counts.rules.total + counts.observers.total, 0);
    expect(total).toBeGreaterThan(70);
  });
});
