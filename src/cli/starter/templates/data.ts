import { ownFiles, starterConfigs } from '../starter-configs.ts';
import type { Template } from './template.ts';

const analyst = `# yaml-language-server: $schema=../../schemas/profile.schema.json
# Answers questions about tables in files, with SQL and charts.
name: Analyst
type: partner
description_for_human: Queries CSV files with SQL and draws charts.

instructions: |-
  You answer questions about the tables in the workspace. Look at the files first, then query them with SQL; draw a chart
  where it helps. Give figures with the file they come from, and say what the data cannot tell.

tool_access_policy:
  allowed_toolsets: [workspace, sql, charts]

flow_decider:
  - id: tools
    condition: state.current_action
    action: { type: continue_with_tool }
  - id: answered
    action: { type: await_user_input }

limits: { max_turns: 30 }
`;

const script = String.raw`# yaml-language-server: $schema=../../schemas/script.schema.json
# Replies without a model: one query, one chart, one answer.
name: offline
description: An analyst that adds up revenue by product.

let:
  failed: "{{ last_results.filter(r, r.is_error) }}"
  sums: "{{ lines(default(last(tool_results.filter(r, r.tool == 'query_database')).text, '')).filter(l, l.startsWith('| ')).map(l, split(l, '|').map(c, trim(c))) }}"

rules:
  - id: cannot_go_on
    when: size(vars.failed) > 0
    reply:
      fail: "{{ first(vars.failed).tool }} failed: {{ slice(first(vars.failed).content, 0, 2000) }}"
  - id: queries
    when: "!('query_database' in call_names)"
    reply:
      text: I add up the revenue of each product.
      tool_calls:
        - tool: query_database
          args:
            sql: SELECT product, sum(revenue) AS total FROM sales GROUP BY 1 ORDER BY 2 DESC
            tables: { sales: sales.csv }
  - id: draws
    when: "!('draw_chart' in call_names)"
    reply:
      tool_calls:
        - tool: draw_chart
          args:
            file: charts/revenue_by_product
            tables: { sales: sales.csv }
            spec:
              title: Revenue by product
              width: 480
              data: { name: sales }
              mark: bar
              encoding:
                x: { field: product, type: nominal, sort: "-y" }
                y: { aggregate: sum, field: revenue, type: quantitative }
  - id: answers
    reply:
      text: "{{ vars.sums[2][1] }} brings the most: {{ vars.sums[2][2] }} (sales.csv). The chart is in charts/."
`;

const sales = `month,product,region,revenue
2026-01,Coffee,North,1830
2026-01,Tea,North,940
2026-01,Coffee,South,1220
2026-02,Tea,South,1010
2026-02,Coffee,North,1975
2026-02,Cocoa,South,610
2026-03,Coffee,South,1390
2026-03,Tea,North,1120
2026-03,Cocoa,North,720
`;

const readme = `# Data analysis

One agent that answers questions about the tables in \`data\` with SQL, and draws charts into it.

- ask it: \`cadre run --workspace data "Which product brings the most?"\`
- see the query behind a figure: \`cadre why last "brings the most"\`
- the chart is in \`data/charts\`

Without a model, rules in \`agent_profiles/scripts/offline.yaml\` answer; with \`OPENAI_API_KEY\` or \`CADRE_MODEL\` set, a real one does.
Charts need three packages: \`cadre doctor\` says whether they are there.
`;

/** One agent with SQL over files, and charts. */
export const data: Template = {
  name: 'data',
  description: 'one agent that queries CSV files with SQL and draws charts',
  files: [
    ...starterConfigs,
    ...ownFiles,
    { file: 'agent_profiles/profiles/Analyst.yaml', text: analyst },
    { file: 'agent_profiles/scripts/offline.yaml', text: script },
    { file: 'data/sales.csv', text: sales },
    { file: 'README.md', text: readme },
  ],
  next: [['run', '--workspace', 'data', 'Which product brings the most?'], ['why', 'last', 'brings the most'], ['doctor']],
};
