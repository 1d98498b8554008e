// Pure cache: keyed by an object; holds read-only views of it.
const views = new WeakMap<object, object>();

/**
 * Returns a read-only view of live data for foreign code: tools, functions and observers (FAULTS X6). Views are lazy; a write
 * anywhere below throws a TypeError and changes nothing. Frozen values are returned themselves.
 */
export function readOnlyView<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  const known = views.get(value);
  if (known !== undefined) return known as T;
  const view: object = value instanceof Map ? new Proxy(value, mapHandler) : new Proxy(value, objectHandler);
  views.set(value, view);
  return view as T;
}

function refuse(): never {
  throw new TypeError(
    "this is a view of the run's state and cannot be changed; return items or a result, or use update_state in the profile",
  );
}

const refusals = {
  set: refuse,
  defineProperty: refuse,
  deleteProperty: refuse,
  setPrototypeOf: refuse,
  preventExtensions: refuse,
} as const;

const objectHandler: ProxyHandler<object> = {
  ...refusals,
  get: (target, key) => readOnlyView<unknown>(Reflect.get(target, key)),
  getOwnPropertyDescriptor: (target, key) => {
    const descriptor = Reflect.getOwnPropertyDescriptor(target, key);
    return descriptor === undefined || !('value' in descriptor)
      ? descriptor
      : { ...descriptor, value: readOnlyView<unknown>(descriptor.value) };
  },
};

/** The methods of a map work only on the map itself, so the view wraps each. */
const mapHandler: ProxyHandler<Map<unknown, unknown>> = {
  ...refusals,
  get: (target, key) => {
    switch (key) {
      case 'size':
        return target.size;
      case 'get':
        return (name: unknown) => readOnlyView(target.get(name));
      case 'has':
        return (name: unknown) => target.has(name);
      case 'keys':
        return () => target.keys();
      case 'values':
        return () => target.values().map((value) => readOnlyView(value));
      case 'entries':
      case Symbol.iterator:
        return () => target.entries().map(([name, value]) => [name, readOnlyView(value)]);
      case 'forEach':
        return (callback: (value: unknown, name: unknown) => void) =>
          target.forEach((value, name) => callback(readOnlyView(value), name));
      case 'set':
      case 'delete':
      case 'clear':
        return refuse;
      default:
        return Reflect.get(target, key, target);
    }
  },
};
