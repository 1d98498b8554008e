import { describe, expect, test } from 'vitest';
import { agentRoots } from '../../../src/core/expression/agent-roots.ts';
import { compileExpression } from '../../../src/core/expression/expression.ts';

// Ways out of JavaScript sandboxes and template engines, written against our roots where that makes them stronger.
const sources: readonly string[] = `
constructor.constructor('return process')()
flags.constructor.constructor('return process')()
flags.constructor
flags['constructor']
flags['constructor']['constructor']('return this')()
flags.__proto__
flags['__proto__']
flags['__pro' + 'to__']
flags['const' + 'ructor']
flags.list['__pro' + 'to__']
get(flags, '__proto__')
get(flags, 'constructor')
get(flags.list, 'constructor')
get(flags.text, 'constructor')
v['flags.constructor']
v['flags.constructor.constructor']
v['flags.__proto__.polluted']
v['__proto__']
v['constructor']
v['__proto__.constructor']
v['state.__proto__']
v['constr' + 'uctor.constructor']
v['flags.list.constructor']
v['flags.list.length']
v['flags.text.constructor']
v['flags.fn.constructor']
flags.fn
flags.fn()
flags.fn.constructor
flags.fn.call(null)
flags.fn.bind(null)
flags['fn']['call']
flags.fn['const' + 'ructor']
flags.text.constructor
flags.text['constructor']
''.constructor.constructor('return 1')()
''['constructor']
[]['constructor']
[].constructor
[]['map']['constructor']('return process')()
{}.constructor
({}).constructor
{}['__proto__']
{'__proto__': {'polluted': 1}}
{'__proto__': flags}.polluted
{'constructor': 1}
{'prototype': 1}
{'__pro' + 'to__': {'polluted': 1}}
parse_json('{"__proto__": {"polluted": 1}}')
parse_json('{"__proto__": {"polluted": 1}}').polluted
parse_json('{"constructor": {"prototype": {"polluted": 1}}}')
keys(parse_json('{"__proto__": 1}'))
[flags].map(x, x.constructor)
[flags].map(x, x['const' + 'ructor'])
['constructor'].map(k, flags[k])
['__proto__'].map(k, flags[k])
['__proto__', 'constructor'].exists(k, flags[k] != null)
has(flags.constructor)
has(flags.__proto__)
'constructor' in flags
'__proto__' in flags
contains(flags, 'toString')
flags.toString
flags.toString()
flags.valueOf()
flags.hasOwnProperty('a')
flags.__defineGetter__('a', flags.fn)
flags.__lookupGetter__('__proto__')
flags.__lookupGetter__('__proto__').call(flags)
flags.isPrototypeOf
flags.propertyIsEnumerable
flags.text.replace('a', flags.fn)
flags.text.sub
flags.text.at(0)
flags.list.map(flags.fn)
flags.list.reduce((a, b) => b)
flags.list.find(x => x.constructor)
(() => 1)()
x => x
function () { return 1 }
new Function('return process')()
Function('return process')()
eval('1')
process
process.env
process.exit(1)
globalThis
global.process
this
this.constructor
this.process.mainModule.require('fs')
require('fs')
import('fs')
module.constructor._load('fs')
arguments
arguments.callee
window
document
Object
Object.getPrototypeOf(flags)
Object.assign(flags, {})
Reflect.get(flags, 'constructor')
Reflect.construct(Array, [])
Symbol.iterator
flags[Symbol.iterator]
Proxy
Promise.resolve(1)
async () => 1
await flags
yield 1
\`\${process}\`
\`abc\`
'\${process.env}'
...flags
[...flags.list]
{...flags}
flags.n = 5
flags.n += 5
flags.n++
--flags.n
delete flags.n
void 0
typeof flags
flags instanceof Object
flags?.constructor
flags.list?.[0]
flags.a ?? flags.b
$jmespath
$eval('1')
$function
_.template('x')
{{constructor.constructor('return process')()}}
#{7*7}
<%= 7*7 %>
flags.\\u0063onstructor
flags["\\u0063onstructor"]
flags["\\x5f\\x5fproto\\x5f\\x5f"]
flags["\\137\\137proto\\137\\137"]
v["flags.\\u0063onstructor"]
flags; process
flags, process
if (true) { flags }
throw flags
class A {}
let a = 1
with (flags) n
/a+/.test('a')
debugger
cel
cel.bind(x, flags, x)
google.protobuf.Duration
type(flags)
bytes('a')
b'abc'.constructor
timestamp(0).constructor
duration('1s').constructor
optional.of(flags)
dyn(flags).constructor
dyn(flags)['construc' + 'tor']
default(flags['construc' + 'tor'], 'none')
string(flags.fn)
json(flags.fn)
json(flags)
values(flags)
flatten([flags.fn, [flags.fn]])
first([flags.fn])
slice([flags.fn], 0)
flags.getter
flags.klass.secret
flags.klass.constructor.name
flags.map.size
flags.map.get('a')
flags.date
flags.promise
flags.promise.then
flags.symbol
flags.proxied
state['constructor']
state.constructor
__proto__
prototype
constructor
`
  .trim()
  .split('\n');

class Klass {
  readonly visible = 1;
  get secret(): string {
    return 'secret';
  }
}

const called: string[] = [];

function makeScope(): Record<string, unknown> {
  const flags = {
    n: 1,
    text: 'text',
    list: [1, 2],
    fn: () => called.push('fn'),
    klass: new Klass(),
    map: new Map([['a', 1]]),
    date: new Date(0),
    promise: Promise.resolve(1),
    symbol: Symbol('s'),
    get getter() {
      return () => called.push('getter');
    },
  };
  return { flags, state: { flags, values: {} } };
}

/** True for plain data: no function, no symbol, and no prototype but those of plain maps and lists. */
function isHarmless(value: unknown): boolean {
  if (value === null || ['string', 'boolean', 'number'].includes(typeof value)) return true;
  if (Array.isArray(value)) return value.every(isHarmless);
  if (typeof value !== 'object' || Object.getPrototypeOf(value) !== Object.prototype) return false;
  if (value === Object.prototype) return false;
  return Object.getOwnPropertyNames(value).every(
    (key) => key !== '__proto__' && isHarmless((value as Record<string, unknown>)[key]),
  );
}

describe('N8: no expression escapes into JavaScript', () => {
  test('the list has at least 100 patterns', () => {
    expect(new Set(sources).size).toBeGreaterThanOrEqual(100);
  });

  describe.each([
    ['with declared roots', agentRoots],
    ['without declared roots', undefined],
  ])('%s', (_, roots) => {
    test.each(sources)('%s', (source) => {
      const compiled = compileExpression(source, roots);
      if (!compiled.ok) return;
      let value: unknown;
      try {
        value = compiled.value.evaluate(makeScope());
      } catch {
        value = null;
      }
      expect(isHarmless(value)).toBe(true);
      expect(JSON.stringify(value) ?? '').not.toMatch(/secret|native code|=>/);
      expect(called).toEqual([]);
      expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    });
  });
});
