/** Script of the starter team without a configured model: rules over the request a model would get. */
export const starterScript = String.raw`# yaml-language-server: $schema=../../schemas/script.schema.json
# Replies of the team without a model. The first rule whose condition holds answers; tools really run.
name: offline
description: Lead and Researcher, scripted.

let:
  is_lead: "{{ 'dispatch_submodules' in tools }}"
  # Lead: the latest question, and the results since it was asked.
  questions: "{{ user_texts.filter(t, !t.startsWith('<')) }}"
  question: "{{ replace(trim(default(last(vars.questions), '')), '\\n', ' ') }}"
  plans: "{{ tool_results.filter(r, r.tool == 'manage_work_modules' && !r.is_error && size(default(r.data.modules, []).filter(m, m.status == 'pending')) > 0) }}"
  rounds: "{{ tool_results.filter(r, r.tool == 'dispatch_submodules') }}"
  results: "{{ default(last(vars.rounds).data.assignment_execution_results, []) }}"
  findings: "{{ unique(flatten(vars.results.map(r, default(r.deliverables.findings, [])))) }}"
  # Researcher: the search words, and the hits.
  search_for: "{{ trim(default(first(lines(default(last(split(first_user, 'Search for: ')), ''))), '')) }}"
  hits: "{{ flatten(tool_results.filter(r, r.tool == 'search_documents').map(r, default(r.data.hits, []))) }}"

  # Calls that just failed: their results must not be reported as completed work.
  failed: "{{ last.role == 'tool' ? last_results.filter(r, r.is_error) : [] }}"
  unfinished: "{{ vars.results.filter(r, r.execution_status != 'completed_success') }}"

rules:
  - id: tool_failed
    when: size(vars.failed) > 0
    reply:
      fail: "{{ first(vars.failed).tool }} failed, and without a model I know no other way: {{ slice(first(vars.failed).content, 0, 2000) }}"

  - id: lead_plans
    when: vars.is_lead && size(vars.plans) < size(vars.questions)
    reply:
      text: "Two looks at it: what the documents say directly, and what goes with it."
      tool_calls:
        - tool: manage_work_modules
          args:
            actions:
              - { action: create, name: The direct answer, description: "Find passages that answer: {{ vars.question }}" }
              - { action: create, name: What goes with it, description: "Find advice and warnings around: {{ vars.question }}" }

  - id: lead_dispatches
    when: vars.is_lead && size(vars.rounds) < size(vars.questions)
    reply:
      text: Both modules are independent, so both researchers go at the same time.
      tool_calls:
        - tool: dispatch_submodules
          args:
            assignments: "{{ last(vars.plans).data.modules.map(m, {'module_id_to_assign': m.module_id, 'agent_profile_logical_name': 'Researcher', 'assigned_role_name': m.name, 'assignment_specific_instructions': 'Search for: ' + vars.question}) }}"

  - id: lead_has_nothing
    description: A failed search is not an empty result.
    when: vars.is_lead && last.role == 'tool' && size(vars.unfinished) > 0 && size(vars.findings) == 0
    reply:
      fail: "No researcher could look: {{ slice(json(first(vars.unfinished)), 0, 2000) }}"

  - id: lead_completes
    when: vars.is_lead && size(last_results.filter(r, r.tool == 'dispatch_submodules')) > 0
    reply:
      text: "The researchers brought {{ size(vars.findings) }} passages."
      tool_calls:
        - tool: manage_work_modules
          args:
            actions: "{{ vars.results.map(r, {'action': 'status_change', 'module_id': r.module_id, 'new_status': 'completed'}) }}"

  - id: lead_answers
    when: vars.is_lead
    reply:
      text: |
        # {{ vars.question }}

        {{ size(vars.unfinished) > 0 ? string(size(vars.unfinished)) + ' of ' + string(size(vars.results)) + ' researchers failed; this is what the others found.\n\n' : '' }}{{ size(vars.findings) == 0 ? 'Nothing was found in the documents.' : join(vars.findings.map(f, '> ' + replace(trim(f.text), '\n', '\n> ') + '\n>\n> — ' + f.file + ':' + string(f.line)), '\n\n') }}

  - id: researcher_searches
    when: "!('search_documents' in call_names)"
    reply:
      text: "I search for: {{ vars.search_for }}"
      tool_calls:
        - tool: search_documents
          args: { query: "{{ vars.search_for }}", limit: 4 }

  - id: researcher_hands_in
    reply:
      text: "I found {{ size(vars.hits) }} passages."
      tool_calls:
        - tool: finish_flow
          args:
            summary: "{{ size(vars.hits) }} passages for: {{ vars.search_for }}"
            deliverables:
              findings: "{{ vars.hits.map(h, {'file': h.file, 'line': h.line, 'text': h.text}) }}"
`;
