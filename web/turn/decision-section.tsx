import type { DecidedAction } from '../../src/core/events/turn-parts.ts';
import type { RuleView, UnaskedRule } from '../../src/inspect/turn/turn-judgements.ts';
import type { TurnRecord } from '../../src/inspect/turn/turn-record.ts';
import { placeText, safe } from '../kit/safe.ts';
import { ScrollBox } from '../kit/scroll-box.tsx';
import { Pairs } from '../kit/pairs.tsx';
import { RawSwitch, FormattedText } from '../kit/formatted-text.tsx';
import { ErrorLine } from './parts.tsx';
import { Section } from './section.tsx';

/** The decision of the turn: its rules in order, the one that matched, and the values each condition read. */
export function DecisionSection({ record }: { readonly record: TurnRecord }) {
  const { rules, notAsked, action } = record.decision;
  if (action === undefined) return null;
  const by = action.ruleId === undefined ? '' : `, by rule ${safe(action.ruleId, 80)}`;
  return (
    <Section name="decision" note={`${action.type.replaceAll('_', ' ')}${by}`} copy={() => record.decision}>
      {() => (
        <>
          <Action action={action} />
          {rules.length + notAsked.length > 0 && (
            <ScrollBox class="t-scroll-x">
              <table>
                <thead>
                  <tr>
                    <th scope="col">#</th>
                    <th scope="col">Rule</th>
                    <th scope="col">Condition</th>
                    <th scope="col">Read</th>
                    <th scope="col">Result</th>
                    <th scope="col">Does</th>
                    <th scope="col">Declared at</th>
                  </tr>
                </thead>
                <tbody>
                  {rules.map((rule, index) => (
                    <Rule key={index} rule={rule} place={index + 1} />
                  ))}
                  {notAsked.map((rule) => (
                    <Rule key={rule.id} rule={rule} />
                  ))}
                </tbody>
              </table>
            </ScrollBox>
          )}
        </>
      )}
    </Section>
  );
}

function Action({ action }: { readonly action: DecidedAction }) {
  const { outcome, error, code, on, tools, toolChoice, call, output } = action;
  return (
    <>
      <Pairs
        pairs={{
          outcome: outcome !== undefined && safe(outcome),
          'waits for': on !== undefined && on.map((source) => safe(source, 80)).join(', '),
          tools: tools !== undefined && tools.map((name) => safe(name, 80)).join(', '),
          'tool choice': toolChoice !== undefined && safe(toolChoice),
          calls: call !== undefined && `${safe(call.name, 80)}(${safe(call.input)})`,
          error: error !== undefined && `${code === undefined ? '' : `${code}: `}${safe(error, 2_000)}`,
        }}
      />
      {output !== undefined && output !== '' && (
        <details class="t-more">
          <summary>output</summary>
          <RawSwitch />
          <FormattedText value={output} label="Output" />
        </details>
      )}
    </>
  );
}

/** A rule with its result; one without a place was not evaluated. */
function Rule({ rule, place }: { readonly rule: UnaskedRule & Partial<RuleView>; readonly place?: number }) {
  const { id, matched = false, values, condition, action, declaredAt, error } = rule;
  const verdict = place === undefined ? 'not evaluated' : error !== undefined ? 'failed' : matched ? 'matched' : 'false';
  const tone = error !== undefined ? 'tone-bad' : matched ? 'tone-good' : 'faint';
  return (
    <tr class={matched ? 't-winner' : ''} aria-current={matched ? 'true' : undefined}>
      <td class="number faint">{place}</td>
      <th scope="row">
        <code>{safe(id, 80)}</code>
      </th>
      <td>{condition === undefined ? <span class="faint">always</span> : <code>{safe(condition)}</code>}</td>
      <td>
        {Object.entries(values ?? {}).map(([path, value]) => (
          <div key={path}>
            <code>
              {safe(path, 120)} = {safe(JSON.stringify(value))}
            </code>
          </div>
        ))}
        {error !== undefined && <ErrorLine error={error} />}
      </td>
      <td class={tone}>{verdict}</td>
      <td>{action?.replaceAll('_', ' ')}</td>
      <td class="small faint">{declaredAt !== undefined && placeText(declaredAt)}</td>
    </tr>
  );
}
